/* The bounds-checked cursor through which all foreign bytes are read (files, rings, ELF, text).
 * A read past the end sets `failed`, yields zero and leaves the position alone, so a run of reads
 * may be checked once at its end. `prev` is where the last read began: errors name that offset.
 * Integers are little-endian; LEB128 as in the DWARF standard, section 7.6. Views returned point
 * into the caller's bytes and live as long as those. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *begin;
	const uint8_t *p;
	const uint8_t *end;
	const uint8_t *prev;
	bool failed;
};

static inline struct cursor cursor(const void *data, size_t len)
{
	const uint8_t *p = data;

	return (struct cursor){ .begin = p, .p = p, .end = p + len, .prev = p };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline size_t cursor_offset(const struct cursor *c)
{
	return (size_t)(c->p - c->begin);
}

static inline size_t cursor_prev_offset(const struct cursor *c)
{
	return (size_t)(c->prev - c->begin);
}

/* NULL (and failed) if fewer than `len` bytes are left. */
static inline const uint8_t *cursor_bytes(struct cursor *c, uint64_t len)
{
	c->prev = c->p;
	if (c->failed || len > cursor_left(c)) {
		c->failed = true;
		return NULL;
	}
	c->p += len;
	return c->prev;
}

static inline void cursor_skip(struct cursor *c, uint64_t len)
{
	cursor_bytes(c, len);
}

#define CURSOR_FIXED(name, type)                                                                   \
	static inline type cursor_##name(struct cursor *c)                                         \
	{                                                                                          \
		const uint8_t *p = cursor_bytes(c, sizeof(type));                                  \
		type v = 0;                                                                        \
                                                                                                   \
		if (p)                                                                             \
			memcpy(&v, p, sizeof(v));                                                  \
		return v;                                                                          \
	}
CURSOR_FIXED(u8, uint8_t)
CURSOR_FIXED(u16, uint16_t)
CURSOR_FIXED(u32, uint32_t)
CURSOR_FIXED(u64, uint64_t)
#undef CURSOR_FIXED

/* Unsigned LEB128; more than 64 bits of value, or a missing end, fails. */
uint64_t cursor_uleb_slow(struct cursor *c);

static inline uint64_t cursor_uleb(struct cursor *c)
{
	if (c->p < c->end && *c->p < 0x80 && !c->failed) {
		c->prev = c->p;
		return *c->p++;
	}
	return cursor_uleb_slow(c);
}

static inline int64_t zigzag_decode(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static inline uint64_t zigzag_encode(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

/* A signed number stored as zigzag in unsigned LEB128 (not DWARF's SLEB). */
static inline int64_t cursor_zigzag(struct cursor *c)
{
	return zigzag_decode(cursor_uleb(c));
}

/* Signed LEB128 as in the DWARF standard, section 7.6, of any length: what is beyond 64 bits is cut
 * off. */
int64_t cursor_sleb(struct cursor *c);

/* NUL-terminated string inside the bytes; NULL (and failed) if there is no NUL. */
const char *cursor_cstr(struct cursor *c);
/* A uleb length and that many bytes as a sub-cursor; an empty failed one if it does not fit. */
struct cursor cursor_sub(struct cursor *c);

#endif
