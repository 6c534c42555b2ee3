/* How well each binary is named, by samples: what `info` and the end of a report tell. */
#ifndef PROFILE_COVERAGE_H
#define PROFILE_COVERAGE_H

#include "profile/profile.h"

/* A sample counts for the binary it was taken in (the innermost frame). */
struct coverage_row {
	uint32_t binary;
	uint64_t samples;
	uint64_t named;   /* a symbol or DWARF names the function */
	uint64_t lines;   /* the line is known */
	uint64_t inlined; /* in an inlined call that is named */
	bool has_lines;   /* debug information was found */
};

struct coverage {
	VEC(struct coverage_row) v; /* most samples first; none without samples */
	uint64_t samples;
};

void coverage_init(struct coverage *c, const struct profile *p, const struct names *names);
void coverage_deinit(struct coverage *c);

#endif
