/* In: rings. Out: their records, merged by time, up to a limit. */
#include "perf/order.h"

#include <string.h>

#include "base/alloc.h"

void order_init(struct order *o)
{
	*o = (struct order){ 0 };
}

void order_deinit(struct order *o)
{
	free(o->inputs);
	*o = (struct order){ 0 };
}

void order_add(struct order *o, struct ring *ring, const struct record_layout *layout)
{
	o->inputs = xreallocarray(o->inputs, o->n + 1, sizeof(*o->inputs));
	o->inputs[o->n++] = (struct order_input){
		.ring = ring,
		.layout = layout,
		.next_time = UINT64_MAX,
	};
	o->last = NULL;
}

/* An empty ring has the greatest time, and no record does: one compare with the limit serves both.
 */
static inline void input_look(struct order_input *in)
{
	in->next = ring_peek(in->ring);
	if (!in->next) {
		in->next_time = UINT64_MAX;
		return;
	}
	in->next_time = record_time(in->layout, in->next);
	if (in->next_time == UINT64_MAX)
		in->next_time--;
}

static void order_consume_last(struct order *o)
{
	struct order_input *in = o->last;

	o->last = NULL;
	if (!in)
		return;
	ring_consume(in->ring, in->next);
	input_look(in);
}

void order_begin(struct order *o, uint64_t limit_ns)
{
	order_consume_last(o);
	o->limit_ns = limit_ns;
	for (size_t i = 0; i < o->n; i++) {
		ring_refresh(o->inputs[i].ring);
		input_look(&o->inputs[i]);
	}
}

/* The input with the earliest record, the first added of equals; notes the time up to which it
 * stays the earliest. */
static struct order_input *order_choose(struct order *o)
{
	struct order_input *best = NULL;
	uint64_t best_time = UINT64_MAX, second = UINT64_MAX;

	for (struct order_input *in = o->inputs, *end = in + o->n; in < end; in++) {
		uint64_t t = in->next_time;

		if (t < best_time) {
			second = best_time;
			best_time = t;
			best = in;
		} else if (t < second) {
			second = t;
		}
	}
	o->others_ns = second;
	return best;
}

bool order_next(struct order *o, size_t *ret_index, const struct perf_event_header **ret)
{
	struct order_input *in = o->last;

	order_consume_last(o);
	if (!in || in->next_time >= o->others_ns)
		in = order_choose(o);
	if (!in || in->next_time >= o->limit_ns)
		return false;
	o->last = in;
	*ret_index = (size_t)(in - o->inputs);
	*ret = in->next;
	return true;
}

void order_end(struct order *o)
{
	order_consume_last(o);
	for (size_t i = 0; i < o->n; i++)
		ring_publish(o->inputs[i].ring);
}
