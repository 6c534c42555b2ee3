/* In: a call tree. Out: its functions with what they weigh, and their callers. */
#include "profile/functions.h"

#include <string.h>

static int func_cmp(const void *a, const void *b, void *ctx)
{
	const struct func *funcs = ctx;
	const struct func *x = &funcs[*(const uint32_t *)a];
	const struct func *y = &funcs[*(const uint32_t *)b];
	int cmp = strcmp(x->name, y->name);

	return cmp ?: (x->binary > y->binary) - (x->binary < y->binary);
}

static bool is_code(const struct func *f)
{
	return f->origin != ORIGIN_GROUP && strcmp(f->name, "[truncated]") != 0;
}

static void make_functions(struct functions *f)
{
	const struct func *funcs = f->tree->funcs.v;
	size_t n = f->tree->funcs.n;
	_cleanup_free_ uint32_t *order = xcalloc(n, sizeof(*order));

	f->of = xcalloc(n, sizeof(*f->of));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), func_cmp, f->tree->funcs.v);
	for (size_t i = 0; i < n; i++) {
		const struct func *func = &funcs[order[i]];

		if (!i || func_cmp(&order[i - 1], &order[i], f->tree->funcs.v))
			vec_push(&f->v, ((struct function){ .func = order[i], .inlined = true }));
		struct function *one = &f->v.v[f->v.n - 1];

		one->inlined &= func->inlined;
		if (func->origin != ORIGIN_GROUP && funcs[one->func].origin == ORIGIN_GROUP)
			one->func = order[i];
		one->is_code |= is_code(func);
		f->of[order[i]] = (uint32_t)f->v.n - 1;
	}
}

static void add_caller(struct functions *f, uint32_t callee, uint32_t caller, uint64_t weight)
{
	uint64_t hash = hash_u64((uint64_t)callee << 32 | caller);

	for (struct table_probe p = table_probe(&f->caller_table, hash);
	     table_next(&f->caller_table, &p);) {
		struct caller *c = &f->callers.v[p.value];

		if (c->callee == callee && c->caller == caller) {
			c->weight += weight;
			return;
		}
	}
	table_add(&f->caller_table, hash, (uint32_t)f->callers.n);
	vec_push(&f->callers, ((struct caller){ callee, caller, weight }));
}

static void enter(struct functions *f, const struct callnode *n)
{
	const struct func *funcs = f->tree->funcs.v;
	uint32_t callee = f->of[n->func];
	struct function *one = &f->v.v[callee];
	uint32_t parent = f->tree->nodes.v[n->parent].func;

	if (!is_code(&funcs[n->func]))
		return;
	one->self += n->self;
	one->self_samples += n->self_samples;
	if (one->on_path++)
		return;
	f->outermost[n - f->tree->nodes.v] = 1;
	one->total += n->total;
	one->total_samples += n->total_samples;
	if (funcs[parent].origin != ORIGIN_GROUP)
		add_caller(f, callee, f->of[parent], n->total);
}

static void leave(struct functions *f, const struct callnode *n)
{
	if (is_code(&f->tree->funcs.v[n->func]))
		f->v.v[f->of[n->func]].on_path--;
}

/* Depth first without a stack of our own: nodes know their parents. */
static void walk(struct functions *f)
{
	const struct callnode *nodes = f->tree->nodes.v;
	uint32_t at = nodes[0].first_child;

	while (at) {
		enter(f, &nodes[at]);
		if (nodes[at].first_child) {
			at = nodes[at].first_child;
			continue;
		}
		leave(f, &nodes[at]);
		while (at && !nodes[at].next) {
			at = nodes[at].parent;
			if (at)
				leave(f, &nodes[at]);
		}
		at = nodes[at].next; /* the root has none */
	}
}

static int caller_cmp(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;

	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->caller > y->caller) - (x->caller < y->caller); /* in order of names */
}

static void sort_callers(struct functions *f)
{
	vec_sort(&f->callers, caller_cmp);
	for (uint32_t i = (uint32_t)f->callers.n; i-- > 0;)
		f->v.v[f->callers.v[i].callee].first_caller = i + 1;
}

void functions_init(struct functions *f, const struct calltree *t)
{
	*f = (struct functions){ .tree = t };
	f->outermost = xcalloc(t->nodes.n, 1);
	make_functions(f);
	walk(f);
	sort_callers(f);
}

void functions_deinit(struct functions *f)
{
	vec_deinit(&f->v);
	vec_deinit(&f->callers);
	table_deinit(&f->caller_table);
	free(f->of);
	free(f->outermost);
}
