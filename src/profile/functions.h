/* Functions of a call tree, whatever the stacks they stand in: a function is (name, binary); one
 * that is inlined in some places is still one. */
#ifndef PROFILE_FUNCTIONS_H
#define PROFILE_FUNCTIONS_H

#include "profile/calltree.h"

struct function {
	uint32_t func; /* one of the tree's functions that are this one */
	uint64_t total,
		self; /* weight; total counts a function once a stack, whatever the recursion */
	uint64_t total_samples, self_samples;
	uint32_t on_path;      /* private: how often it is on the stack under way */
	uint32_t first_caller; /* index + 1 into callers; 0: none */
	bool inlined;          /* everywhere */
	bool is_code;          /* false for groups and "[truncated]", which weigh nothing here */
};

struct caller {
	uint32_t callee, caller; /* indexes into v */
	uint64_t weight;         /* of the callee's total */
};

struct functions {
	const struct calltree *tree;
	VEC(struct function) v; /* in the order of names, bytewise */
	uint32_t *of;           /* by function of the tree: index into v */
	uint8_t *outermost;     /* by node: its function stands nowhere further out on its stack */
	VEC(struct caller) callers; /* those of one callee together, heaviest first */
	struct table caller_table;  /* private */
};

void functions_init(struct functions *f, const struct calltree *t);
void functions_deinit(struct functions *f);

#endif
