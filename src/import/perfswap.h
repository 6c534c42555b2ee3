/* Byte order of a perf.data file: records of the other order are turned in place, into what the
 * kernel of this machine would have written; everything else is read through a cursor that knows.
 */
#ifndef IMPORT_PERFSWAP_H
#define IMPORT_PERFSWAP_H

#include <byteswap.h>

#include "base/cursor.h"
#include "perf/record.h"

/* Types from here on are perf(1)'s own (tools/lib/perf/include/perf/event.h). */
enum { PERFDATA_FIRST_USER_TYPE = 64 };

struct perf_cursor {
	struct cursor c;
	bool swap;
};

static inline uint32_t perf_cursor_u32(struct perf_cursor *p)
{
	uint32_t v = cursor_u32(&p->c);

	return p->swap ? bswap_32(v) : v;
}

static inline uint64_t perf_cursor_u64(struct perf_cursor *p)
{
	uint64_t v = cursor_u64(&p->c);

	return p->swap ? bswap_64(v) : v;
}

/* A u32 length and that many bytes, which hold a NUL-terminated string. NULL if they do not. */
const char *perf_cursor_str(struct perf_cursor *p);

void perfswap_header(struct perf_event_header *h);
/* `len` bytes as a file has them; what is longer than this build's struct is left out, what is
 * shorter is 0. */
void perfswap_attr(const uint8_t *bytes, size_t len, bool swap, struct perf_event_attr *ret);
/* The body of a record of the kernel's, whose header is turned already, of at least 8 bytes. What
 * does not fit stays as it is, for record_parse() to refuse. Bytes of a copied stack and raw data
 * stay as they are too. */
void perfswap_record(const struct record_layout *l, struct perf_event_header *h);

#endif
