/* In: a call tree with lines, a function's name. Out: weights by function and line. */
#include "profile/linecosts.h"

#include <string.h>

static struct line_cost *cost_of(struct linecosts *c, uint32_t function, uint32_t place)
{
	uint64_t hash = hash_u64((uint64_t)function << 32 | place);

	for (struct table_probe p = table_probe(&c->table, hash); table_next(&c->table, &p);) {
		struct line_cost *have = &c->lines.v[p.value];

		if (have->function == function && have->place == place)
			return have;
	}
	table_add(&c->table, hash, (uint32_t)c->lines.n);
	vec_push(&c->lines, ((struct line_cost){ .function = function, .place = place }));
	return &c->lines.v[c->lines.n - 1];
}

static void count(struct linecosts *c)
{
	const struct calltree *t = c->picked.tree;

	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct callnode *n = &t->nodes.v[i];

		if (!n->self && !n->self_samples)
			continue;
		picked_find(&c->picked, i);
		for (size_t k = 0; k < c->picked.found.n; k++) {
			uint32_t function = c->picked.found.v[k];
			struct line_cost *cost = cost_of(c, function, n->place);

			cost->weight += n->self;
			cost->samples += n->self_samples;
			cost->own |= c->picked.functions.of[n->func] == function;
		}
	}
}

struct sorting {
	struct line_cost cost;
	const char *file; /* NULL: not known */
	uint32_t line;
	bool own; /* a line of its file is the function's own */
};

static int file_cmp(const void *va, const void *vb)
{
	const struct sorting *a = va, *b = vb;

	if (a->cost.function != b->cost.function)
		return a->cost.function < b->cost.function ? -1 : 1;
	if (!a->file || !b->file)
		return !a->file - !b->file;
	int cmp = strcmp(a->file, b->file);

	return cmp ? cmp : (a->line > b->line) - (a->line < b->line);
}

static int own_cmp(const void *va, const void *vb)
{
	const struct sorting *a = va, *b = vb;

	if (a->cost.function != b->cost.function)
		return a->cost.function < b->cost.function ? -1 : 1;
	if (a->file && b->file && a->own != b->own)
		return a->own ? -1 : 1;
	return file_cmp(va, vb);
}

static bool same_file(const struct sorting *a, const struct sorting *b)
{
	return a->cost.function == b->cost.function && a->file && b->file &&
	       !strcmp(a->file, b->file);
}

static void sort_lines(struct linecosts *c)
{
	const struct calltree *t = c->picked.tree;
	size_t n = c->lines.n;
	_cleanup_free_ struct sorting *s = xcalloc(n + 1, sizeof(*s));

	for (size_t i = 0; i < n; i++) {
		s[i].cost = c->lines.v[i];
		s[i].own = s[i].cost.own;
		if (!s[i].cost.place)
			continue;
		s[i].file = t->places.v[s[i].cost.place].file;
		s[i].line = t->places.v[s[i].cost.place].line;
	}
	qsort(s, n, sizeof(*s), file_cmp);
	for (size_t i = 1; i < n; i++)
		s[i].own |= same_file(&s[i - 1], &s[i]) && s[i - 1].own;
	for (size_t i = n; i-- > 1;)
		s[i - 1].own |= same_file(&s[i - 1], &s[i]) && s[i].own;
	qsort(s, n, sizeof(*s), own_cmp);
	for (size_t i = 0; i < n; i++)
		c->lines.v[i] = s[i].cost;
	table_deinit(&c->table);
	c->table = (struct table){ 0 };
}

static int function_cmp(const void *va, const void *vb)
{
	const struct line_function *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void sum_up(struct linecosts *c)
{
	const struct functions *f = &c->picked.functions;
	size_t at = 0;

	for (uint32_t i = 0; i < f->v.n; i++) {
		struct line_function sum = { .function = i, .first = at };

		if (!c->picked.matches[f->v.v[i].func])
			continue;
		for (; at < c->lines.n && c->lines.v[at].function == i; at++) {
			sum.weight += c->lines.v[at].weight;
			sum.samples += c->lines.v[at].samples;
		}
		sum.n = at - sum.first;
		vec_push(&c->v, sum);
	}
	vec_sort(&c->v, function_cmp);
}

struct err *linecosts_init(struct linecosts *c, const struct calltree *tree, const char *function)
{
	*c = (struct linecosts){ 0 };
	TRY(picked_init(&c->picked, tree, function));
	count(c);
	sort_lines(c);
	sum_up(c);
	return NULL;
}

void linecosts_deinit(struct linecosts *c)
{
	picked_deinit(&c->picked);
	vec_deinit(&c->v);
	vec_deinit(&c->lines);
	table_deinit(&c->table);
}
