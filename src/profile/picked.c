/* In: a call tree, a name. Out: for the end of a stack, which functions of that name it is in. */
#include "profile/picked.h"

#include "profile/focus.h"

struct err *picked_init(struct picked *p, const struct calltree *tree, const char *function)
{
	*p = (struct picked){ .tree = tree };
	functions_init(&p->functions, tree);
	p->matches = xcalloc(tree->funcs.n, 1);
	return focus_match(tree, function, p->matches);
}

void picked_deinit(struct picked *p)
{
	if (p->tree)
		functions_deinit(&p->functions);
	free(p->matches);
	vec_deinit(&p->found);
}

static bool is_found(const struct picked *p, uint32_t function)
{
	for (size_t i = 0; i < p->found.n; i++)
		if (p->found.v[i] == function)
			return true;
	return false;
}

void picked_find(struct picked *p, uint32_t node)
{
	const struct calltree *t = p->tree;

	p->found.n = 0;
	for (uint32_t at = node; at; at = t->nodes.v[at].parent) {
		uint32_t func = t->nodes.v[at].func;

		if (p->matches[func] && !is_found(p, p->functions.of[func]))
			vec_push(&p->found, p->functions.of[func]);
		if (!t->funcs.v[func].inlined)
			return;
	}
}
