/* In: functions under parents, with self weights. Out: a tree with totals and siblings in order. */
#include "profile/calltree.h"

#include <string.h>

struct calltree *calltree_create(const struct profile *p)
{
	struct calltree *t = xcalloc(1, sizeof(*t));

	t->profile = p;
	intern_init(&t->strings);
	uint32_t root = calltree_func(t, &(struct func){ .name = "all", .origin = ORIGIN_GROUP });

	vec_push(&t->nodes, ((struct callnode){ .func = root }));
	vec_push(&t->places, ((struct source_place){ .file = "" }));
	return t;
}

void calltree_destroy(struct calltree *t)
{
	if (!t)
		return;
	vec_deinit(&t->nodes);
	vec_deinit(&t->funcs);
	vec_deinit(&t->places);
	vec_deinit(&t->cuts);
	vec_deinit(&t->leaves);
	table_deinit(&t->child_table);
	table_deinit(&t->func_table);
	table_deinit(&t->place_table);
	intern_deinit(&t->strings);
	free(t);
}

uint32_t calltree_func(struct calltree *t, const struct func *f)
{
	uint32_t name = intern_add(&t->strings, f->name);
	const char *str = intern_str(&t->strings, name);
	uint64_t hash = hash_pair(name, (uint64_t)f->binary << 1 | f->inlined);

	for (struct table_probe p = table_probe(&t->func_table, hash);
	     table_next(&t->func_table, &p);) {
		struct func *have = &t->funcs.v[p.value];

		if (have->name == str && have->binary == f->binary && have->inlined == f->inlined &&
		    have->origin == f->origin) {
			have->named |= f->named;
			return p.value;
		}
	}
	uint32_t id = (uint32_t)t->funcs.n;
	struct func func = *f;

	func.name = str;
	vec_push(&t->funcs, func);
	table_add(&t->func_table, hash, id);
	return id;
}

uint32_t calltree_place(struct calltree *t, const char *file, uint32_t line)
{
	uint32_t name = intern_add(&t->strings, file);
	const char *str = intern_str(&t->strings, name);
	uint64_t hash = hash_pair(name, line);

	for (struct table_probe p = table_probe(&t->place_table, hash);
	     table_next(&t->place_table, &p);)
		if (t->places.v[p.value].file == str && t->places.v[p.value].line == line)
			return p.value;
	uint32_t id = (uint32_t)t->places.n;

	vec_push(&t->places, ((struct source_place){ .file = str, .line = line }));
	table_add(&t->place_table, hash, id);
	return id;
}

static uint32_t new_node(struct calltree *t, uint32_t parent, uint32_t func, uint32_t place)
{
	struct callnode node = { .func = func, .parent = parent, .place = place };

	vec_push(&t->nodes, node);
	return (uint32_t)t->nodes.n - 1;
}

static bool is_node(const struct callnode *n, uint32_t parent, uint32_t func, uint32_t place)
{
	return n->parent == parent && n->func == func && n->place == place;
}

static uint32_t child_by_hash(struct calltree *t, uint32_t parent, uint32_t func, uint32_t place)
{
	uint64_t hash = hash_pair((uint64_t)parent << 32 | func, place);

	for (struct table_probe p = table_probe(&t->child_table, hash);
	     table_next(&t->child_table, &p);)
		if (is_node(&t->nodes.v[p.value], parent, func, place))
			return p.value;
	uint32_t id = new_node(t, parent, func, place);

	table_add(&t->child_table, hash, id);
	return id;
}

uint32_t calltree_child(struct calltree *t, uint32_t parent, uint32_t func)
{
	return calltree_child_at(t, parent, func, 0);
}

/* Most nodes have a child or two, made shortly after them: a short list lies in the cache where a
 * table over millions of nodes does not. The links are made anew by calltree_finish(). */
uint32_t calltree_child_at(struct calltree *t, uint32_t parent, uint32_t func, uint32_t place)
{
	enum { LISTED = 6 };
	unsigned int n = 0;

	for (uint32_t i = t->nodes.v[parent].first_child; i; i = t->nodes.v[i].next, n++)
		if (is_node(&t->nodes.v[i], parent, func, place))
			return i;
	if (n >= LISTED)
		return child_by_hash(t, parent, func, place);
	uint32_t id = new_node(t, parent, func, place);

	t->nodes.v[id].next = t->nodes.v[parent].first_child;
	t->nodes.v[parent].first_child = id;
	return id;
}

int calltree_func_cmp(const struct func *a, const struct func *b)
{
	int cmp = strcmp(a->name, b->name);

	if (cmp)
		return cmp;
	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	return (a->inlined > b->inlined) - (a->inlined < b->inlined);
}

static int func_cmp(const void *a, const void *b, void *ctx)
{
	const struct func *funcs = ctx;

	return calltree_func_cmp(&funcs[*(const uint32_t *)a], &funcs[*(const uint32_t *)b]);
}

/* The place of each function among all, by name. Caller frees. */
static uint32_t *func_ranks(const struct calltree *t)
{
	size_t n = t->funcs.n;
	_cleanup_free_ uint32_t *order = xcalloc(n, sizeof(*order));
	uint32_t *rank = xcalloc(n, sizeof(*rank));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), func_cmp, t->funcs.v);
	for (uint32_t i = 0; i < n; i++)
		rank[order[i]] = i;
	return rank;
}

/* All nodes by the rank of their function: a counting sort, so that no family is sorted alone. */
static uint32_t *nodes_by_rank(const struct calltree *t)
{
	_cleanup_free_ uint32_t *rank = func_ranks(t);
	_cleanup_free_ uint32_t *at = xcalloc(t->funcs.n + 1, sizeof(*at));
	uint32_t *order = xcalloc(t->nodes.n, sizeof(*order));

	for (size_t i = 0; i < t->nodes.n; i++)
		at[rank[t->nodes.v[i].func] + 1]++;
	for (size_t i = 0; i < t->funcs.n; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < t->nodes.n; i++)
		order[at[rank[t->nodes.v[i].func]]++] = i;
	return order;
}

static void sum_totals(struct calltree *t)
{
	for (size_t i = 0; i < t->nodes.n; i++) {
		struct callnode *n = &t->nodes.v[i];

		n->total = n->self;
		n->total_samples = n->self_samples;
		n->first_child = n->next = 0;
	}
	for (size_t i = t->nodes.n; i-- > 1;) {
		const struct callnode *n = &t->nodes.v[i];
		struct callnode *parent = &t->nodes.v[n->parent];

		parent->total += n->total;
		parent->total_samples += n->total_samples;
	}
}

static void measure_depth(struct calltree *t)
{
	_cleanup_free_ uint32_t *depth = xcalloc(t->nodes.n, sizeof(*depth));

	t->max_depth = 0;
	for (size_t i = 1; i < t->nodes.n; i++) {
		depth[i] = depth[t->nodes.v[i].parent] + 1;
		if (depth[i] > t->max_depth)
			t->max_depth = depth[i];
	}
}

void calltree_finish(struct calltree *t)
{
	sum_totals(t);
	_cleanup_free_ uint32_t *order = nodes_by_rank(t);

	for (size_t i = t->nodes.n; i-- > 0;) {
		struct callnode *n = &t->nodes.v[order[i]];

		if (!order[i])
			continue;
		n->next = t->nodes.v[n->parent].first_child;
		t->nodes.v[n->parent].first_child = order[i];
	}
	measure_depth(t);
}
