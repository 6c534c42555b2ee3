/* In: values of counters. Out: what they grew by. */
#include "import/perfreads.h"

void perfreads_deinit(struct perfreads *r)
{
	table_deinit(&r->table);
	vec_deinit(&r->entries);
}

uint64_t perfreads_since(struct perfreads *r, uint64_t id, uint32_t tid, uint64_t value)
{
	uint64_t hash = hash_pair(id, tid);

	for (struct table_probe p = table_probe(&r->table, hash); table_next(&r->table, &p);) {
		struct perfreads_entry *e = &r->entries.v[p.value];
		uint64_t before = e->value;

		if (e->id != id || e->tid != tid)
			continue;
		e->value = value;
		return value < before ? value : value - before;
	}
	table_add(&r->table, hash, (uint32_t)r->entries.n);
	vec_push(&r->entries, ((struct perfreads_entry){ id, value, tid }));
	return value;
}
