/* In: what a place was from when on. Out: what it was at a time. */
#include "sample/codetimes.h"

void codetimes_deinit(struct codetimes *c)
{
	vec_deinit(&c->entries);
	vec_deinit(&c->times);
	table_deinit(&c->table);
}

static struct codetimes_entry *find(const struct codetimes *c, uint32_t binary, uint64_t off)
{
	for (struct table_probe p = table_probe(&c->table, hash_pair(off, binary));
	     table_next(&c->table, &p);) {
		struct codetimes_entry *e = &c->entries.v[p.value];

		if (e->off == off && e->binary == binary)
			return e;
	}
	return NULL;
}

const struct codetimes_entry *codetimes_find(const struct codetimes *c, uint32_t binary,
					     uint64_t off)
{
	return find(c, binary, off);
}

void codetimes_set(struct codetimes *c, uint32_t binary, uint64_t off, const struct codetime *times,
		   uint32_t n)
{
	struct codetimes_entry *e = find(c, binary, off);

	if (!e) {
		table_add(&c->table, hash_pair(off, binary), (uint32_t)c->entries.n);
		vec_push(&c->entries, ((struct codetimes_entry){ .off = off, .binary = binary }));
		e = &c->entries.v[c->entries.n - 1];
	}
	e->first = (uint32_t)c->times.n;
	e->n = n;
	for (uint32_t i = 0; i < n; i++)
		vec_push(&c->times, times[i]);
}

uint32_t codetimes_at(const struct codetimes *c, uint32_t binary, uint64_t off, uint64_t time_ns)
{
	const struct codetimes_entry *e = find(c, binary, off);

	if (!e)
		return binary;
	const struct codetime *times = &c->times.v[e->first];
	uint32_t lo = 0, hi = e->n; /* the first that is later lies in [lo, hi] */

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (times[mid].from_ns <= time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? times[lo - 1].binary : binary;
}
