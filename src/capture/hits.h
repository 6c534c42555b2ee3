/* Which places the samples hit, so that they can be named after the recording, and how many stacks
 * end at each, for the share of complete ones. Survives restarts of the dictionary. */
#ifndef CAPTURE_HITS_H
#define CAPTURE_HITS_H

#include <stdint.h>
#include <string.h>

#include "base/table.h"
#include "base/vec.h"
#include "sample/frametree.h"

struct hit {
	uint64_t key;       /* names_key() */
	uint64_t outermost; /* samples whose outermost frame this is */
	uint32_t binary;
};

/* Stacks that ended so. */
struct hit_cut {
	uint32_t binary;
	enum verdict verdict;
	uint64_t samples;
};

struct hits {
	VEC(uint32_t) per_node; /* samples of each node of the present tree */
	VEC(struct hit) places;
	struct table table;
	VEC(struct hit_cut) cuts; /* samples whose stack ends in a FRAME_CUT */
};

void hits_init(struct hits *h);
void hits_deinit(struct hits *h);
void hits_grow(struct hits *h, uint32_t node);
/* Takes every frame of the tree into `places` and the counts along: before the tree is cleared. */
void hits_collect(struct hits *h, const struct frametree *tree);

/* hits_add() comes next: has its memory fetched. */
static inline void hits_prefetch(const struct hits *h, uint32_t node)
{
	if (node < h->per_node.n)
		__builtin_prefetch(&h->per_node.v[node], 1);
}

static inline void hits_add(struct hits *h, uint32_t node)
{
	if (node >= h->per_node.n)
		hits_grow(h, node);
	h->per_node.v[node]++;
}

#endif
