/* In: bytes and a number. Out: the number, for the same bytes. */
#include "import/textcache.h"

#include <string.h>

enum { CAPACITY = 64 << 20, LARGEST = 1 << 20, FIRST = 1 << 14 };

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t word_at(const char *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
	return w;
}

/* Four words a step in two lanes. The last step may overlap the one before. */
static uint64_t hash(const char *p, size_t len, uint64_t key)
{
	static const uint64_t k0 = 0xa0761d6478bd642fULL, k1 = 0xe7037ed1a0b428dbULL;
	uint64_t a = len ^ k0, b = key ^ k1;

	if (len < 32)
		return hash_pair(hash_bytes(p, len), key);
	for (const char *end = p + len - 32;; p = p + 32 < end ? p + 32 : end) {
		a = fold(a ^ word_at(p), word_at(p + 8) ^ k1);
		b = fold(b ^ word_at(p + 16), word_at(p + 24) ^ k0);
		if (p == end)
			break;
	}
	return fold(a ^ k1, b ^ k0);
}

void textcache_deinit(struct textcache *c)
{
	table_deinit(&c->table);
	vec_deinit(&c->entries);
	free(c->bytes);
}

bool textcache_find(const struct textcache *c, const char *p, size_t len, uint64_t key,
		    uint64_t *ret)
{
	uint64_t h = hash(p, len, key);

	for (struct table_probe t = table_probe(&c->table, h); table_next(&c->table, &t);) {
		const struct textcache_entry *e = &c->entries.v[t.value];

		if (e->len == len && e->key == key && !memcmp(c->bytes + e->at, p, len)) {
			*ret = e->value;
			return true;
		}
	}
	return false;
}

void textcache_add(struct textcache *c, const char *p, size_t len, uint64_t key, uint64_t value)
{
	if (len > LARGEST)
		return;
	if (len > CAPACITY - c->len) {
		table_clear(&c->table);
		c->entries.n = 0;
		c->len = 0;
	}
	if (len > c->cap - c->len) {
		size_t cap = c->cap ? c->cap : FIRST;

		while (cap < c->len + len)
			cap *= 2;
		c->bytes = xrealloc(c->bytes, cap);
		c->cap = cap;
	}
	table_add(&c->table, hash(p, len, key), (uint32_t)c->entries.n);
	vec_push(&c->entries, ((struct textcache_entry){ c->len, len, key, value }));
	memcpy(c->bytes + c->len, p, len);
	c->len += len;
}
