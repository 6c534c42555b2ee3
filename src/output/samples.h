/* Samples one by one, for formats that show threads, time or addresses: what a kept sample's stack
 * looks like in the call tree. */
#ifndef OUTPUT_SAMPLES_H
#define OUTPUT_SAMPLES_H

#include "profile/calltree.h"

/* A frame of a path: a node of the call tree, and where its code lies. */
struct path_frame {
	uint32_t node;
	uint32_t binary; /* of the function */
	uint64_t off;    /* of the frame, as recorded; inlined calls share that of their caller */
	bool has_off;
};

struct path {
	VEC(struct path_frame) v; /* innermost first; without groups */
	uint32_t *same;           /* private: binaries_same() */
};

/* The path of a kept sample's stack; empty for a stack that --symbol left out or whose frames are
 * all hidden. Offsets are known unless --hide took frames out of it. */
void path_get(struct path *p, const struct calltree *t, uint32_t stack);
void path_deinit(struct path *p);

/* Whether the stack is part of the tree: --symbol leaves some out. */
bool sample_is_in(const struct calltree *t, const struct kept_sample *s);
/* What the sample weighs in this profile. */
uint64_t sample_weight(const struct profile *p, const struct kept_sample *s);

/* Samples of equal thread, event and place in the call tree. */
struct sample_run {
	uint32_t thread, event;
	uint32_t node;            /* of the call tree */
	uint32_t stack;           /* one of the stacks that end there */
	uint64_t samples, period; /* the sum of periods stops at INT64_MAX */
};

struct sample_runs {
	VEC(struct sample_run) v; /* in the order of their first samples */
	struct table table;       /* private */
};

/* `per_stack`: stacks that end at one node but differ in addresses stay apart. */
void sample_runs_init(struct sample_runs *r, const struct calltree *t, bool per_stack);
void sample_runs_deinit(struct sample_runs *r);

/* Indexes into profile->kept of the samples of the profile's event that are in the tree, thread by
 * thread in the order of their numbers, each in order of time. Caller frees. */
uint32_t *samples_by_thread(const struct calltree *t, size_t *ret_n);

#endif
