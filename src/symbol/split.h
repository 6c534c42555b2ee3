/* Units of split DWARF (DWARF 5, section 7.3.2; before, "GNU DebugFission"), found and opened by
 * us: libdw 0.188 reads no .dwp file, sees one section of each name, and does not look beside a
 * binary that it was given in memory. */
#ifndef SYMBOL_SPLIT_H
#define SYMBOL_SPLIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "symbol/debugfile.h"

struct split;

/* `path`: the file with the skeletons; `binary_path`: the binary, where that is another. All must
 * outlive the result. Opens nothing yet. */
struct split *split_create(const char *path, const char *binary_path,
			   const struct debugfile_search *search, struct diag *diag);
void split_destroy(struct split *s);

/* The unit of this skeleton, by its id: in the .dwp file beside one of the two files, named after
 * it, or in a debug directory; in a .dwo file where the compiler wrote it, beside one of the two
 * files, or in a debug directory. False: there is none. `ret` is valid as long as s. */
bool split_find(struct split *s, const Dwarf_Die *skeleton, Dwarf_Die *ret);

DEFINE_CLEANUP(struct split *, split_destroy);

#endif
