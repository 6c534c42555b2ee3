/* Which frames of a call tree are drawn, and where: a list in document order (a parent before its
 * children, siblings from left to right), positions in units of weight. */
#ifndef OUTPUT_SVG_DRAWING_H
#define OUTPUT_SVG_DRAWING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/calltree.h"

/* A browser stays quick up to about here. */
enum { DRAWING_MAX_FRAMES = 30000 };

struct drawn {
	uint32_t node;   /* of the call tree; the parent's if `merged` */
	uint32_t depth;  /* 0: the root */
	uint32_t merged; /* not 0: stands for so many children of `node`, each too narrow */
	uint64_t x;      /* weight to the left of it */
	uint64_t weight, self, samples;
};

struct drawing {
	VEC(struct drawn) frames;
	uint32_t max_depth;
	uint64_t threshold;     /* nodes that weigh less are not drawn, but for the root */
	bool capped;            /* the threshold was raised to hold DRAWING_MAX_FRAMES */
	uint64_t pruned;        /* nodes not drawn */
	uint64_t pruned_weight; /* what they weigh together */
};

void drawing_init(struct drawing *d, const struct calltree *tree, uint64_t threshold);
void drawing_deinit(struct drawing *d);

#endif
