/* Distinct stacks with weights: what is left of a stream of samples after filters and grouping.
 * Memory grows with distinct (group, stack) pairs, not with samples. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "profile/filter.h"
#include "sample/dataset.h"

enum group_by { GROUP_COMM, GROUP_PID, GROUP_TID, GROUP_CPU, GROUP_NONE, GROUP_ORIGIN };

enum weight_kind {
	WEIGHT_DEFAULT, /* samples for clocks and for periods asked for; the period in frequency
			   mode */
	WEIGHT_SAMPLES,
	WEIGHT_PERIOD,
};

struct stack_weight {
	uint32_t group; /* index into profile.groups */
	uint32_t node;
	uint64_t weight;
	uint64_t samples;
};

/* One sample that passed the filters, for outputs that show time or threads. */
struct kept_sample {
	uint64_t time_ns, period;
	uint32_t stack; /* index into profile.stacks */
	uint32_t thread, cpu, event;
};

/* A change in a process (mappings, fork, exec), with its place among the kept samples. */
struct kept_change {
	size_t n_kept;           /* of them took effect before it */
	struct proc_event event; /* without `comm` and `stack` */
};

struct profile {
	const struct dataset *data;
	uint32_t event;      /* the one event this profile is of: never a sum of several */
	bool by_period;      /* weight is the period in the event's unit; else samples */
	bool counts_samples; /* the event's unit is samples (folded stacks): a period is so many */
	VEC(struct stack_weight) stacks;
	VEC(char *) groups; /* "python3", "python3-123", "cpu 3"; one "" for GROUP_NONE; owned */
	VEC(uint64_t)
	code_at; /* by binary: where in the file the lowest of its code that was mapped
		  * begins; UINT64_MAX or beyond the end: not known */
	VEC(struct kept_sample) kept;    /* of all events, in file order; only with options.keep */
	VEC(struct kept_change) changes; /* likewise */
	uint64_t weight, samples;        /* sums over stacks */
	uint64_t filtered;               /* samples of this event that a filter left out */
	uint64_t other_events;           /* samples of other events */
	uint64_t first_ns, last_ns;      /* of the samples counted */
	uint64_t start_ns; /* of the first sample of the data: what --time counts from */
};

struct profile_options {
	enum group_by by;
	enum weight_kind weight;
	const char *event; /* NULL: the first */
	bool keep;         /* every sample too; stacks of other events come in with weight 0 */
};

/* Drains the source. `filter` may be NULL. Fails if the event is not in the data, naming those that
 * are. Frame filters (--symbol, --hide) are the call tree's. */
ERR_CHECK struct err *profile_build(struct source *src, const struct profile_options *opt,
				    const struct filter *filter, struct profile **ret);
void profile_destroy(struct profile *p);
/* "samples", "ns", "events". */
const char *profile_unit(const struct profile *p);
/* NULL if the data knows no event (an empty text input). */
const struct event_desc *profile_event(const struct profile *p);

DEFINE_CLEANUP(struct profile *, profile_destroy);

#endif
