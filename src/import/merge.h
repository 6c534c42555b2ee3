/* Several datasets into one: numbers of one input → numbers of the merge. Processes keep apart by
 * their origin, and so do the code of a process that is in no file and the kernels of hosts that
 * run different ones. */
#ifndef IMPORT_MERGE_H
#define IMPORT_MERGE_H

#include "sample/dataset.h"

/* One input on its way in. */
struct merge_input {
	const struct dataset *from;
	uint32_t number;       /* 0: the first */
	uint32_t first_origin; /* of its origins, in the merge */
	uint64_t shift_ns;     /* is added to its times, modulo 2^64 */
	bool other_kernel, other_host;
	VEC(uint32_t) nodes, binaries, threads, events;
	VEC(struct sample) samples;
	VEC(struct proc_event) proc_events;
};

struct merge {
	struct dataset *into; /* the caller's */
	const struct dataset *first;
	uint32_t n_inputs;
	bool several;
};

void merge_init(struct merge *m, struct dataset *into, bool several);
/* What describes the input: host, events, origin ("web1"; `name` where it has no host). Its events
 * must be known. */
void merge_add(struct merge *m, const struct dataset *from, const char *name,
	       struct merge_input *ret);
void merge_input_deinit(struct merge_input *in);
/* The batch in the merge's numbers; valid until the next call. */
struct batch merge_batch(struct merge *m, struct merge_input *in, const struct batch *batch);
/* After the last batch, and once the input's places are named: its names and totals. */
void merge_finish(struct merge *m, struct merge_input *in);

#endif
