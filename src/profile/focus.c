/* In: a call tree and the name of a function. Out: the tree of its callers or of its callees. */
#include "profile/focus.h"

#include <regex.h>
#include <string.h>

static size_t match_name(const struct calltree *t, const char *name, uint8_t *matches)
{
	size_t n = 0;

	for (size_t i = 1; i < t->funcs.n; i++) {
		matches[i] =
			t->funcs.v[i].origin != ORIGIN_GROUP && !strcmp(t->funcs.v[i].name, name);
		n += matches[i];
	}
	return n;
}

static struct err *match_regex(const struct calltree *t, const char *regex, uint8_t *matches)
{
	regex_t re;
	size_t n = 0;

	if (regcomp(&re, regex, REG_EXTENDED | REG_NOSUB))
		return err_new("no function is named '%s'", regex);
	for (size_t i = 1; i < t->funcs.n; i++) {
		matches[i] = t->funcs.v[i].origin != ORIGIN_GROUP &&
			     !regexec(&re, t->funcs.v[i].name, 0, NULL, 0);
		n += matches[i];
	}
	regfree(&re);
	return n ? NULL : err_new("no function is named or matches '%s'", regex);
}

struct err *focus_match(const struct calltree *t, const char *function, uint8_t *matches)
{
	return match_name(t, function, matches) ? NULL : match_regex(t, function, matches);
}

static uint32_t copy_child(struct calltree *to, uint32_t parent, const struct calltree *from,
			   uint32_t func)
{
	return calltree_child(to, parent, calltree_func(to, &from->funcs.v[func]));
}

static void add_self(struct calltree *to, uint32_t node, uint64_t weight, uint64_t samples)
{
	to->nodes.v[node].self += weight;
	to->nodes.v[node].self_samples += samples;
}

static void add_callers(struct calltree *to, const struct calltree *t, uint32_t node)
{
	uint32_t at = 0;

	for (uint32_t i = node; i; i = t->nodes.v[i].parent)
		at = copy_child(to, at, t, t->nodes.v[i].func);
	add_self(to, at, t->nodes.v[node].total, t->nodes.v[node].total_samples);
}

/* Parents stand before their children, so one pass sees the outermost match of a stack first. */
static void focus_fill(struct calltree *to, const struct calltree *t, const uint8_t *matches,
		       enum focus what)
{
	uint32_t *map = xcalloc(t->nodes.n, sizeof(*map)); /* + 1; 0: not below a match */

	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct callnode *n = &t->nodes.v[i];
		uint32_t inside = map[n->parent];

		if (!inside && !matches[n->func])
			continue;
		if (what == FOCUS_CALLERS) {
			map[i] = 1;
			if (!inside)
				add_callers(to, t, i);
			continue;
		}
		uint32_t node = copy_child(to, inside ? inside - 1 : 0, t, n->func);

		map[i] = node + 1;
		add_self(to, node, n->self, n->self_samples);
	}
	free(map);
}

struct err *focus_build(const struct calltree *t, const char *function, enum focus what,
			struct calltree **ret)
{
	_cleanup_free_ uint8_t *matches = xcalloc(t->funcs.n, 1);

	TRY(focus_match(t, function, matches));
	struct calltree *to = calltree_create(t->profile);

	focus_fill(to, t, matches, what);
	calltree_finish(to);
	memcpy(to->verdicts, t->verdicts, sizeof(to->verdicts));
	for (size_t i = 0; i < t->cuts.n; i++)
		vec_push(&to->cuts, t->cuts.v[i]);
	to->unmatched_samples = t->unmatched_samples;
	to->reversed = (what == FOCUS_CALLERS) != t->reversed;
	*ret = to;
	return NULL;
}
