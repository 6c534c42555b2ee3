/* The bytes of a DWARF file's sections, for what we read ourselves because libdw is slow at it:
 * trees of DIEs, range lists, line tables. Expanded where they are stored compressed. */
#ifndef SYMBOL_DWARFSECTIONS_H
#define SYMBOL_DWARFSECTIONS_H

#include <elfutils/libdw.h>

#include "base/cursor.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_ADDR,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_STR,
	DWARF_N_SECTIONS
};

struct dwarfsections {
	struct cursor of[DWARF_N_SECTIONS]; /* empty where there is none */
};

/* The bytes belong to `dwarf`. Of a .dwo file, what ends in ".dwo". */
void dwarfsections_init(struct dwarfsections *s, Dwarf *dwarf);
/* From `off` to the section's end; empty if it has no such offset. */
struct cursor dwarfsections_at(const struct dwarfsections *s, enum dwarf_section section,
			       uint64_t off);
/* The NUL-terminated string there; NULL if there is none. */
const char *dwarfsections_str(const struct dwarfsections *s, enum dwarf_section section,
			      uint64_t off);

#endif
