/* Time order across rings without copying: the rings are merged in place. Usage, once per wake-up:
 *
 *	order_begin(o, now - slack);
 *	while (order_next(o, &ring_index, &header)) {
 *		… record_parse() and use it …
 *		if (order_is_release_due(o))
 *			order_release(o);
 *	}
 *	order_end(o);
 *
 * Only records older than the limit are given out; the rest stays in the rings. Within a ring
 * records come as the kernel wrote them (side-band may step back by some tens of microseconds). */
#ifndef PERF_ORDER_H
#define PERF_ORDER_H

#include "perf/record.h"
#include "perf/ring.h"

struct order_input {
	struct ring *ring;
	const struct record_layout *layout; /* of every record in this ring, for its time */
	const struct perf_event_header *next;
	uint64_t next_time;
	uint64_t hold_max; /* bytes given out that the kernel may wait for */
};

struct order_node {
	uint64_t time;
	uint64_t input;
};

struct order {
	struct order_input *inputs; /* owned */
	size_t n;
	/* A tournament: [0] is the earliest input; node k from 1 on, with nodes 2k and 2k + 1 under
	 * it, is the one that lost there; [width + i] stands for input i. Owned. */
	struct order_node *tree;
	size_t width; /* a power of two */
	uint64_t limit_ns;
	bool release_due;
};

void order_init(struct order *o);
void order_deinit(struct order *o);
/* `ring` and `layout` must outlive the order. Of two records of one time, that of the ring added
 * first comes first: add side-band rings before sample rings. Not between
 * order_begin() and order_end(). */
void order_add(struct order *o, struct ring *ring, const struct record_layout *layout);
/* UINT64_MAX: everything. A record without a time comes at once. */
void order_begin(struct order *o, uint64_t limit_ns);
/* False when nothing older than the limit is left. The record is valid until it is released. */
bool order_next(struct order *o, size_t *ret_index, const struct perf_event_header **ret);
/* True once a sixteenth of a ring has been given out (64 KiB at least, 1 MiB at most): a kernel
 * that waits for a full drain to have its room back loses samples meanwhile. */
static inline bool order_is_release_due(const struct order *o)
{
	return o->release_due;
}
/* No record given out is needed any more: publishes the tails. */
void order_release(struct order *o);
/* Releases what was given out; the rest stays in the rings. */
void order_end(struct order *o);

#endif
