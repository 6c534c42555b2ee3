/* A growable byte buffer, the writing twin of the cursor. A zeroed struct is an empty buffer. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"

struct buf {
	uint8_t *data;
	size_t len;
	size_t cap;
};

/* Room for `more` bytes after buf->len, which the caller may write before adding to len. */
void buf_grow(struct buf *b, size_t more);
void buf_deinit(struct buf *b);
/* Appends what a file has from `off` on, `len` bytes at most: less only at its end. False with
 * errno if it cannot be read; what came before is kept. */
bool buf_read_at(struct buf *b, int fd, uint64_t off, size_t len);

static inline void buf_room(struct buf *b, size_t more)
{
	if (b->cap - b->len < more)
		buf_grow(b, more);
}

static inline void buf_bytes(struct buf *b, const void *p, size_t len)
{
	buf_room(b, len);
	if (len)
		memcpy(b->data + b->len, p, len);
	b->len += len;
}

static inline void buf_u8(struct buf *b, uint8_t v)
{
	buf_bytes(b, &v, sizeof(v));
}

static inline void buf_u16(struct buf *b, uint16_t v)
{
	buf_bytes(b, &v, sizeof(v));
}

static inline void buf_u32(struct buf *b, uint32_t v)
{
	buf_bytes(b, &v, sizeof(v));
}

static inline void buf_u64(struct buf *b, uint64_t v)
{
	buf_bytes(b, &v, sizeof(v));
}

static inline void buf_uleb(struct buf *b, uint64_t v)
{
	buf_room(b, 10);
	while (v >= 0x80) {
		b->data[b->len++] = (uint8_t)v | 0x80;
		v >>= 7;
	}
	b->data[b->len++] = (uint8_t)v;
}

static inline void buf_zigzag(struct buf *b, int64_t v)
{
	buf_uleb(b, zigzag_encode(v));
}

/* With its NUL: read back with cursor_cstr(). */
static inline void buf_cstr(struct buf *b, const char *s)
{
	buf_bytes(b, s, strlen(s) + 1);
}

/* A uleb length and the bytes: read back with cursor_sub(). */
static inline void buf_sub(struct buf *b, const struct buf *sub)
{
	buf_uleb(b, sub->len);
	buf_bytes(b, sub->data, sub->len);
}

#endif
