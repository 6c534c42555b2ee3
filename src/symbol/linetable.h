/* One line table of .debug_line, DWARF 2 to 5 (DWARF 5, section 6.2): file and line of an address,
 * and the table's files by number. */
#ifndef SYMBOL_LINETABLE_H
#define SYMBOL_LINETABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarfunit.h"

struct linetable;

/* The table at `off` of `sections`, which must outlive it; `comp_dir` (NULL: not known) is where
 * relative names start and must outlive it, too. Of a damaged table, what comes before the damage.
 */
struct linetable *linetable_create(const struct dwarfsections *sections, uint64_t off,
				   uint8_t addr_len, const char *comp_dir);
void linetable_destroy(struct linetable *t);
/* The last row at or before an as-linked address; false where the table says nothing. A line of 0
 * is the compiler's "none". */
bool linetable_find(const struct linetable *t, uint64_t svma, uint64_t *ret_file,
		    uint32_t *ret_line);
/* Path of a file by its number in this table; NULL: no such file. Valid as long as t, and the same
 * pointer each time. */
const char *linetable_file(struct linetable *t, uint64_t number);

#endif
