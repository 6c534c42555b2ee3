/* Ascending addresses that leave a set one by one: those of a range that are still in it are found
 * without a look at the others, however often ranges overlap. */
#ifndef SYMBOL_ADDRSET_H
#define SYMBOL_ADDRSET_H

#include <stddef.h>
#include <stdint.h>

struct addrset {
	const uint64_t *addrs; /* the caller's */
	size_t n;
	size_t *next; /* [i] is i while it is in the set; else nearer to the next that is */
};

void addrset_init(struct addrset *s, const uint64_t *addrs, size_t n);
void addrset_deinit(struct addrset *s);
/* The index of the first address in the set that is at least `at`; n: none. */
size_t addrset_first(struct addrset *s, uint64_t at);
/* Likewise the one behind index i < n. */
size_t addrset_next(struct addrset *s, size_t i);
void addrset_take(struct addrset *s, size_t i);

#endif
