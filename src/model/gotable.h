/* The table of functions that Go's runtime needs for itself and that stripping leaves, of programs
 * by Go 1.18 and later: layout in Go's src/runtime/symtab.go (pcHeader, moduledata) and runtime2.go
 * (_func). All of it is foreign: what does not fit is not there. */
#ifndef MODEL_GOTABLE_H
#define MODEL_GOTABLE_H

#include "base/cursor.h"
#include "model/elffile.h"

struct gotable {
	struct elffile *file;
	uint64_t off, len; /* in the file */
	uint64_t svma;
	bool is_120; /* or later, up to now */
	uint8_t quantum;
	uint64_t n, text;
	uint64_t names, units, files, numbers, functions; /* offsets in the table */
};

/* One of its functions. */
struct gofunction {
	uint64_t start, end; /* svma */
	uint32_t name, unit;
	uint32_t sp, files, lines; /* numbers by place, for gotable_number() */
	uint32_t inlined;          /* numbers of calls inlined at each place; 0: none */
	uint32_t tree;  /* offset of these calls from moduledata's gofunc; UINT32_MAX: none */
	bool assembly;  /* its frame is what its author made of it */
	bool outermost; /* nothing called it */
};

enum {
	GOTABLE_NONE = -1,
	GOTABLE_MODULE_WORDS = 41,
};

/* False: no such table, or of another version. `file` must outlive it. */
bool gotable_open(struct gotable *t, struct elffile *file);
/* What follows an offset from a part of the table; failed if that is not in it. Ends within some
 * KiB. */
struct cursor gotable_at(const struct gotable *t, uint64_t base, uint64_t off);
/* The first GOTABLE_MODULE_WORDS of moduledata, which describes the table to the runtime, 8 bytes
 * each; NULL if it was not found. Valid as long as the file. */
const uint8_t *gotable_module(const struct gotable *t);

uint32_t gotable_n(const struct gotable *t);
/* By number; false if it is damaged. */
bool gotable_function(const struct gotable *t, uint32_t i, struct gofunction *ret);
/* The one that covers an address. */
bool gotable_find(const struct gotable *t, uint64_t svma, struct gofunction *ret);
/* The number that holds `distance` behind a function's start, and up to which distance it does;
 * GOTABLE_NONE: none. `off`: of a function's numbers. Each step is taken from *steps_left. */
int32_t gotable_number(const struct gotable *t, uint32_t off, uint64_t distance,
		       uint32_t *steps_left, uint64_t *ret_end);

#endif
