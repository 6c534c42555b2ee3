/* In: rings. Out: their records, merged by time, up to a limit. */
#include "perf/order.h"

#include "base/alloc.h"

void order_init(struct order *o)
{
	*o = (struct order){ 0 };
}

void order_deinit(struct order *o)
{
	free(o->inputs);
	free(o->tree);
	*o = (struct order){ 0 };
}

/* An empty ring has the greatest time, and no record has it: one compare with the limit is enough.
 */
static inline void input_look(struct order_input *in)
{
	in->next = ring_peek(in->ring);
	if (!in->next) {
		in->next_time = UINT64_MAX;
		return;
	}
	ring_prefetch(in->ring, in->next);
	in->next_time = record_time(in->layout, in->next);
	if (in->next_time == UINT64_MAX)
		in->next_time--;
}

static inline bool is_before(struct order_node a, struct order_node b)
{
	return a.time < b.time || (a.time == b.time && a.input < b.input);
}

/* The input has a new time: it plays against those that lost to it, up to the top. Without
 * branches, as who wins is what no predictor knows. */
static inline void order_replay(struct order *o, size_t input)
{
	struct order_node best = { .time = o->inputs[input].next_time, .input = input };

	for (size_t k = (o->width + input) / 2; k; k /= 2) {
		struct order_node other = o->tree[k];
		bool loses = is_before(other, best);

		o->tree[k].time = loses ? best.time : other.time;
		o->tree[k].input = loses ? best.input : other.input;
		best.time = loses ? other.time : best.time;
		best.input = loses ? other.input : best.input;
	}
	o->tree[0] = best;
}

/* First who wins at each node, then who loses. */
static void order_play_all(struct order *o)
{
	struct order_node *t = o->tree;

	for (size_t i = 0; i < o->width; i++)
		t[o->width + i] = (struct order_node){
			.time = i < o->n ? o->inputs[i].next_time : UINT64_MAX,
			.input = i,
		};
	for (size_t k = o->width - 1; k; k--)
		t[k] = is_before(t[2 * k + 1], t[2 * k]) ? t[2 * k + 1] : t[2 * k];
	t[0] = t[1];
	for (size_t k = 1; k < o->width; k++)
		t[k] = t[k].input == t[2 * k].input ? t[2 * k + 1] : t[2 * k];
}

void order_add(struct order *o, struct ring *ring, const struct record_layout *layout)
{
	enum { HOLD_LEAST = 64 * 1024, HOLD_MOST = 1024 * 1024, SHARE = 16 };
	uint64_t hold = ring->size / SHARE;

	hold = hold < HOLD_LEAST ? HOLD_LEAST : hold > HOLD_MOST ? HOLD_MOST : hold;
	o->inputs = xreallocarray(o->inputs, o->n + 1, sizeof(*o->inputs));
	o->inputs[o->n++] = (struct order_input){
		.ring = ring,
		.layout = layout,
		.next_time = UINT64_MAX,
		.hold_max = hold,
	};
	while (o->width < o->n)
		o->width = o->width ? o->width * 2 : 1;
	o->tree = xreallocarray(o->tree, o->width, 2 * sizeof(*o->tree));
	order_play_all(o);
}

void order_begin(struct order *o, uint64_t limit_ns)
{
	o->limit_ns = limit_ns;
	for (size_t i = 0; i < o->n; i++) {
		ring_refresh(o->inputs[i].ring);
		input_look(&o->inputs[i]);
	}
	if (o->n)
		order_play_all(o);
}

bool order_next(struct order *o, size_t *ret_index, const struct perf_event_header **ret)
{
	if (!o->n || o->tree[0].time >= o->limit_ns)
		return false;
	size_t input = o->tree[0].input;
	struct order_input *in = &o->inputs[input];

	*ret_index = input;
	*ret = in->next;
	ring_consume(in->ring, in->next);
	o->release_due |= in->ring->tail - in->ring->published >= in->hold_max;
	input_look(in);
	order_replay(o, input);
	return true;
}

void order_release(struct order *o)
{
	o->release_due = false;
	for (size_t i = 0; i < o->n; i++)
		ring_publish(o->inputs[i].ring);
}

void order_end(struct order *o)
{
	order_release(o);
}
