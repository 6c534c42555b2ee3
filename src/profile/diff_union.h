/* The tree of all stacks of several call trees, and what each of them weighs there. */
#ifndef PROFILE_DIFF_UNION_H
#define PROFILE_DIFF_UNION_H

#include "profile/diff.h"

/* What one input has at each node, self and total. */
struct union_column {
	double *self, *total; /* weight */
	uint64_t *self_samples, *total_samples;
};

/* `t` is an empty tree over a dataset of its own, whose binaries are filled here. One column an
 * input, released by union_column_deinit(). */
void diff_union_build(struct calltree *t, struct dataset *data, const struct diff_input *inputs,
		      size_t n, struct union_column *columns);
void union_column_deinit(struct union_column *c);

#endif
