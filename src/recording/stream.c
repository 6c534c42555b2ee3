/* In: columns of a block. Out: samples and process events in the dataset's numbers. */
#include "recording/stream.h"

#include <string.h>

#include "base/alloc.h"
#include "recording/fields.h"
#include "singe/recording.h"

/* Events made up when HEADER was lost. */
enum { LOST_EVENTS_MAX = 64 };

void stream_init(struct stream *s, struct dataset *data)
{
	*s = (struct stream){ 0 };
	dict_init(&s->dict, data);
}

static void stream_clear(struct stream *s)
{
	for (size_t i = 0; i < s->comms.n; i++)
		free(s->comms.v[i]);
	s->stacks.n = s->words.n = 0;
	s->comms.n = s->samples.n = s->events.n = s->contexts.n = 0;
}

void stream_deinit(struct stream *s)
{
	stream_clear(s);
	dict_deinit(&s->dict);
	vec_deinit(&s->contexts);
	vec_deinit(&s->samples);
	vec_deinit(&s->events);
	vec_deinit(&s->comms);
	vec_deinit(&s->stacks);
	vec_deinit(&s->words);
}

struct stream_block {
	uint64_t restart, first_node, n_nodes, base_ns, n_samples, n_events;
	struct cursor columns[SINGE_N_COLUMNS];
};

static bool stream_split(struct stream *s, struct cursor c, struct stream_block *b)
{
	uint64_t id;
	struct cursor v;

	*b = (struct stream_block){ 0 };
	b->restart = cursor_uleb(&c);
	b->first_node = cursor_uleb(&c);
	b->n_nodes = cursor_uleb(&c);
	b->base_ns = cursor_uleb(&c);
	b->n_samples = cursor_uleb(&c);
	b->n_events = cursor_uleb(&c);
	while (field_next(&c, &id, &v)) {
		if (id && id < SINGE_N_COLUMNS)
			b->columns[id] = v;
		else
			newer_add(&s->newer, NEWER_COLUMN, id);
	}
	return !c.failed;
}

static bool stream_event_known(struct stream *s, uint64_t event)
{
	struct dataset *data = s->dict.data;

	if (event < data->events.n)
		return true;
	if (!s->header_lost || event >= LOST_EVENTS_MAX)
		return false;
	while (data->events.n <= event)
		vec_push(&data->events, ((struct event_desc){ .name = xstrdup("[lost in file]"),
							      .unit = xstrdup("events") }));
	return true;
}

static bool stream_read_contexts(struct stream *s, const struct stream_block *b)
{
	struct cursor c = b->columns[SINGE_COLUMN_CONTEXTS];

	while (cursor_left(&c)) {
		uint64_t thread = cursor_uleb(&c);
		uint64_t cpu = cursor_uleb(&c);
		uint64_t event = cursor_uleb(&c);
		uint64_t interval_ns = cursor_uleb(&c);
		uint64_t period = cursor_uleb(&c);

		if (c.failed || cpu > UINT32_MAX || !stream_event_known(s, event))
			return false;
		vec_push(&s->contexts, ((struct stream_context){
					       .last_ns = b->base_ns - interval_ns,
					       .last_period = period,
					       .interval_ns = interval_ns,
					       .thread = dict_find_thread(&s->dict, thread),
					       .cpu = (uint32_t)cpu - 1,
					       .event = (uint32_t)event,
				       }));
	}
	return true;
}

struct sample_columns {
	struct cursor context, period, time_high, node_high;
	const uint8_t *time_low, *node_low;
};

/* False if a column is too short for this many samples. */
static bool sample_columns(struct stream_block *b, struct sample_columns *ret)
{
	*ret = (struct sample_columns){
		.context = b->columns[SINGE_COLUMN_SAMPLE_CONTEXT],
		.period = b->columns[SINGE_COLUMN_SAMPLE_PERIOD],
		.time_high = b->columns[SINGE_COLUMN_TIME_HIGH],
		.node_high = b->columns[SINGE_COLUMN_NODE_HIGH],
		.time_low = cursor_bytes(&b->columns[SINGE_COLUMN_TIME_LOW], b->n_samples),
		.node_low = cursor_bytes(&b->columns[SINGE_COLUMN_NODE_LOW], b->n_samples),
	};
	return ret->time_low && ret->node_low;
}

static bool stream_read_samples(struct stream *s, struct stream_block *b)
{
	struct sample_columns c;

	if (!b->n_samples)
		return true;
	if (!sample_columns(b, &c))
		return false;
	vec_reserve(&s->samples, b->n_samples);
	for (uint64_t i = 0; i < b->n_samples; i++) {
		uint64_t ref = cursor_uleb(&c.context);

		if (ref >> 1 >= s->contexts.n)
			return false;
		struct stream_context *x = &s->contexts.v[ref >> 1];
		uint64_t late = cursor_uleb(&c.time_high) << 8 | c.time_low[i];
		uint64_t node = cursor_uleb(&c.node_high) << 8 | c.node_low[i];

		x->last_ns += x->interval_ns + (uint64_t)zigzag_decode(late);
		if (ref & 1)
			x->last_period += (uint64_t)cursor_zigzag(&c.period);
		s->samples.v[i] = (struct sample){
			.time_ns = x->last_ns,
			.period = x->last_period,
			.thread = x->thread,
			.node = dict_node(&s->dict, node),
			.cpu = x->cpu,
			.event = x->event,
		};
	}
	s->samples.n = b->n_samples;
	return !c.context.failed && !c.period.failed && !c.time_high.failed && !c.node_high.failed;
}

static void stream_words(struct stream *s, struct cursor *c, uint64_t n)
{
	const uint8_t *bytes = n <= cursor_left(c) / 8 ? cursor_bytes(c, n * 8) : NULL;

	if (!bytes) {
		c->failed = true;
		return;
	}
	vec_reserve(&s->words, s->words.n + n);
	if (n)
		memcpy(s->words.v + s->words.n, bytes, n * 8);
	s->words.n += n;
}

static void stream_stack(struct stream *s, struct cursor *c, struct proc_event *e)
{
	struct raw_sample raw = { 0 };

	e->mode = (enum raw_mode)cursor_uleb(c);
	raw.ip = cursor_uleb(c);
	raw.regs_abi = cursor_uleb(c);
	raw.regs_mask = cursor_uleb(c);
	uint64_t n_chain = cursor_uleb(c);

	raw.stack_asked = cursor_uleb(c);
	raw.stack_len = cursor_uleb(c);
	stream_words(s, c, (uint64_t)__builtin_popcountll(raw.regs_mask));
	stream_words(s, c, n_chain);
	raw.n_chain = (uint32_t)n_chain;
	raw.stack = cursor_bytes(c, raw.stack_len);
	if (e->mode > RAW_MODE_GUEST)
		c->failed = true;
	vec_push(&s->stacks, raw);
}

/* Arrays have stopped moving: pointers into them can be given out. */
static void stream_place_stacks(struct stream *s)
{
	const uint64_t *words = s->words.v;
	size_t n = 0;

	for (size_t i = 0; i < s->events.n; i++) {
		struct proc_event *e = &s->events.v[i];

		if (e->kind != PROC_STACK)
			continue;
		struct raw_sample *raw = &s->stacks.v[n++];

		raw->regs = words;
		words += __builtin_popcountll(raw->regs_mask);
		raw->chain = words;
		words += raw->n_chain;
		e->stack = raw;
	}
}

/* The part of an event that depends on its kind. */
static void stream_event_fields(struct stream *s, struct cursor *c, struct proc_event *e)
{
	switch (e->kind) {
	case PROC_MMAP:
		e->binary = dict_find_binary(&s->dict, cursor_uleb(c));
		e->start = cursor_uleb(c);
		e->len = cursor_uleb(c);
		e->pgoff = cursor_uleb(c);
		return;
	case PROC_COMM: {
		e->exec = cursor_uleb(c);
		struct cursor comm = cursor_sub(c);

		vec_push(&s->comms, xstrndup((const char *)comm.p, cursor_left(&comm)));
		e->comm = s->comms.v[s->comms.n - 1];
		return;
	}
	case PROC_FORK:
		e->ppid = (uint32_t)cursor_uleb(c);
		return;
	case PROC_EXIT:
		return;
	case PROC_LOST:
		e->lost = cursor_uleb(c);
		return;
	case PROC_STACK:
		stream_stack(s, c, e);
		return;
	}
}

static bool stream_read_events(struct stream *s, struct stream_block *b)
{
	struct cursor c = b->columns[SINGE_COLUMN_EVENTS];
	uint64_t place = 0;
	uint64_t time_ns = b->base_ns;

	while (cursor_left(&c)) {
		struct cursor r = cursor_sub(&c);
		uint64_t samples = cursor_uleb(&r);
		uint64_t kind = cursor_uleb(&r);

		time_ns += (uint64_t)cursor_zigzag(&r);
		if (r.failed || samples > b->n_samples - place)
			return false;
		place += samples;
		if (kind > PROC_STACK) {
			newer_add(&s->newer, NEWER_EVENT, kind);
			continue;
		}
		struct proc_event e = {
			.kind = (enum proc_kind)kind,
			.time_ns = time_ns,
			.samples_before = (uint32_t)place,
		};

		e.pid = (uint32_t)cursor_uleb(&r);
		e.tid = (uint32_t)cursor_uleb(&r);
		stream_event_fields(s, &r, &e);
		if (cursor_left(&r))
			e.origin = (uint32_t)cursor_uleb(&r);
		if (r.failed)
			return false;
		vec_push(&s->events, e);
	}
	stream_place_stacks(s);
	return true;
}

static bool stream_read_body(struct stream *s, struct cursor body)
{
	struct stream_block b;

	if (!stream_split(s, body, &b))
		return false;
	struct node_columns nodes = {
		.parent = b.columns[SINGE_COLUMN_NODE_PARENT],
		.binary = b.columns[SINGE_COLUMN_NODE_BINARY],
		.off = b.columns[SINGE_COLUMN_NODE_OFF],
		.kind = b.columns[SINGE_COLUMN_NODE_KIND],
	};

	dict_restart(&s->dict, b.restart);
	return dict_read_binaries(&s->dict, b.columns[SINGE_COLUMN_BINARIES]) &&
	       dict_read_threads(&s->dict, b.columns[SINGE_COLUMN_THREADS]) &&
	       dict_read_nodes(&s->dict, b.first_node, b.n_nodes, nodes) &&
	       stream_read_contexts(s, &b) && stream_read_samples(s, &b) &&
	       stream_read_events(s, &b);
}

struct err *stream_read(struct stream *s, struct cursor body)
{
	struct newer before = s->newer;

	stream_clear(s);
	if (stream_read_body(s, body))
		return NULL;
	stream_clear(s);
	s->newer = before;
	return err_new("the contents of a block make no sense");
}
