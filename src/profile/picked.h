/* The functions of a call tree that a name or expression picks, and which of them the code that a
 * sample was taken in belongs to. */
#ifndef PROFILE_PICKED_H
#define PROFILE_PICKED_H

#include "profile/functions.h"

struct picked {
	const struct calltree *tree;
	struct functions functions;
	uint8_t *matches;    /* by function of the tree */
	VEC(uint32_t) found; /* of the last picked_find(): indexes into functions.v */
};

/* `function` as for focus_build(), and the same errors. The tree is not reversed, has inlined calls
 * unless they were not asked for, and outlives this. `p` is to be released in any case. */
ERR_CHECK struct err *picked_init(struct picked *p, const struct calltree *tree,
				  const char *function);
void picked_deinit(struct picked *p);
/* Fills `found`: the functions picked among the one whose code it is and the calls inlined there,
 * each once, for the stack that ends in `node`. Samples in an inlined call are the caller's too: it
 * is the caller's code. */
void picked_find(struct picked *p, uint32_t node);

#endif
