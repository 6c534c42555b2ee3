/* Call trees made by hand, for tests of outputs: folded lines in, a finished tree out. */
#ifndef TESTS_SUPPORT_HANDTREE_H
#define TESTS_SUPPORT_HANDTREE_H

#include "profile/calltree.h"

struct handtree {
	struct calltree tree;
	struct profile profile;
	struct dataset data;
};

/* An empty tree of an event "cpu-clock". It points into itself: do not copy it. */
void handtree_init(struct handtree *h);
void handtree_deinit(struct handtree *h);
/* The child of `parent` of that name, made if new. `name` must outlive the tree. The caller makes
 * children in the order of their names. */
uint32_t handtree_child(struct handtree *h, uint32_t parent, const char *name, enum origin origin);
/* Puts so many samples on the stack that ends in `node`. */
void handtree_add(struct handtree *h, uint32_t node, uint64_t samples);

#endif
