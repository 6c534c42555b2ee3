/* In: the data of a perf.data file. Out: records. */
#include "import/perfrecords.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "import/perftypes.h"

void perfrecords_init(struct perfrecords *r, int fd, uint64_t offset, uint64_t end, bool swap)
{
	*r = (struct perfrecords){ .swap = swap };
	perfbytes_init(&r->bytes, fd, offset);
	r->bytes.end = end;
}

void perfrecords_deinit(struct perfrecords *r)
{
	perfbytes_deinit(&r->bytes);
	perfzstd_destroy(r->zstd);
	buf_deinit(&r->inner);
}

static struct perf_event_header header_at(const struct perfrecords *r, const uint8_t *p)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	if (r->swap)
		perfswap_header(&h);
	return h;
}

/* A whole record of what has been expanded; the start of one waits for the rest. */
static struct err *next_expanded(struct perfrecords *r, struct perfrecord *ret)
{
	size_t left = r->inner.len - r->inner_at;

	if (left < sizeof(struct perf_event_header))
		return NULL;
	const uint8_t *p = r->inner.data + r->inner_at;
	struct perf_event_header h = header_at(r, p);

	if (h.size < sizeof(h))
		return err_at(r->inner_offset, "a compressed record of %u bytes", h.size);
	if (h.size > left)
		return NULL;
	r->inner_at += h.size;
	*ret = (struct perfrecord){ h, p, r->inner_offset };
	return NULL;
}

static struct err *next_inner(struct perfrecords *r, struct perfrecord *ret)
{
	while (r->in_inner) {
		TRY(next_expanded(r, ret));
		if (ret->bytes)
			return NULL;
		size_t left = r->inner.len - r->inner_at;

		if (left)
			memmove(r->inner.data, r->inner.data + r->inner_at, left);
		r->inner.len = left;
		r->inner_at = 0;
		size_t before = r->inner.len;
		struct err *err = perfzstd_read(r->zstd, &r->inner, &r->in_inner);

		if (err) {
			uint64_t offset = r->inner_offset;
			_cleanup_err_ struct err *inner = err;

			r->in_inner = false;
			return err_at(offset, "%s", err_msg(inner));
		}
		if (r->inner.len > before)
			r->in_inner = true;
	}
	return NULL;
}

/* COMPRESSED is {header, bytes}; COMPRESSED2 {header, u64 how many, bytes, padding}, whose header's
 * size wraps where it does not fit 16 bits (tools/perf/util/session.c). */
static struct err *begin_inner(struct perfrecords *r, const struct perfrecord *rec, uint64_t *ret)
{
	size_t at = sizeof(rec->h);
	uint64_t len = rec->h.size - at;

	*ret = rec->h.size;
	if (rec->h.type == PERFDATA_COMPRESSED2) {
		struct perf_cursor c = { cursor(rec->bytes + at, len), r->swap };

		len = perf_cursor_u64(&c);
		at += 8;
		if (c.c.failed || len > PERFBYTES_WINDOW - 64)
			return err_at(rec->offset, "a compressed record that makes no sense");
		*ret = (at + len + 7) & ~UINT64_C(7);
		if (*ret < rec->h.size)
			*ret = rec->h.size;
	}
	if (!r->zstd)
		TRY(perfzstd_create(&r->zstd));
	return NULL;
}

static struct err *cut_off(uint64_t offset)
{
	return err_at(offset, "the file is cut off in a record");
}

/* How many bytes of no record follow: what AUXTRACE and TRACING_DATA announce. */
static uint64_t payload(const struct perfrecords *r, const struct perfrecord *rec)
{
	struct perf_cursor c = { cursor(rec->bytes + sizeof(rec->h), rec->h.size - sizeof(rec->h)),
				 r->swap };

	if (rec->h.type == PERFDATA_AUXTRACE)
		return perf_cursor_u64(&c);
	if (rec->h.type == PERFDATA_TRACING_DATA)
		return ((uint64_t)perf_cursor_u32(&c) + 7) & ~UINT64_C(7);
	return 0;
}

/* The record stays in the window: it is taken, not moved. */
static struct err *finish(struct perfrecords *r, struct perfrecord *ret, size_t have)
{
	uint64_t len = ret->h.size;

	if (ret->h.type != PERFDATA_COMPRESSED && ret->h.type != PERFDATA_COMPRESSED2) {
		perfbytes_take(&r->bytes, len);
		return NULL;
	}
	TRY(begin_inner(r, ret, &len));
	if (have < len) {
		TRY(perfbytes_peek(&r->bytes, len, &ret->bytes, &have));
		if (have < len)
			return cut_off(ret->offset);
	}
	struct perf_cursor c = { cursor(ret->bytes + sizeof(ret->h), len - sizeof(ret->h)),
				 r->swap };
	uint64_t n = cursor_left(&c.c);

	if (ret->h.type == PERFDATA_COMPRESSED2)
		n = perf_cursor_u64(&c);
	perfzstd_feed(r->zstd, c.c.p, n);
	r->in_inner = true;
	r->inner_offset = ret->offset;
	perfbytes_take(&r->bytes, len);
	return NULL;
}

struct err *perfrecords_next(struct perfrecords *r, struct perfrecord *ret)
{
	const uint8_t *p;
	size_t have;

	*ret = (struct perfrecord){ 0 };
	TRY(next_inner(r, ret));
	if (ret->bytes)
		return NULL;
	TRY(perfbytes_peek(&r->bytes, sizeof(ret->h), &p, &have));
	uint64_t offset = perfbytes_offset(&r->bytes);

	if (!have)
		return NULL;
	if (have < sizeof(ret->h))
		return cut_off(offset);
	struct perf_event_header h = header_at(r, p);

	if (h.size < sizeof(h))
		return err_at(offset, "a record of %u bytes", h.size);
	TRY(perfbytes_peek(&r->bytes, h.size, &p, &have));
	if (have < h.size)
		return cut_off(offset);
	*ret = (struct perfrecord){ h, p, offset };
	return finish(r, ret, have);
}

struct err *perfrecords_skip_payload(struct perfrecords *r, const struct perfrecord *rec)
{
	uint64_t len = payload(r, rec);
	bool all = true;

	if (len)
		TRY(perfbytes_skip(&r->bytes, len, &all));
	return all ? NULL : cut_off(rec->offset);
}
