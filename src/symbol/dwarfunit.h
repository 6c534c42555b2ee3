/* One unit of DWARF as bytes, and the address ranges of its DIEs (DWARF 5, section 2.17). */
#ifndef SYMBOL_DWARFUNIT_H
#define SYMBOL_DWARFUNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "symbol/abbrevs.h"
#include "symbol/dwarfsections.h"

struct pc_range {
	uint64_t lo, hi;
};

struct pc_ranges {
	VEC(struct pc_range) v;
};

/* Leaves out what is empty, and address 0: what a linker leaves of a function that it dropped. */
void pc_ranges_add(struct pc_ranges *r, uint64_t lo, uint64_t hi);

struct dwarfunit {
	Dwarf_Die cu;
	/* Of the files that hold the unit, its addresses, and lists of ranges: one file, but for
	 * split DWARF, whose addresses are in the skeleton's. */
	const struct dwarfsections *sections, *addrs, *lists;
	struct dwarf_encoding enc;
	struct cursor dies;                /* from the first DIE to the unit's end */
	struct cursor abbrevs;             /* from the unit's first to the section's end */
	const uint8_t *start;              /* of the unit's header: what references count from */
	uint64_t low_pc;                   /* what offsets in range lists count from */
	uint64_t addr_base, rnglists_base; /* UINT64_MAX: none */
	uint64_t ranges_base;              /* up to DWARF 4: what DW_AT_ranges counts from */
};

/* False for a unit that is not within its file's sections. `sections` must outlive it. */
bool dwarfunit_init(struct dwarfunit *u, Dwarf_Die *cu, const struct dwarfsections *sections);
/* The same for the split unit of `skeleton`, which must outlive it too. libdw need not know that
 * they belong together, and then knows no address of the unit. */
bool dwarfunit_init_split(struct dwarfunit *u, Dwarf_Die *cu, const struct dwarfsections *sections,
			  const struct dwarfunit *skeleton);

/* An address of form DW_FORM_addr or DW_FORM_addrx*; the cursor fails on others. */
uint64_t dwarfunit_addr(const struct dwarfunit *u, struct cursor *c, uint64_t form);
/* The ranges of a list, by the value of DW_AT_ranges; false where it is damaged or only libdw can
 * read it. Appends. */
bool dwarfunit_range_list(const struct dwarfunit *u, uint64_t form, uint64_t value,
			  struct pc_ranges *ret);
#endif
