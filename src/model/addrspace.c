/* In: mappings in the order in which they took effect. Out: the one that covers an address. */
#include "model/addrspace.h"

#include <string.h>

/* One counter for all address spaces. The world is driven from a single thread. */
static uint64_t last_generation;

void addrspace_init(struct addrspace *as)
{
	*as = (struct addrspace){ 0 };
}

void addrspace_deinit(struct addrspace *as)
{
	vec_deinit(&as->maps);
	as->generation = 0;
}

/* Index of the first mapping that ends after `avma`. */
static size_t addrspace_index(const struct addrspace *as, uint64_t avma)
{
	size_t lo = 0, hi = as->maps.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (as->maps.v[mid].end <= avma)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct mapping *addrspace_find(const struct addrspace *as, uint64_t avma)
{
	size_t i = addrspace_index(as, avma);

	if (i == as->maps.n || as->maps.v[i].start > avma)
		return NULL;
	return &as->maps.v[i];
}

static bool mapping_continues(const struct mapping *left, const struct mapping *right)
{
	return left->end == right->start && left->binary == right->binary &&
	       mapping_off(left, right->start) == right->pgoff;
}

/* Puts `n` mappings in the place of those from `first` up to `end`. */
static void addrspace_replace(struct addrspace *as, size_t first, size_t end,
			      const struct mapping *by, size_t n)
{
	size_t n_after = as->maps.n - end;

	vec_reserve(&as->maps, first + n + n_after);
	memmove(as->maps.v + first + n, as->maps.v + end, n_after * sizeof(*by));
	memcpy(as->maps.v + first, by, n * sizeof(*by));
	as->maps.n = first + n + n_after;
	as->generation = ++last_generation;
}

bool addrspace_map(struct addrspace *as, const struct mapping *m)
{
	size_t first = addrspace_index(as, m->start);
	size_t end = first;
	struct mapping by[3];
	size_t n = 0;

	while (end < as->maps.n && as->maps.v[end].start < m->end)
		end++;
	if (end == first + 1) {
		const struct mapping *have = &as->maps.v[first];

		if (have->start <= m->start && have->end >= m->end && have->binary == m->binary &&
		    mapping_off(have, m->start) == m->pgoff)
			return false;
	}
	/* A neighbour that the new one continues is taken in as if it were overlapped. */
	if (first && mapping_continues(&as->maps.v[first - 1], m))
		first--;
	if (end < as->maps.n && mapping_continues(m, &as->maps.v[end]))
		end++;
	if (first < end && as->maps.v[first].start < m->start) {
		by[n] = as->maps.v[first];
		by[n++].end = m->start;
	}
	by[n++] = *m;
	if (first < end && as->maps.v[end - 1].end > m->end) {
		const struct mapping *last = &as->maps.v[end - 1];

		by[n] = *last;
		by[n].pgoff = mapping_off(last, m->end);
		by[n++].start = m->end;
	}
	size_t kept = 1;

	for (size_t i = 1; i < n; i++) {
		if (mapping_continues(&by[kept - 1], &by[i]))
			by[kept - 1].end = by[i].end;
		else
			by[kept++] = by[i];
	}
	addrspace_replace(as, first, end, by, kept);
	return true;
}

bool addrspace_gap(const struct addrspace *as, const struct mapping *m, struct mapping *ret)
{
	uint64_t start = m->start;
	size_t i = addrspace_index(as, start);

	for (; i < as->maps.n && as->maps.v[i].start <= start; i++)
		start = as->maps.v[i].end;
	if (start >= m->end)
		return false;
	uint64_t end = m->end;

	if (i < as->maps.n && as->maps.v[i].start < end)
		end = as->maps.v[i].start;
	*ret = (struct mapping){
		.start = start,
		.end = end,
		.pgoff = mapping_off(m, start),
		.binary = m->binary,
	};
	return true;
}

bool addrspace_fill(struct addrspace *as, const struct mapping *m)
{
	struct mapping gap;
	bool changed = false;

	while (addrspace_gap(as, m, &gap)) {
		addrspace_map(as, &gap);
		changed = true;
	}
	return changed;
}

void addrspace_copy(struct addrspace *as, const struct addrspace *from)
{
	vec_reserve(&as->maps, from->maps.n);
	if (from->maps.n)
		memcpy(as->maps.v, from->maps.v, from->maps.n * sizeof(*from->maps.v));
	as->maps.n = from->maps.n;
	as->generation = from->generation;
}

void addrspace_clear(struct addrspace *as)
{
	as->maps.n = 0;
	as->generation = 0;
}
