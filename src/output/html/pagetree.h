/* The tree of the page: groups taken out and merged, functions numbered by name, nodes numbered
 * depth first with siblings by name. */
#ifndef OUTPUT_HTML_PAGETREE_H
#define OUTPUT_HTML_PAGETREE_H

#include "profile/calltree.h"

struct pagetree {
	struct calltree *tree;
	uint32_t *number; /* by callnode of the source: number in the page; UINT32_MAX: a part of a
			     stack only (reversed trees) */
	uint32_t *order;  /* by number: node of `tree` */
	uint32_t *depth;  /* by number */
	uint32_t *rank;   /* by function of `tree`: number in the page */
	uint32_t *funcs;  /* by number: function of `tree` */
};

/* A reversed tree is turned back. `from` must outlive it. */
void pagetree_init(struct pagetree *p, const struct calltree *from);
void pagetree_deinit(struct pagetree *p);

#endif
