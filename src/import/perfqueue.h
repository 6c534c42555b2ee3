/* Records put into the order of their time. Each is copied, once; memory goes with what waits, and
 * is taken again for what comes after. */
#ifndef IMPORT_PERFQUEUE_H
#define IMPORT_PERFQUEUE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct perfqueue_entry {
	uint64_t time;
	uint64_t offset; /* of the record in the file, for messages */
	struct perf_event_header *record;
	uint32_t chunk;
};

struct perfqueue_chunk {
	uint8_t *bytes; /* owned */
	size_t len;
	uint32_t n; /* records in it that wait */
};

struct perfqueue {
	VEC(struct perfqueue_entry) entries, scratch;
	VEC(struct perfqueue_chunk) chunks;
	uint32_t filling; /* the chunk that records go to */
	size_t sorted;    /* how many entries are: a prefix */
	size_t taken;     /* how many of the prefix are given out */
	uint64_t bytes;   /* of records that wait */
};

void perfqueue_deinit(struct perfqueue *q);
/* A copy of the record, which begins with a header of the same size, aligned. Valid until the next
 * call, unless that is perfqueue_add(). */
struct perf_event_header *perfqueue_copy(struct perfqueue *q, const uint8_t *record, uint16_t size);
/* What perfqueue_copy() returned last waits for its turn. */
void perfqueue_add(struct perfqueue *q, struct perf_event_header *h, uint64_t time,
		   uint64_t offset);
/* Sorts what is there; of equal times what came first stays first. To be called before taking, and
 * not while perfqueue_take() still gives something. */
void perfqueue_sort(struct perfqueue *q);
/* The earliest record not later than `limit`; NULL if there is none. Valid, and the caller's to
 * write to, until the next call to any of these. */
struct perf_event_header *perfqueue_take(struct perfqueue *q, uint64_t limit, uint64_t *ret_offset);

#endif
