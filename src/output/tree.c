/* In: the call tree. Out: one line a node, indented by depth. */
#include "output/tree.h"

#include <inttypes.h>
#include <string.h>

#include "output/text.h"

enum { MAX_INDENT = 60 };

/* A line to come: a node, or what a node's children below the limit weigh together. */
struct line {
	uint32_t node;
	uint32_t n_pruned; /* 0: the node itself */
	uint32_t place;    /* among its siblings */
	uint64_t total;
};

struct tree {
	const struct calltree *tree;
	struct samenames names;
	double min_percent;
	double whole;
	uint32_t *depth;       /* by node */
	VEC(struct line) todo; /* the next line is the last */
};

static double percent(const struct tree *t, uint64_t weight)
{
	return t->whole > 0 ? 100 * (double)weight / t->whole : 0;
}

/* Lightest first, so that the heaviest is taken first; equals in order of names, which is that of
 * `place`. */
static int line_cmp(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? -1 : 1;
	return (x->place < y->place) - (x->place > y->place);
}

static void push_children(struct tree *t, uint32_t node)
{
	const struct callnode *nodes = t->tree->nodes.v;
	struct line pruned = { .node = node };
	size_t slot = t->todo.n; /* for `pruned`, which comes last */
	uint32_t place = 0;

	vec_push(&t->todo, pruned);
	for (uint32_t i = nodes[node].first_child; i; i = nodes[i].next, place++) {
		struct line line = { .node = i, .place = place, .total = nodes[i].total };

		if (percent(t, line.total) >= t->min_percent) {
			vec_push(&t->todo, line);
			continue;
		}
		pruned.n_pruned++;
		pruned.total += line.total;
	}
	if (pruned.n_pruned)
		t->todo.v[slot++] = pruned;
	else
		t->todo.v[slot] = t->todo.v[--t->todo.n];
	qsort(t->todo.v + slot, t->todo.n - slot, sizeof(*t->todo.v), line_cmp);
}

static void put_line(const struct tree *t, struct buf *b, const struct line *line)
{
	const struct callnode *n = &t->tree->nodes.v[line->node];
	const struct func *f = &t->tree->funcs.v[n->func];
	uint32_t depth = t->depth[line->node] + !!line->n_pruned;
	uint64_t self = line->n_pruned ? 0 : n->self;

	output_printf(b, "%7.2f%% %7.2f%% %11" PRIu64 "  %*s", percent(t, line->total),
		      percent(t, self), line->total,
		      (int)(depth < MAX_INDENT ? depth : MAX_INDENT) * 2, "");
	if (depth > MAX_INDENT)
		output_printf(b, "%" PRIu32 ": ", depth);
	if (line->n_pruned) {
		output_printf(b, "[%" PRIu32 " below %g %%]\n", line->n_pruned, t->min_percent);
		return;
	}
	text_func(b, t->tree, &t->names, n->func);
	output_printf(b, "%s\n", f->inlined ? " (inlined)" : "");
}

static void write_lines(struct tree *t, FILE *out)
{
	const struct callnode *root = &t->tree->nodes.v[0];
	struct buf b = { 0 };

	vec_push(&t->todo, ((struct line){ .node = 0, .total = root->total }));
	while (t->todo.n) {
		struct line line = t->todo.v[--t->todo.n];

		put_line(t, &b, &line);
		if (!line.n_pruned)
			push_children(t, line.node);
		fwrite(b.data, 1, b.len, out);
		b.len = 0;
	}
	buf_deinit(&b);
}

static struct err *tree_write(const struct output_context *ctx, FILE *out)
{
	const struct calltree *tree = ctx->tree;
	struct tree t = {
		.tree = tree,
		.min_percent = ctx->min_percent,
		.whole = (double)tree->profile->weight,
		.depth = xcalloc(tree->nodes.n, sizeof(*t.depth)),
	};
	struct buf b = { 0 };

	for (size_t i = 1; i < tree->nodes.n; i++)
		t.depth[i] = t.depth[tree->nodes.v[i].parent] + 1;
	samenames_init(&t.names, tree);
	text_header(&b, ctx);
	output_printf(&b, "#  total     self %11s  function\n", "total");
	fwrite(b.data, 1, b.len, out);
	buf_deinit(&b);
	write_lines(&t, out);
	vec_deinit(&t.todo);
	samenames_deinit(&t.names);
	free(t.depth);
	return output_finish(out, "tree");
}

const struct output tree_output = {
	.name = "tree",
	.suffix = ".tree",
	.what = "the call tree as indented text",
	.write = tree_write,
};
