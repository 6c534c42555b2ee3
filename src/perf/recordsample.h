/* What perf/record.c and perf/recordsample.c share: the fields that samples and other records have
 * in common, and the part of record_parse() that takes a sample of any layout apart. */
#ifndef PERF_RECORDSAMPLE_H
#define PERF_RECORDSAMPLE_H

#include "base/cursor.h"
#include "perf/record.h"

/* A sample's fields after its header, into `ev`; `c->failed` where they do not fit. */
void record_sample(const struct record_layout *l, struct cursor *c, struct raw_event *ev);

/* How many of the 8-byte fields `mask` a sample or trailer has. */
static inline unsigned int record_n_fields(const struct record_layout *l, uint64_t mask)
{
	return (unsigned int)__builtin_popcountll(l->sample_type & mask);
}

/* `n` words in place. They are aligned if everything before them was a multiple of 8 bytes, which
 * only a damaged record breaks. */
static inline const uint64_t *record_words(struct cursor *c, uint64_t n)
{
	if (n > cursor_left(c) / 8 || (uintptr_t)c->p & 7)
		c->failed = true;
	return (const void *)cursor_bytes(c, c->failed ? 0 : n * 8);
}

static inline void record_skip_words(struct cursor *c, uint64_t n)
{
	record_words(c, n);
}

static inline void record_tid(struct cursor *c, struct raw_event *ev)
{
	ev->pid = cursor_u32(c);
	ev->tid = cursor_u32(c);
}

static inline void record_cpu(struct cursor *c, struct raw_event *ev)
{
	ev->cpu = cursor_u32(c);
	cursor_skip(c, 4);
}

#endif
