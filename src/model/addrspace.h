/* One process's mappings of code, newest wins. There are no munmap records: a mapping holds until
 * something is mapped over it, or exec or exit ends the address space. */
#ifndef MODEL_ADDRSPACE_H
#define MODEL_ADDRSPACE_H

#include <stdint.h>

#include "base/vec.h"

struct mapping {
	uint64_t start, end; /* avma, half open */
	uint64_t pgoff; /* file offset of start; for anonymous code `start`, so that off = avma */
	uint32_t binary;
};

struct addrspace {
	VEC(struct mapping) maps; /* sorted by start, never overlapping */
	uint64_t generation;      /* unique among all address spaces; changes with every change */
};

void addrspace_init(struct addrspace *as);
void addrspace_deinit(struct addrspace *as);
/* Trims or splits what it overlaps. start < end. */
void addrspace_map(struct addrspace *as, const struct mapping *m);
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
