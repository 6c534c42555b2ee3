/* The bytes of a perf.data file or stream, a window at a time, by their offset in the file. */
#ifndef IMPORT_PERFBYTES_H
#define IMPORT_PERFBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { PERFBYTES_WINDOW = 1 << 20 };

struct perfbytes {
	int fd;          /* the caller's */
	uint8_t *window; /* PERFBYTES_WINDOW bytes; owned */
	size_t at, len;  /* unread: [at, len) */
	uint64_t base;   /* offset in the file of window[0] */
	uint64_t end;    /* nothing is read from here on */
	bool eof;
};

/* Reads on from where `fd` stands, which is `offset` in the file. */
void perfbytes_init(struct perfbytes *b, int fd, uint64_t offset);
void perfbytes_deinit(struct perfbytes *b);

static inline uint64_t perfbytes_offset(const struct perfbytes *b)
{
	return b->base + b->at;
}

/* At least `want` (at most the window) unread bytes, or all there are: how many in `ret_len`. The
 * view is valid until the next call. Consumes nothing. */
ERR_CHECK struct err *perfbytes_peek(struct perfbytes *b, size_t want, const uint8_t **ret,
				     size_t *ret_len);
/* `len` of the bytes just peeked at. */
static inline void perfbytes_take(struct perfbytes *b, size_t len)
{
	b->at += len;
}

/* Over any distance; false if the file ends before. */
ERR_CHECK struct err *perfbytes_skip(struct perfbytes *b, uint64_t len, bool *ret);

#endif
