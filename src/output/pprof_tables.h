/* The tables of a pprof profile (profile.proto): strings, mappings, functions, locations, each
 * thing once. Ids count from 1; 0 is none. */
#ifndef OUTPUT_PPROF_TABLES_H
#define OUTPUT_PPROF_TABLES_H

#include "base/buf.h"
#include "base/intern.h"
#include "output/samples.h"

struct pprof_mapping {
	uint64_t id;           /* 0: no sample lies in it */
	uint64_t start, limit; /* of the made-up address space */
	uint64_t off;          /* in the file, of `start` */
	uint64_t low, high;    /* offsets that were hit: low..high */
	bool has_names, has_files, has_inlines;
};

struct pprof_function {
	uint32_t name, file; /* of strings */
};

struct pprof_location {
	uint32_t first, n; /* of lines */
	uint32_t binary;
	uint64_t off;
	bool has_off;
};

struct pprof_line {
	uint32_t func, place; /* of the call tree */
};

struct pprof_tables {
	const struct calltree *tree;
	struct intern strings;
	struct pprof_mapping *mappings; /* by binary */
	VEC(struct pprof_function) functions;
	VEC(struct pprof_location) locations;
	VEC(struct pprof_line) lines;
	struct table function_table, location_table;
};

void pprof_tables_init(struct pprof_tables *t, const struct calltree *tree);
void pprof_tables_deinit(struct pprof_tables *t);
/* The id of a string; what is not UTF-8 in it becomes U+FFFD. */
uint32_t pprof_string(struct pprof_tables *t, const char *s);
/* The id of the location of a frame: `n` frames of a path, inlined calls before the function they
 * are in. */
uint64_t pprof_location(struct pprof_tables *t, const struct path_frame *frames, uint32_t n);
/* Appends mappings, locations, functions and, last, strings. No more locations after this. */
void pprof_tables_put(struct pprof_tables *t, struct buf *b);

#endif
