/* .dwp files (DWARF 5, section 7.3.5; version 2 of the index: GCC wiki, "DebugFissionDWP"), which
 * libdw 0.188 can't read: the unit that is wanted is cut out into a .dwo file where libdw looks for
 * it, in a temporary directory. */
#ifndef SYMBOL_DWP_H
#define SYMBOL_DWP_H

#include <elfutils/libdw.h>

#include "base/err.h"
#include "model/elffile.h"

struct dwp;

/* `file` is the .dwp; taken over, on failure too. */
ERR_CHECK struct err *dwp_create(struct elffile *file, struct dwp **ret);
void dwp_destroy(struct dwp *d);
/* The skeleton units' file again, opened where libdw will look beside it for .dwo files. `elf` is
 * the file with the skeletons. Owned by `d`. */
ERR_CHECK struct err *dwp_main(struct dwp *d, Elf *elf, Elf **ret);

/* Lets libdw find the split unit of this skeleton, until dwp_withdraw(). NULL `d`: does nothing. */
void dwp_provide(struct dwp *d, Dwarf_Die *skeleton);
void dwp_withdraw(struct dwp *d);

DEFINE_CLEANUP(struct dwp *, dwp_destroy);

#endif
