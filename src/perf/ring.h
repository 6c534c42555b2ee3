/* One mmap ring of perf events (perf_event_open(2), "MMAP layout"): the kernel writes at
 * data_head, we read from data_tail. Records are taken in place; one that wraps around the end is
 * copied to a scratch buffer. Nothing in a record is trusted before perf/record.h checked it. */
#ifndef PERF_RING_H
#define PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "base/err.h"

struct ring {
	void *map; /* struct perf_event_mmap_page, then the data */
	uint8_t *data;
	uint64_t size; /* bytes of data, a power of two */
	uint64_t tail; /* where we are; ahead of the published data_tail */
	uint64_t head; /* how far the kernel was at the last ring_refresh() */
	uint64_t published;
	uint64_t looked_up; /* ring_look_up() went as far as records that begin before this */
	size_t map_len;     /* bytes to unmap; 0: the memory is the caller's */
	uint64_t n_damaged; /* times the data made no sense and the rest was skipped */
	uint8_t *scratch;   /* 64 KiB, made at the first wrap */
};

/* `pages` must be a power of two. The error keeps errno (EPERM: mlock limit). */
ERR_CHECK struct err *ring_init(struct ring *r, int fd, size_t pages);
/* For tests and replay: reads `len` bytes (a power of two) of literal ring data up to `head`. */
void ring_init_literal(struct ring *r, void *page, uint8_t *data, uint64_t len);
void ring_deinit(struct ring *r);

/* Reads data_head (acquire). Returns bytes waiting. */
uint64_t ring_refresh(struct ring *r);
/* Publishes data_tail now. */
void ring_publish(struct ring *r);

/* For ring_peek(): a record that wraps, or none, or damage. */
const struct perf_event_header *ring_peek_slow(struct ring *r);

/* The record at tail, whole and contiguous, or NULL if none is before head. Its `size` is a
 * multiple of 8, at least the header's, and lies before head. Valid until ring_publish(). */
static inline const struct perf_event_header *ring_peek(struct ring *r)
{
	uint64_t left = r->head - r->tail, at = r->tail & (r->size - 1);

	if (left < sizeof(struct perf_event_header))
		return ring_peek_slow(r);
	/* Head and tail are multiples of 8, so a header never wraps. */
	const struct perf_event_header *h = (const struct perf_event_header *)(r->data + at);

	if (h->size < sizeof(*h) || (h->size & 7) || h->size > left || at + h->size > r->size)
		return ring_peek_slow(r);
	return h;
}

/* Goes past the record last peeked, whose bytes stay until the next ring_publish(). Between two of
 * those at most one record wraps, so its copy stays too. */
static inline void ring_consume(struct ring *r, const struct perf_event_header *h)
{
	r->tail += h->size;
}

/* For ring_prefetch(): has the pages of the records after `h` looked up. */
void ring_look_up(struct ring *r, const struct perf_event_header *h);

/* Has what comes some records after `h` fetched, as much as `h` is long but no more than its first
 * lines: the kernel wrote it on another CPU, or long ago, and to wait for each line would be most
 * of what a sample costs. */
static inline void ring_prefetch(struct ring *r, const struct perf_event_header *h)
{
	enum { AHEAD = 4096, LEN = 256, LINE = 64 };
	uint64_t at = r->tail + h->size, end = at + LEN;

	if (h->size < LEN) {
		end = r->tail + AHEAD + h->size;
		at = (end - h->size + LINE - 1) & ~(uint64_t)(LINE - 1); /* the rest of a line
									    is here already */
	}
	if (h->size >= AHEAD && r->tail >= r->looked_up)
		ring_look_up(r, h);
	for (; at < end; at += LINE)
		__builtin_prefetch(r->data + (at & (r->size - 1)));
}

#endif
