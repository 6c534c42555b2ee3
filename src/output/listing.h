/* Source files as numbered lines, for the terminal. */
#ifndef OUTPUT_LISTING_H
#define OUTPUT_LISTING_H

#include "base/vec.h"
#include "output/sourcefile.h"

struct listing {
	const char *path; /* a view */
	char *found;      /* where it is; NULL: not found */
	struct buf text;
	VEC(size_t) starts; /* of each line, and the end of the last; none: could not be read */
};

struct listings {
	const struct source_dirs *dirs; /* the caller's; NULL: none */
	VEC(struct listing) v;
};

void listings_deinit(struct listings *l);
/* The file that `path`, which outlives `l`, names, read once (sourcefile.h). Valid until the next
 * call. */
const struct listing *listings_get(struct listings *l, const char *path);
/* How many lines it has; 0 if it could not be read. */
size_t listing_lines(const struct listing *l);
/* Appends line `line` (from 1, there is one), without its end, tabs as blanks, clean. */
void listing_put(const struct listing *l, uint32_t line, struct buf *b);

#endif
