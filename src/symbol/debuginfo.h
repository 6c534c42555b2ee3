/* Function, inline chain, file and line of an address from DWARF, by an index of our own: unit
 * ranges are gathered at once (clang writes no .debug_aranges, and libdw's look-ups cost
 * milliseconds an address); a unit's functions and inlined calls are flattened into segments when
 * an address first falls into it. */
#ifndef SYMBOL_DEBUGINFO_H
#define SYMBOL_DEBUGINFO_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "symbol/split.h"

/* Deeper chains of inlined calls are cut at the outer end of the inlines. */
enum { DEBUGINFO_MAX_CHAIN = 256 };

/* One function of a chain. Strings belong to libdw, valid as long as the index. */
struct debug_line {
	const char *linkage; /* mangled name; NULL: none */
	const char *name;    /* plain name; NULL: none, or there is a linkage name */
	const char *file;    /* NULL: not known */
	uint32_t line;       /* 0: not known */
};

struct debuginfo;

/* `dwarf` and `split` stay the caller's and must outlive it. Reads the units' ranges. */
struct debuginfo *debuginfo_create(Dwarf *dwarf, struct split *split);
void debuginfo_destroy(struct debuginfo *d);

/* The chain at an as-linked address, innermost inlined call first, the real function last (its
 * names NULL where DWARF knows lines but no function there). Returns its length; 0: DWARF covers
 * nothing here. `ret` holds DEBUGINFO_MAX_CHAIN. `ret_lacks_dwo`: its unit's .dwo file was not
 * found, and with it the inlined calls. */
size_t debuginfo_find(struct debuginfo *d, uint64_t svma, struct debug_line *ret,
		      bool *ret_lacks_dwo);

/* Units that were hit and whose .dwo file was not found: their inlines are missing. */
uint32_t debuginfo_missing_dwo(const struct debuginfo *d);
/* False if no unit has any range: there is no usable DWARF. */
bool debuginfo_has_units(const struct debuginfo *d);

DEFINE_CLEANUP(struct debuginfo *, debuginfo_destroy);

#endif
