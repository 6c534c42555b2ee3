/* In: foreign bytes. Out: numbers and views, or `failed`. */
#include "base/cursor.h"

uint64_t cursor_uleb_slow(struct cursor *c)
{
	uint64_t v = 0;

	c->prev = c->p;
	if (c->failed)
		return 0;
	for (unsigned int shift = 0; c->p < c->end; shift += 7) {
		uint8_t byte = *c->p++;

		if (shift > 63 || (shift == 63 && (byte & 0x7e)))
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	c->p = c->prev;
	c->failed = true;
	return 0;
}

int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(c);
		if (shift < 64) {
			v |= (uint64_t)(byte & 0x7f) << shift;
			shift += 7;
		}
	} while (byte & 0x80 && !c->failed);
	if (shift < 64 && byte & 0x40)
		v |= ~0ULL << shift;
	return (int64_t)v;
}

const char *cursor_cstr(struct cursor *c)
{
	const uint8_t *nul = c->failed ? NULL : memchr(c->p, 0, cursor_left(c));

	c->prev = c->p;
	if (!nul) {
		c->failed = true;
		return NULL;
	}
	c->p = nul + 1;
	return (const char *)c->prev;
}

struct cursor cursor_sub(struct cursor *c)
{
	uint64_t len = cursor_uleb(c);
	const uint8_t *p = cursor_bytes(c, len);

	if (p)
		return cursor(p, len);
	return (struct cursor){
		.begin = c->p, .p = c->p, .end = c->p, .prev = c->p, .failed = true
	};
}
