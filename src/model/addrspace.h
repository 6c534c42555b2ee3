/* One process's mappings of code, newest wins. There are no munmap records: a mapping holds until
 * something is mapped over it, or exec or exit ends the address space. */
#ifndef MODEL_ADDRSPACE_H
#define MODEL_ADDRSPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct mapping {
	uint64_t start, end; /* avma, half open */
	uint64_t pgoff; /* file offset of start; for anonymous code `start`, so that off = avma */
	uint32_t binary;
};

struct addrspace {
	VEC(struct mapping)
	maps; /* sorted by start, never overlapping; neighbours that continue
		 each other are one */
	/* Names the contents: two address spaces of one generation hold the same mappings, so what
	 * was computed for one serves the other. Every change takes a new number; a copy shares its
	 * original's until either changes; an empty one has 0. */
	uint64_t generation;
};

void addrspace_init(struct addrspace *as);
void addrspace_deinit(struct addrspace *as);
/* Trims or splits what it overlaps. start < end. False if all of it was mapped just so already:
 * then nothing changed, nor did the generation. */
bool addrspace_map(struct addrspace *as, const struct mapping *m);
/* The part of `m` from `m->start` on that no mapping covers yet: the first gap, trimmed to `m`.
 * False if there is none. Changes nothing. */
bool addrspace_gap(const struct addrspace *as, const struct mapping *m, struct mapping *ret);
/* Maps what no mapping covers yet, and leaves the rest. False if nothing changed. */
bool addrspace_fill(struct addrspace *as, const struct mapping *m);
/* As fork does. `as` must be empty. */
void addrspace_copy(struct addrspace *as, const struct addrspace *from);
/* As exec does. */
void addrspace_clear(struct addrspace *as);
/* NULL if no mapping covers it. Valid until the next change. */
const struct mapping *addrspace_find(const struct addrspace *as, uint64_t avma);

static inline uint64_t mapping_off(const struct mapping *m, uint64_t avma)
{
	return avma - m->start + m->pgoff;
}

#endif
