/* In: a sample as the kernel wrote it, in the order of perf_event_open(2). Out: the fields of a raw
 * sample; those that nothing here needs are stepped over by their length. */
#include "perf/recordsample.h"

/* Fields of a fixed size, up to the period. */
static void parse_sample_head(const struct record_layout *l, struct cursor *c, struct raw_event *ev)
{
	uint64_t type = l->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		ev->id = cursor_u64(c);
	if (type & PERF_SAMPLE_IP)
		ev->sample.ip = cursor_u64(c);
	if (type & PERF_SAMPLE_TID)
		record_tid(c, ev);
	if (type & PERF_SAMPLE_TIME)
		ev->time_ns = cursor_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		record_skip_words(c, 1);
	if (type & PERF_SAMPLE_ID)
		ev->id = cursor_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		record_skip_words(c, 1);
	if (type & PERF_SAMPLE_CPU)
		record_cpu(c, ev);
	if (type & PERF_SAMPLE_PERIOD)
		ev->sample.period = cursor_u64(c);
}

/* struct read_format of perf_event_open(2). */
static void parse_read(const struct record_layout *l, struct cursor *c, struct raw_read *ret)
{
	uint64_t f = l->read_format;
	uint8_t times = (uint8_t)__builtin_popcountll(
		f & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint8_t value =
		(uint8_t)(1 + __builtin_popcountll(f & (PERF_FORMAT_ID | PERF_FORMAT_LOST)));
	struct raw_read read = { .n = 1, .stride = value, .id_at = 1 };

	if (f & PERF_FORMAT_GROUP) {
		uint64_t n = cursor_u64(c);

		record_skip_words(c, times);
		if (n > cursor_left(c) / 8) {
			c->failed = true;
			return;
		}
		read.n = (uint32_t)n;
	} else {
		read.stride = (uint8_t)(value + times);
		read.id_at = (uint8_t)(1 + times);
	}
	read.words = record_words(c, (uint64_t)read.n * read.stride);
	if (!c->failed && f & PERF_FORMAT_ID)
		*ret = read;
}

static void parse_chain(struct cursor *c, struct raw_sample *s)
{
	uint64_t n = cursor_u64(c);

	s->chain = record_words(c, n);
	s->n_chain = c->failed ? 0 : (uint32_t)n;
}

static void parse_regs(struct cursor *c, uint64_t mask, uint8_t n, struct raw_sample *s)
{
	s->regs_abi = cursor_u64(c);
	if (!s->regs_abi)
		return;
	s->regs_mask = mask;
	s->regs = record_words(c, n);
}

/* Without a stack to copy (a kernel thread) the size is 0 and nothing follows it. */
static void parse_stack(struct cursor *c, struct raw_sample *s)
{
	s->stack_asked = cursor_u64(c);
	if (!s->stack_asked)
		return;
	s->stack = cursor_bytes(c, s->stack_asked);
	s->stack_len = cursor_u64(c);
	if (s->stack_len > s->stack_asked)
		c->failed = true;
}

/* Everything after the branch stack. */
static void parse_sample_tail(const struct record_layout *l, struct cursor *c, struct raw_event *ev)
{
	uint64_t type = l->sample_type;
	struct raw_sample intr = { 0 };

	if (type & PERF_SAMPLE_REGS_USER)
		parse_regs(c, l->sample_regs_user, l->n_regs_user, &ev->sample);
	if (type & PERF_SAMPLE_STACK_USER)
		parse_stack(c, &ev->sample);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		record_skip_words(c, 1);
	if (type & PERF_SAMPLE_DATA_SRC)
		record_skip_words(c, 1);
	if (type & PERF_SAMPLE_TRANSACTION)
		record_skip_words(c, 1);
	if (type & PERF_SAMPLE_REGS_INTR)
		parse_regs(c, l->sample_regs_intr, l->n_regs_intr, &intr);
	record_skip_words(c, l->n_addresses);
	if (type & PERF_SAMPLE_AUX)
		cursor_skip(c, cursor_u64(c));
}

static void parse_branches(struct cursor *c, uint64_t n, struct raw_sample *s)
{
	enum { WORDS = 3 }; /* struct perf_branch_entry */

	s->branches = record_words(c, n * WORDS);
	s->n_branches = c->failed ? 0 : (uint32_t)n;
}

/* perf_output_sample() in kernel/events/core.c writes a number of branches, then hw_idx, the
 * branches, their counters; but where the event has no branches at all, the number 0 alone. Only
 * the length of the record tells that from hw_idx and no branch. */
static void parse_branches_and_tail(const struct record_layout *l, struct cursor *c,
				    struct raw_event *ev)
{
	uint64_t n = cursor_u64(c);
	bool has_index = l->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;

	if (!n && has_index) {
		struct cursor with_index = *c;
		struct raw_event parsed = *ev;

		record_skip_words(&with_index, 1);
		parse_sample_tail(l, &with_index, &parsed);
		if (!with_index.failed && !cursor_left(&with_index)) {
			*c = with_index;
			*ev = parsed;
			return;
		}
	} else {
		record_skip_words(c, has_index);
		if (n > cursor_left(c) / 8)
			c->failed = true;
		else
			parse_branches(c, n, &ev->sample);
		if (l->branch_sample_type & RECORD_BRANCH_COUNTERS)
			record_skip_words(c, n);
	}
	parse_sample_tail(l, c, ev);
}

void record_sample(const struct record_layout *l, struct cursor *c, struct raw_event *ev)
{
	uint64_t type = l->sample_type;

	ev->kind = RAW_SAMPLE;
	parse_sample_head(l, c, ev);
	if (type & PERF_SAMPLE_READ)
		parse_read(l, c, &ev->sample.read);
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(c, &ev->sample);
	if (type & PERF_SAMPLE_RAW)
		cursor_skip(c, cursor_u32(c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		parse_branches_and_tail(l, c, ev);
	else
		parse_sample_tail(l, c, ev);
}
