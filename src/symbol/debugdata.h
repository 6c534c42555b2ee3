/* Everything about one binary beyond its own symbol tables: where its debug information is, opened,
 * with what libdw needs help for. */
#ifndef SYMBOL_DEBUGDATA_H
#define SYMBOL_DEBUGDATA_H

#include "symbol/debugfile.h"
#include "symbol/debuginfo.h"
#include "symbol/elfrewrite.h"
#include "symbol/filemap.h"

struct debugdata {
	struct elffile *separate; /* the debug file; NULL: none needed, or none found */
	struct elffile *mini;     /* what .gnu_debugdata holds; NULL: nothing */
	struct debuginfo *info;   /* NULL: no DWARF */
	/* private */
	struct elffile *alt;
	Dwarf *dwarf, *alt_dwarf;
	struct elfrewrite copy, no_alt;
	struct filemap *map; /* of the file that holds the DWARF */
	Elf *mapped_elf, *copy_elf, *no_alt_elf;
	char *from_path; /* of the same */
	struct split *split;
};

/* `file` is the binary's; `path` where it was mapped from. All must outlive it. What was in the way
 * is reported to `diag`; nothing is an error. */
void debugdata_init(struct debugdata *d, struct elffile *file, const char *path,
		    const struct debugfile_search *search, struct diag *diag);
void debugdata_deinit(struct debugdata *d);

#endif
