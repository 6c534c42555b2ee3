/* How well each binary is named, by samples: what `info` and the end of a report tell. */
#ifndef PROFILE_COVERAGE_H
#define PROFILE_COVERAGE_H

#include "profile/profile.h"

/* A sample counts for the binary it was taken in (the innermost frame); numbers of the same file
 * are one row, under the first (binaries_same()). */
struct coverage_row {
	uint32_t binary;
	uint64_t samples;
	uint64_t named;   /* a symbol or DWARF names the function */
	uint64_t lines;   /* the line is known */
	uint64_t inlined; /* in an inlined call that is named */
	bool has_lines;   /* debug information was found */
	bool gone;        /* NAME_GONE */
	bool no_inlines;  /* of a part of it: NAME_NO_INLINES */
};

struct coverage {
	VEC(struct coverage_row) v; /* most samples first; none without samples */
	uint64_t samples;
};

void coverage_init(struct coverage *c, const struct profile *p, const struct names *names);
void coverage_deinit(struct coverage *c);
/* Nearly all of its samples are named: what is not is code that no symbol covers. */
bool coverage_has_names(const struct coverage_row *row);

#endif
