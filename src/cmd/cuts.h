/* How stacks were cut, in words: one sentence a verdict, with the binaries to blame and what helps.
 * The recorder's summary, reports and info say the same. */
#ifndef CMD_CUTS_H
#define CMD_CUTS_H

#include "profile/calltree.h"

struct cuts {
	const struct cut_binary *v; /* most samples first */
	size_t n;
	uint64_t all; /* samples, cut or not */
	const struct dataset *data;
};

/* NULL if no stack ended so. The caller frees. *ret_percent: the share of stacks. */
char *cuts_sentence(const struct cuts *c, enum verdict v, double *ret_percent);

#endif
