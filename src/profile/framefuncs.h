/* Frames → functions as displayed: what each node of the tree of frames adds to a stack. Each
 * place is named once, whatever the number of nodes that lie there. */
#ifndef PROFILE_FRAMEFUNCS_H
#define PROFILE_FRAMEFUNCS_H

#include "profile/calltree.h"

struct func_at {
	uint32_t func;
	uint32_t place; /* of tree->places; 0 unless opt->lines */
};

struct func_list {
	uint32_t first; /* index into framefuncs.list */
	uint32_t n;
};

struct framefuncs {
	struct calltree *tree; /* where functions are made */
	const struct dataset *data;
	const struct names *names;
	const struct calltree_options *opt;
	VEC(struct func_at) list; /* innermost first */
	struct func_list *node;   /* by node of the frame tree; n 0: not asked yet */
	struct func_list *entry;  /* by names entry; same */
	uint32_t *same;           /* by binary: binaries_same() */
	struct func_list *bare;   /* by binary, for frames without an entry; same */
	VEC(uint8_t) matches;     /* by function: enum func_match */
	uint32_t truncated;       /* the function "[truncated]" */
	uint32_t unknown;         /* the function "[unknown]" */
};

enum func_match { MATCH_KNOWN = 1, MATCH_SYMBOL = 2, MATCH_HIDE = 4 };

/* Tables and options must outlive it and not grow meanwhile. */
void framefuncs_init(struct framefuncs *ff, struct calltree *t, const struct names *names,
		     const struct calltree_options *opt);
void framefuncs_deinit(struct framefuncs *ff);
/* The functions of a node other than 0; at least one. */
struct func_list framefuncs_get(struct framefuncs *ff, uint32_t node);
/* What --symbol and --hide say of a function. */
uint8_t framefuncs_match(struct framefuncs *ff, uint32_t func);

#endif
