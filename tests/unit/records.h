/* Records for tests, written field by field. Every value is recognisable. */
#ifndef TESTS_UNIT_RECORDS_H
#define TESTS_UNIT_RECORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "perf/record.h"

enum { PID = 11, TID = 12, CPU = 3, PPID = 21, PTID = 22 };

#define ID 0x1111111111111111ULL
#define IP 0x2222222222222222ULL
#define TIME 0x3333333333333333ULL
#define PERIOD 0x4444444444444444ULL
#define OTHER 0x5555555555555555ULL

static inline void words(struct buf *b, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		buf_u64(b, OTHER + i);
}

static inline void begin(struct buf *b, uint32_t type, uint16_t misc)
{
	buf_u32(b, type);
	buf_u16(b, misc);
	buf_u16(b, 0);
}

/* Enters the length; the record is now whole. */
static inline struct perf_event_header *end(struct buf *b)
{
	struct perf_event_header *h = (struct perf_event_header *)b->data;

	assert_int_equal(b->len % 8, 0);
	h->size = (uint16_t)b->len;
	return h;
}

static inline void put_tid(struct buf *b)
{
	buf_u32(b, PID);
	buf_u32(b, TID);
}

static inline void put_cpu(struct buf *b)
{
	buf_u32(b, CPU);
	buf_u32(b, 0xffffffff);
}

/* Every shorter record is refused; each in memory of its own, so that a read past it is seen. */
static inline void assert_short_ones_refused(const struct record_layout *l, const struct buf *b)
{
	for (size_t len = 8; len < b->len; len += 8) {
		struct perf_event_header *h = xmemdup(b->data, len);
		struct raw_event ev = { .pid = 4711 };

		h->size = (uint16_t)len;
		record_time(l, h);
		struct err *err = record_parse(l, h, &ev);

		assert_non_null(err);
		assert_int_equal(ev.pid, 4711);
		err_destroy(err);
		free(h);
	}
}

static inline uint64_t when(uint64_t type, uint64_t bits, uint64_t value)
{
	return type & bits ? value : 0;
}

#endif
