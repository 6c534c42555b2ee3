/* What changed between recordings: one tree of all stacks of both sides, so that what vanished
 * shows as well as what is new, with a change for each node, carried up every level. */
#ifndef PROFILE_DIFF_H
#define PROFILE_DIFF_H

#include "profile/functions.h"
#include "profile/stats.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* One recording. */
struct diff_input {
	const struct calltree *tree; /* must outlive the diff */
	enum diff_side side;
	double amount; /* what weights are per: seconds, requests; 0: per its own whole */
};

/* A weight on either side. Shares are of the recording's own whole, or, per amount, of the whole
 * before; of several recordings the mean. */
struct diff_value {
	double share[DIFF_SIDES];
	struct interval range[DIFF_SIDES]; /* of the share, 95 % */
	uint64_t samples[DIFF_SIDES];
	double p;         /* of such a change by chance; 1 if not tested */
	bool significant; /* by Benjamini and Hochberg among all that were tested */
};

/* Significant changes among these are false at most at this rate. */
#define DIFF_FALSE_RATE 0.05

/* Places with fewer samples on both sides together are not tested. */
enum { DIFF_MIN_SAMPLES = 10 };

struct diff_function {
	uint32_t function; /* of functions */
	struct diff_value total, self;
};

struct diff {
	/* Its weights are shares of both sides added up, in units of DIFF_UNIT a whole. */
	struct calltree *tree;
	struct functions functions; /* of that tree */
	struct diff_value *nodes;   /* by node of the tree, with all below it */
	VEC(struct diff_function)
	changes;                    /* code only: significant ones first, by falling change of
				       their totals; then the rest by its size */
	size_t n_significant;       /* of changes: totals or selfs */
	bool by_welch;              /* the test was Welch's: two recordings or more a side */
	bool per_amount;            /* shares are of the whole before */
	double *weight[DIFF_SIDES]; /* by node: self weights, all recordings added, as recorded */
	double whole[DIFF_SIDES];   /* their sums */
	double scale;               /* makes a weight before comparable to one after */
	uint64_t samples[DIFF_SIDES];
	/* private */
	struct profile *profile;
	struct dataset *data;
};

#define DIFF_UNIT 1e12

/* At least one input on either side, all of one unit. Functions are equal if names and names of
 * binaries are; the program itself may have another name. If any input is text, which knows no
 * binaries, names alone count. */
ERR_CHECK struct err *diff_build(const struct diff_input *inputs, size_t n, struct diff **ret);
void diff_destroy(struct diff *d);

DEFINE_CLEANUP(struct diff *, diff_destroy);

static inline double diff_change(const struct diff_value *v)
{
	return v->share[DIFF_AFTER] - v->share[DIFF_BEFORE];
}

/* The 95 % interval of the change, from those of the two sides (R. G. Newcombe, 1998). */
struct interval diff_change_range(const struct diff_value *v);
/* How far the interval reaches on its wider side: what "±" says. */
double diff_margin(double middle, struct interval range);

#endif
