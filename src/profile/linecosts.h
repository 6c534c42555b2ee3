/* What each line of source costs within a function: `report --source`. */
#ifndef PROFILE_LINECOSTS_H
#define PROFILE_LINECOSTS_H

#include "profile/picked.h"

/* A sample counts for the line it was taken in, which for an inlined call is in that call's file.
 */
struct line_cost {
	uint32_t function; /* index into picked.functions.v */
	uint32_t place;    /* index into tree->places; 0: the line is not known */
	uint64_t weight, samples;
	bool own; /* of the function itself, not (only) of what is inlined into it */
};

struct line_function {
	uint32_t function;
	uint64_t weight, samples; /* sums over its lines: samples in its code */
	size_t first, n;          /* its lines: of one file together, in ascending order */
};

struct linecosts {
	struct picked picked;
	VEC(struct line_function) v; /* heaviest first; those without samples of their own too */
	VEC(struct line_cost) lines;
	struct table table; /* private */
};

/* The tree has lines (calltree_options.lines). Files of a function: its own first, then those with
 * what is inlined into it, by name; a line that is not known last. Fails as picked_init() does;
 * `c` is to be released in any case. */
ERR_CHECK struct err *linecosts_init(struct linecosts *c, const struct calltree *tree,
				     const char *function);
void linecosts_deinit(struct linecosts *c);

#endif
