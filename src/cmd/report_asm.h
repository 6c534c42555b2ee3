/* The code of the functions that `report --asm` shows and `report --embed-asm` puts into a page:
 * found, disassembled, its lines named. */
#ifndef CMD_REPORT_ASM_H
#define CMD_REPORT_ASM_H

#include "profile/asmlist.h"
#include "symbol/symbolizer.h"

/* Makes the parts of `a`. A file that is not there, or not the one that ran, is a part without
 * code. `sysroot` and `vmlinux` may be NULL. Adds names of places to `data`. */
ERR_CHECK struct err *report_asm(struct asmlist *a, struct dataset *data,
				 struct symbolizer *symbols, const char *sysroot,
				 const char *vmlinux);

#endif
