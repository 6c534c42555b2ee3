/* The functions and inlined calls of one DWARF unit, flattened: every address of the unit's code
 * belongs to the innermost of them that covers it, whose parents are its callers. */
#ifndef SYMBOL_DIES_H
#define SYMBOL_DIES_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarfunit.h"

struct dies;

struct dies_node {
	uint32_t parent;    /* 0: this is a function of its own, not an inlined call */
	uint32_t call_line; /* where the parent called this; 0: not known */
	uint32_t call_file; /* number in the unit's file table; UINT32_MAX: not known */
	bool is_named;
	const uint8_t *die;         /* where it begins */
	const char *linkage, *name; /* once is_named */
};

/* Of split DWARF, the .dwo file's unit. Its Dwarf must outlive the result. */
struct dies *dies_create(const struct dwarfunit *u);
void dies_destroy(struct dies *d);
/* 0: no function covers the address. */
uint32_t dies_find(const struct dies *d, uint64_t svma);
/* Valid as long as d. */
const struct dies_node *dies_get(const struct dies *d, uint32_t node);
/* Through abstract origin and specification. The plain name only where there is no linkage name;
 * NULL where there is none. */
void dies_names(struct dies *d, uint32_t node, const char **linkage, const char **name);

#endif
