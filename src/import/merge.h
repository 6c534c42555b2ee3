/* Several datasets into one: numbers of one input → numbers of the merge. Processes keep apart by
 * their origin, and so do the code of a process that is in no file, the kernels of hosts that run
 * different ones, and files of different hosts that nothing but their places tells apart. */
#ifndef IMPORT_MERGE_H
#define IMPORT_MERGE_H

#include "sample/dataset.h"

/* One input on its way in. */
struct merge_input {
	const struct dataset *from;
	const char *name;
	uint32_t first_origin; /* of its origins, in the merge */
	uint64_t start_ns;     /* its clock when it began; 0: not known */
	uint64_t shift_ns;     /* is added to its times, modulo 2^64; from the first batch on */
	bool has_shift;
	uint32_t kernel, files; /* equal numbers: they run one kernel, hold one host's files */
	VEC(uint32_t) nodes, binaries, threads, events;
	VEC(struct sample) samples;
	VEC(struct proc_event) proc_events;
};

struct merge {
	struct dataset *into; /* the caller's */
	bool several;
	VEC(const struct merge_input *) inputs;
	const struct merge_input *base; /* the one whose clock the merge has: the earliest */
	size_t n_finished;
	struct table origin_names; /* of into->meta.origins, and of what they were called before */
};

void merge_init(struct merge *m, struct dataset *into, bool several);
void merge_deinit(struct merge *m);
/* What describes the input: host, events, origin ("web1"; `name` where it has no host, or others
 * are of the same). Its events must be known. `start_ns` is its clock when it began, or at its
 * first sample; 0: not known. All inputs come in before the first batch of any; `in`, which the
 * caller releases, and `name` must stay. */
void merge_add(struct merge *m, const struct dataset *from, uint64_t start_ns, const char *name,
	       struct merge_input *in);
void merge_input_deinit(struct merge_input *in);
/* The batch in the merge's numbers; valid until the next call for this input. */
struct batch merge_batch(struct merge *m, struct merge_input *in, const struct batch *batch);
/* After its last batch, and once the input's places are named: its names and totals. */
void merge_finish(struct merge *m, struct merge_input *in);

#endif
