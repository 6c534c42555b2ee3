/* .dwp files (DWARF 5, section 7.3.5; version 2 of the index: GCC wiki, "DebugFissionDWP"), which
 * libdw 0.188 can't read: the unit that is wanted is cut out into a .dwo file in memory. */
#ifndef SYMBOL_DWP_H
#define SYMBOL_DWP_H

#include <libelf.h>
#include <stdint.h>

#include "base/err.h"
#include "model/elffile.h"
#include "symbol/elfrewrite.h"

struct dwp;

/* `file` is the .dwp; taken over, on failure too. */
ERR_CHECK struct err *dwp_create(struct elffile *file, struct dwp **ret);
void dwp_destroy(struct dwp *d);
/* The file of the split unit of this id, as elfrewrite_open() gives it; `w` is for
 * elfrewrite_deinit() on failure too. */
ERR_CHECK struct err *dwp_cut(const struct dwp *d, uint64_t id, struct elfrewrite *w, Elf **ret);

DEFINE_CLEANUP(struct dwp *, dwp_destroy);

#endif
