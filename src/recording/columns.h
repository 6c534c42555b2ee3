/* Samples and process events of the STREAM block under way, in columns. Samples go to fixed areas
 * that one check before each keeps from overflowing; what is rarer goes to growing buffers. */
#ifndef RECORDING_COLUMNS_H
#define RECORDING_COLUMNS_H

#include "base/buf.h"
#include "recording/sink.h"
#include "sample/dataset.h"
#include "singe/recording.h"

enum {
	COLUMNS_FULL = 64 << 10, /* raw bytes at which a block is closed */
	COLUMNS_SLACK = 64,      /* more than one sample takes in any column */
	CONTEXT_CACHE = 64,      /* a power of two */
};

/* One (thread, cpu, event) with what its next sample is predicted from. Local to a block, so that
 * a damaged block does not spoil the next. */
struct context {
	uint64_t last_ns;
	uint64_t last_period;
	uint64_t interval_ns;
	uint32_t thread, cpu, event;
};

struct columns {
	uint8_t *context, *period, *time_high, *node_high; /* areas, and the end of each */
	uint8_t *context_p, *period_p, *time_high_p, *node_high_p;
	uint8_t *time_low, *node_low; /* areas of n_samples bytes */
	struct buf contexts, events;
	bool started; /* base_ns is set */
	uint64_t base_ns;
	uint64_t n_samples, n_events;
	uint64_t event_samples; /* samples before the last event */
	uint64_t event_ns;
	VEC(struct context) ctx;
	struct table ctx_table;
	uint32_t ctx_cache[CONTEXT_CACHE];
};

void columns_init(struct columns *c);
void columns_deinit(struct columns *c);
/* Empties all but room. */
void columns_reset(struct columns *c);
/* The context's number in this block, from the table or made (`*ret_new`), put into the cache. */
uint32_t columns_context_slow(struct columns *c, const struct sample *s, uint64_t interval_ns,
			      bool *ret_new);
void columns_event(struct columns *c, const struct proc_event *e);
/* Appends them as the block holds them. */
void columns_pack(const struct columns *c, struct parts *ret);

static inline size_t columns_len(const struct columns *c)
{
	return (size_t)(c->context_p - c->context) + (size_t)(c->period_p - c->period) +
	       (size_t)(c->time_high_p - c->time_high) + (size_t)(c->node_high_p - c->node_high) +
	       2 * c->n_samples + c->contexts.len + c->events.len;
}

static inline void columns_start(struct columns *c, uint64_t time_ns)
{
	if (c->started)
		return;
	c->started = true;
	c->base_ns = c->event_ns = time_ns;
}

static inline uint32_t *columns_cache(struct columns *c, const struct sample *s)
{
	return &c->ctx_cache[(s->thread ^ s->cpu << 3 ^ s->event << 5) & (CONTEXT_CACHE - 1)];
}

static inline bool context_is(const struct context *x, const struct sample *s)
{
	return x->thread == s->thread && x->cpu == s->cpu && x->event == s->event;
}

static inline uint8_t *columns_uleb(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)v | 0x80;
	*p++ = (uint8_t)v;
	return p;
}

/* There must be room: columns_len() < COLUMNS_FULL. `id` is the context's number. The low bytes of
 * time and node are columns of their own: they are close to noise, what is above them is not. */
static inline void columns_sample(struct columns *c, uint32_t id, const struct sample *s)
{
	struct context *x = &c->ctx.v[id];
	bool other = s->period != x->last_period;
	uint64_t late = zigzag_encode((int64_t)(s->time_ns - x->last_ns - x->interval_ns));

	c->context_p = columns_uleb(c->context_p, (uint64_t)id << 1 | other);
	c->time_low[c->n_samples] = (uint8_t)late;
	c->time_high_p = columns_uleb(c->time_high_p, late >> 8);
	c->node_low[c->n_samples] = (uint8_t)s->node;
	c->node_high_p = columns_uleb(c->node_high_p, s->node >> 8);
	if (other)
		c->period_p = columns_uleb(c->period_p,
					   zigzag_encode((int64_t)(s->period - x->last_period)));
	x->last_ns = s->time_ns;
	x->last_period = s->period;
	c->n_samples++;
}

#endif
