/* Open-addressing hash table from a 64-bit hash to a u32 (an index into the caller's array). The
 * caller compares keys itself, so that a hash is never trusted:
 *
 *	for (struct table_probe p = table_probe(t, hash); table_next(t, &p);)
 *		if (items[p.value].key == key)
 *			return p.value;
 *	table_add(t, hash, n_items);
 *
 * No removal; table_clear() empties. A zeroed struct is an empty table. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct table_slot {
	uint32_t tag;   /* the hash folded to 32 bits; its low bits choose the slot */
	uint32_t value; /* UINT32_MAX: empty */
};

struct table {
	struct table_slot *slots;
	uint32_t mask;
	uint32_t n;
};

struct table_probe {
	uint32_t at;
	uint32_t tag;
	uint32_t value; /* valid after table_next() returned true */
};

/* value must not be UINT32_MAX. */
void table_add(struct table *t, uint64_t hash, uint32_t value);
void table_clear(struct table *t);
void table_deinit(struct table *t);

static inline uint32_t table_tag(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

static inline struct table_probe table_probe(const struct table *t, uint64_t hash)
{
	uint32_t tag = table_tag(hash);

	return (struct table_probe){ .at = tag & t->mask, .tag = tag };
}

/* Has the slot of `hash` fetched. */
static inline void table_prefetch(const struct table *t, uint64_t hash)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[table_tag(hash) & t->mask]);
}

/* Steps to the next entry whose hash agrees. */
static inline bool table_next(const struct table *t, struct table_probe *p)
{
	if (!t->slots)
		return false;
	for (;;) {
		const struct table_slot *s = &t->slots[p->at];

		if (s->value == UINT32_MAX)
			return false;
		p->at = (p->at + 1) & t->mask;
		if (s->tag == p->tag) {
			p->value = s->value;
			return true;
		}
	}
}

/* Mixing function: murmur3's 64-bit finalizer. Good in both halves. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	x ^= x >> 33;
	return x;
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_u64(a * 0x9e3779b97f4a7c15ULL + b);
}

uint64_t hash_bytes(const void *p, size_t len);

static inline uint64_t hash_str(const char *s)
{
	return hash_bytes(s, strlen(s));
}

#endif
