/* In: a string by its address. Out: the number it got before. */
#include "symbol/namecache.h"

void namecache_deinit(struct namecache *c)
{
	table_deinit(&c->table);
	vec_deinit(&c->strings);
	vec_deinit(&c->ids);
}

bool namecache_find(const struct namecache *c, const char *s, uint32_t *ret)
{
	uint64_t hash = hash_u64((uintptr_t)s);

	for (struct table_probe p = table_probe(&c->table, hash); table_next(&c->table, &p);) {
		if (c->strings.v[p.value] == s) {
			*ret = c->ids.v[p.value];
			return true;
		}
	}
	return false;
}

void namecache_add(struct namecache *c, const char *s, uint32_t id)
{
	table_add(&c->table, hash_u64((uintptr_t)s), (uint32_t)c->ids.n);
	vec_push(&c->strings, s);
	vec_push(&c->ids, id);
}
