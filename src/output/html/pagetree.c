/* In: a call tree of any grouping and direction. Out: one tree of code alone, numbered for the
 * page. */
#include "output/html/pagetree.h"

#include <string.h>

static bool is_group(const struct calltree *t, uint32_t node)
{
	const struct callnode *n = &t->nodes.v[node];

	return node && !n->parent && t->funcs.v[n->func].origin == ORIGIN_GROUP;
}

static uint32_t copy_child(struct pagetree *p, uint32_t parent, const struct calltree *from,
			   uint32_t node)
{
	const struct callnode *n = &from->nodes.v[node];
	const struct source_place *at = n->place ? &from->places.v[n->place] : NULL;
	uint32_t place = at ? calltree_place(p->tree, at->file, at->line) : 0;

	return calltree_child_at(p->tree, parent, calltree_func(p->tree, &from->funcs.v[n->func]),
				 place);
}

static void copy_weight(struct pagetree *p, uint32_t to, const struct callnode *n)
{
	p->tree->nodes.v[to].self += n->self;
	p->tree->nodes.v[to].self_samples += n->self_samples;
}

static void merge(struct pagetree *p, const struct calltree *from)
{
	p->number[0] = 0;
	copy_weight(p, 0, &from->nodes.v[0]);
	for (uint32_t i = 1; i < from->nodes.n; i++) {
		const struct callnode *n = &from->nodes.v[i];

		p->number[i] = is_group(from, i) ? 0 : copy_child(p, p->number[n->parent], from, i);
		copy_weight(p, p->number[i], n);
	}
}

/* The way up from a leaf of a reversed tree is the stack from its outermost frame in. Whether a
 * node without weight is a leaf (of another event) is not known: nodes below it may be as well. */
static void turn_back(struct pagetree *p, const struct calltree *from)
{
	_cleanup_free_ uint8_t *is_leaf = xcalloc(from->nodes.n, 1);

	for (size_t i = 0; i < from->leaves.n; i++)
		if (from->leaves.v[i] != UINT32_MAX)
			is_leaf[from->leaves.v[i]] = 1;
	p->number[0] = 0;
	copy_weight(p, 0, &from->nodes.v[0]);
	for (uint32_t i = 1; i < from->nodes.n; i++) {
		const struct callnode *n = &from->nodes.v[i];
		uint32_t at = 0;

		p->number[i] = UINT32_MAX;
		if (!n->self && !n->self_samples && !is_leaf[i])
			continue;
		for (uint32_t k = i; k && !is_group(from, k); k = from->nodes.v[k].parent)
			at = copy_child(p, at, from, k);
		p->number[i] = at;
		copy_weight(p, at, n);
	}
}

static int func_cmp(const void *a, const void *b, void *ctx)
{
	const struct func *funcs = ctx;

	return calltree_func_cmp(&funcs[*(const uint32_t *)a], &funcs[*(const uint32_t *)b]);
}

static void number_funcs(struct pagetree *p)
{
	size_t n = p->tree->funcs.n;

	p->funcs = xcalloc(n, sizeof(*p->funcs));
	p->rank = xcalloc(n, sizeof(*p->rank));
	for (uint32_t i = 0; i < n; i++)
		p->funcs[i] = i;
	/* The root's stays the first. */
	qsort_r(p->funcs + 1, n - 1, sizeof(*p->funcs), func_cmp, p->tree->funcs.v);
	for (uint32_t i = 0; i < n; i++)
		p->rank[p->funcs[i]] = i;
}

/* Depth first; `place` gets each node's number. */
static void number_nodes(struct pagetree *p, uint32_t *place)
{
	const struct callnode *nodes = p->tree->nodes.v;
	uint32_t n = 0, depth = 0, at = 0;

	p->order = xcalloc(p->tree->nodes.n, sizeof(*p->order));
	p->depth = xcalloc(p->tree->nodes.n, sizeof(*p->depth));
	for (;;) {
		place[at] = n;
		p->order[n] = at;
		p->depth[n++] = depth;
		if (nodes[at].first_child) {
			at = nodes[at].first_child;
			depth++;
			continue;
		}
		while (at && !nodes[at].next) {
			at = nodes[at].parent;
			depth--;
		}
		if (!at)
			return;
		at = nodes[at].next;
	}
}

void pagetree_init(struct pagetree *p, const struct calltree *from)
{
	*p = (struct pagetree){ .tree = calltree_create(from->profile) };
	p->number = xcalloc(from->nodes.n, sizeof(*p->number));
	if (from->reversed)
		turn_back(p, from);
	else
		merge(p, from);
	calltree_finish(p->tree);
	number_funcs(p);
	_cleanup_free_ uint32_t *place = xcalloc(p->tree->nodes.n, sizeof(*place));

	number_nodes(p, place);
	for (size_t i = 0; i < from->nodes.n; i++)
		if (p->number[i] != UINT32_MAX)
			p->number[i] = place[p->number[i]];
}

void pagetree_deinit(struct pagetree *p)
{
	calltree_destroy(p->tree);
	free(p->number);
	free(p->order);
	free(p->depth);
	free(p->rank);
	free(p->funcs);
}
