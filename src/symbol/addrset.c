/* In: addresses, and which are done. Out: those that are not. */
#include "symbol/addrset.h"

#include <stdlib.h>

#include "base/alloc.h"

void addrset_init(struct addrset *s, const uint64_t *addrs, size_t n)
{
	*s = (struct addrset){ .addrs = addrs, .n = n };
	s->next = xreallocarray(NULL, n + 1, sizeof(*s->next));
	for (size_t i = 0; i <= n; i++)
		s->next[i] = i;
}

void addrset_deinit(struct addrset *s)
{
	free(s->next);
}

/* The first in the set from index i on; halves the way for who comes next. */
static size_t first_from(struct addrset *s, size_t i)
{
	while (s->next[i] != i) {
		s->next[i] = s->next[s->next[i]];
		i = s->next[i];
	}
	return i;
}

size_t addrset_first(struct addrset *s, uint64_t at)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->addrs[mid] < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return first_from(s, lo);
}

size_t addrset_next(struct addrset *s, size_t i)
{
	return first_from(s, i + 1);
}

void addrset_take(struct addrset *s, size_t i)
{
	s->next[i] = i + 1;
}
