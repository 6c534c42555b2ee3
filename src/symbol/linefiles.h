/* The directories and files in a line table's header. */
#ifndef SYMBOL_LINEFILES_H
#define SYMBOL_LINEFILES_H

#include <stdint.h>

#include "base/vec.h"
#include "symbol/abbrevs.h"
#include "symbol/dwarfsections.h"

struct linefile {
	const char *name;
	uint64_t dir;
	char *path; /* once it was asked for */
};

struct linefiles {
	const struct dwarfsections *sections;
	const char *comp_dir; /* NULL: not known */
	struct dwarf_encoding enc;
	VEC(const char *) dirs;
	VEC(struct linefile) files;
};

/* Reads on at the lists. Before DWARF 5 numbers count from 1: [0] of both is what 0 means. */
void linefiles_init(struct linefiles *f, const struct dwarfsections *sections,
		    const struct dwarf_encoding *enc, const char *comp_dir, struct cursor *c);
void linefiles_deinit(struct linefiles *f);
/* An entry as before DWARF 5, after its name. */
void linefiles_add(struct linefiles *f, const char *name, struct cursor *c);
/* NULL: no such file. Valid as long as f, and the same pointer each time. */
const char *linefiles_path(struct linefiles *f, uint64_t number);

#endif
