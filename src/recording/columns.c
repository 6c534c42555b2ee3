/* In: samples and process events. Out: columns that compress well. */
#include "recording/columns.h"

#include "recording/fields.h"

enum { AREA = COLUMNS_FULL + COLUMNS_SLACK };

void columns_init(struct columns *c)
{
	*c = (struct columns){ .context = xmalloc(6 * (size_t)AREA) };
	c->period = c->context + AREA;
	c->time_high = c->period + AREA;
	c->node_high = c->time_high + AREA;
	c->time_low = c->node_high + AREA;
	c->node_low = c->time_low + AREA;
	columns_reset(c);
}

void columns_deinit(struct columns *c)
{
	free(c->context);
	buf_deinit(&c->contexts);
	buf_deinit(&c->events);
	vec_deinit(&c->ctx);
	table_deinit(&c->ctx_table);
}

void columns_reset(struct columns *c)
{
	c->context_p = c->context;
	c->period_p = c->period;
	c->time_high_p = c->time_high;
	c->node_high_p = c->node_high;
	c->contexts.len = c->events.len = 0;
	c->started = false;
	c->base_ns = c->event_ns = 0;
	c->n_samples = c->n_events = c->event_samples = 0;
	c->ctx.n = 0;
	table_clear(&c->ctx_table);
	memset(c->ctx_cache, 0, sizeof(c->ctx_cache));
}

uint32_t columns_context_slow(struct columns *c, const struct sample *s, uint64_t interval_ns,
			      bool *ret_new)
{
	uint64_t hash = hash_pair((uint64_t)s->thread << 32 | s->event, s->cpu);

	*ret_new = false;
	for (struct table_probe p = table_probe(&c->ctx_table, hash);
	     table_next(&c->ctx_table, &p);) {
		if (context_is(&c->ctx.v[p.value], s))
			return *columns_cache(c, s) = p.value;
	}
	uint32_t id = (uint32_t)c->ctx.n;
	struct context x = {
		.last_ns = c->base_ns - interval_ns,
		.last_period = s->period,
		.interval_ns = interval_ns,
		.thread = s->thread,
		.cpu = s->cpu,
		.event = s->event,
	};

	*ret_new = true;
	vec_push(&c->ctx, x);
	table_add(&c->ctx_table, hash, id);
	buf_uleb(&c->contexts, s->thread);
	buf_uleb(&c->contexts, (uint32_t)(s->cpu + 1));
	buf_uleb(&c->contexts, s->event);
	buf_uleb(&c->contexts, interval_ns);
	buf_uleb(&c->contexts, s->period);
	return *columns_cache(c, s) = id;
}

/* Counts first, then the words and bytes as they were. */
static void stack_fields(struct buf *b, enum raw_mode mode, const struct raw_sample *s)
{
	size_t n_regs = (size_t)__builtin_popcountll(s->regs_mask);

	buf_uleb(b, mode);
	buf_uleb(b, s->ip);
	buf_uleb(b, s->regs_abi);
	buf_uleb(b, s->regs_mask);
	buf_uleb(b, s->n_chain);
	buf_uleb(b, s->stack_asked);
	buf_uleb(b, s->stack_len);
	buf_bytes(b, s->regs, n_regs * sizeof(*s->regs));
	buf_bytes(b, s->chain, s->n_chain * sizeof(*s->chain));
	buf_bytes(b, s->stack, s->stack_len);
}

static void event_fields(struct buf *b, const struct proc_event *e)
{
	switch (e->kind) {
	case PROC_MMAP:
		buf_uleb(b, e->binary);
		buf_uleb(b, e->start);
		buf_uleb(b, e->len);
		buf_uleb(b, e->pgoff);
		return;
	case PROC_COMM: {
		size_t len = strnlen(e->comm, 4096);

		buf_uleb(b, e->exec);
		buf_uleb(b, len);
		buf_bytes(b, e->comm, len);
		return;
	}
	case PROC_FORK:
		buf_uleb(b, e->ppid);
		return;
	case PROC_EXIT:
		return;
	case PROC_LOST:
		buf_uleb(b, e->lost);
		return;
	case PROC_STACK:
		stack_fields(b, e->mode, e->stack);
		return;
	}
}

void columns_event(struct columns *c, const struct proc_event *e)
{
	struct buf b = { 0 };

	columns_start(c, e->time_ns);
	buf_uleb(&b, c->n_samples - c->event_samples);
	buf_uleb(&b, e->kind);
	buf_zigzag(&b, (int64_t)(e->time_ns - c->event_ns));
	buf_uleb(&b, e->pid);
	buf_uleb(&b, e->tid);
	event_fields(&b, e);
	if (e->origin)
		buf_uleb(&b, e->origin);
	buf_sub(&c->events, &b);
	buf_deinit(&b);
	c->event_samples = c->n_samples;
	c->event_ns = e->time_ns;
	c->n_events++;
}

static void pack(struct parts *b, enum singe_column id, const uint8_t *p, size_t len)
{
	if (len)
		field_bytes(&b->raw, id, p, len);
}

void columns_pack(const struct columns *c, struct parts *ret)
{
	field_buf(&ret->raw, SINGE_COLUMN_CONTEXTS, &c->contexts);
	field_buf(&ret->raw, SINGE_COLUMN_EVENTS, &c->events);
	pack(ret, SINGE_COLUMN_SAMPLE_CONTEXT, c->context, (size_t)(c->context_p - c->context));
	pack(ret, SINGE_COLUMN_SAMPLE_PERIOD, c->period, (size_t)(c->period_p - c->period));
	parts_cut(ret);
	pack(ret, SINGE_COLUMN_TIME_HIGH, c->time_high, (size_t)(c->time_high_p - c->time_high));
	parts_cut(ret);
	pack(ret, SINGE_COLUMN_NODE_HIGH, c->node_high, (size_t)(c->node_high_p - c->node_high));
	parts_cut(ret);
	pack(ret, SINGE_COLUMN_TIME_LOW, c->time_low, c->n_samples);
	parts_cut(ret);
	pack(ret, SINGE_COLUMN_NODE_LOW, c->node_low, c->n_samples);
}
