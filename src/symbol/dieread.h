/* What symbols need of one DIE, read in one go. */
#ifndef SYMBOL_DIEREAD_H
#define SYMBOL_DIEREAD_H

#include "symbol/dwarfunit.h"

struct die_read {
	const uint8_t *at; /* where the DIE begins */
	uint64_t low, high;
	uint64_t ranges; /* value of DW_AT_ranges, of form ranges_form; 0: none */
	uint64_t ranges_form;
	uint64_t sibling; /* from the unit's start; 0: not known */
	uint32_t call_file, call_line;
	bool has_low, has_high;
	bool high_is_len; /* counts from low */
	bool is_odd;      /* libdw has to say what the ranges are */
};

/* Goes past the values of a DIE that began at `at` and whose code has been read. False: damaged. */
bool die_read(const struct dwarfunit *u, const struct abbrevs *abbrevs, const struct abbrev *abbrev,
	      const uint8_t *at, struct cursor *c, struct die_read *ret);
/* The code that it covers. Appends. */
void die_ranges(const struct dwarfunit *u, const struct die_read *die, struct pc_ranges *ret);
/* The same for the unit's own DIE. */
void dwarfunit_ranges(const struct dwarfunit *u, struct pc_ranges *ret);

#endif
