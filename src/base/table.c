/* In: hashes and indices. Out: a table at most three quarters full. */
#include "base/table.h"

#include <stdlib.h>

#include "base/alloc.h"

static void table_insert(struct table *t, struct table_slot slot)
{
	uint32_t at = slot.tag & t->mask;

	while (t->slots[at].value != UINT32_MAX)
		at = (at + 1) & t->mask;
	t->slots[at] = slot;
}

static void table_grow(struct table *t)
{
	struct table_slot *old = t->slots;
	uint32_t n_old = old ? t->mask + 1 : 0;
	uint32_t n_new = n_old ? n_old * 2 : 16;

	t->slots = xreallocarray(NULL, n_new, sizeof(*t->slots));
	memset(t->slots, 0xff, n_new * sizeof(*t->slots));
	t->mask = n_new - 1;
	for (uint32_t i = 0; i < n_old; i++) {
		if (old[i].value != UINT32_MAX)
			table_insert(t, old[i]);
	}
	free(old);
}

void table_add(struct table *t, uint64_t hash, uint32_t value)
{
	if (!t->slots || t->n >= (t->mask + 1) / 4 * 3)
		table_grow(t);
	table_insert(t, (struct table_slot){ .tag = table_tag(hash), .value = value });
	t->n++;
}

void table_clear(struct table *t)
{
	if (t->slots)
		memset(t->slots, 0xff, ((size_t)t->mask + 1) * sizeof(*t->slots));
	t->n = 0;
}

void table_deinit(struct table *t)
{
	free(t->slots);
	*t = (struct table){ 0 };
}

uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0x9e3779b97f4a7c15ULL ^ len;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	uint64_t tail = 0;

	if (len)
		memcpy(&tail, p, len);
	return hash_u64(h ^ tail * 0xc4ceb9fe1a85ec53ULL);
}
