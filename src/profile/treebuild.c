/* In: weighted stacks of frames, and names. Out: the call tree, with how the stacks ended. */
#include <string.h>

#include "profile/calltree.h"
#include "profile/framefuncs.h"

/* Where a node of the frame tree stands in the call tree, for the group under way. */
struct memo {
	uint32_t group; /* + 1; 0: never */
	uint32_t callnode;
};

struct treebuild {
	struct calltree *t;
	const struct profile *p;
	const struct frame *frames;
	struct framefuncs ff;
	const struct calltree_options *opt;
	bool is_fp, is_lbr;  /* chains of frame pointers or of calls, whose ends must be checked */
	struct memo *memo;   /* by node */
	uint32_t *outer;     /* by node: the outermost frame with code of its stack */
	uint8_t *has_symbol; /* by node: --symbol matches in its stack; NULL: not asked */
	VEC(uint32_t) path;  /* scratch */
	struct table cut_table;
};

/* Parents have smaller numbers than their children: one pass. */
static void find_outermost(struct treebuild *b, size_t n_nodes)
{
	b->outer = xcalloc(n_nodes, sizeof(*b->outer));
	for (uint32_t i = 1; i < n_nodes; i++) {
		uint32_t parent = b->frames[i].parent;
		bool first = !parent || b->frames[b->outer[parent]].kind == FRAME_CUT;

		b->outer[i] = first ? i : b->outer[parent];
	}
}

static void find_symbol(struct treebuild *b, size_t n_nodes)
{
	b->has_symbol = xcalloc(n_nodes, sizeof(*b->has_symbol));
	for (uint32_t i = 1; i < n_nodes; i++) {
		struct func_list l = framefuncs_get(&b->ff, i);
		bool has = b->has_symbol[b->frames[i].parent];

		for (uint32_t k = 0; !has && k < l.n; k++)
			has = framefuncs_match(&b->ff, b->ff.list.v[l.first + k].func) &
			      MATCH_SYMBOL;
		b->has_symbol[i] = has;
	}
}

/* A chain often ends in an address or two that are no code: the binary to blame is that of the
 * outermost frame that is known. */
static uint32_t outermost_known(const struct treebuild *b, uint32_t node)
{
	uint32_t known = BINARY_UNKNOWN;

	for (; node; node = b->frames[node].parent) {
		const struct frame *f = &b->frames[node];

		if (f->kind != FRAME_CUT && f->binary != BINARY_UNKNOWN &&
		    f->binary != BINARY_KERNEL)
			known = f->binary;
	}
	return known;
}

/* How the stack ended, and which binary is to blame. */
static enum verdict stack_verdict(const struct treebuild *b, uint32_t node, uint32_t *ret_binary)
{
	*ret_binary = BINARY_UNKNOWN;
	if (!node)
		return VERDICT_NO_STACK;
	uint32_t outer = b->outer[node];
	const struct frame *f = &b->frames[outer];
	const struct frame *cut = f->kind == FRAME_CUT ? f
				  : f->parent          ? &b->frames[f->parent]
						       : NULL;

	if (cut) {
		enum verdict v = cut->off > 0 && cut->off < N_VERDICTS ? (enum verdict)cut->off
								       : VERDICT_NO_STACK;

		if (cut->binary != BINARY_UNKNOWN)
			*ret_binary = cut->binary;
		else if (v == VERDICT_NO_CFI || v == VERDICT_BAD_CFA || v == VERDICT_FP_END)
			*ret_binary = outermost_known(b, node);
		return v;
	}
	const struct binary *binary = binaries_get(&b->p->data->binaries, f->binary);

	if ((!b->is_fp && !b->is_lbr) || binary->kind == BINARY_KIND_KERNEL ||
	    binary->kind == BINARY_KIND_TEXT)
		return VERDICT_COMPLETE;
	const struct name_entry *e = names_find(b->ff.names, f->binary, names_key(f));

	if (e && e->flags & NAME_START)
		return VERDICT_COMPLETE;
	*ret_binary = f->binary == BINARY_UNKNOWN ? outermost_known(b, node) : f->binary;
	return b->is_lbr ? VERDICT_DEPTH_LIMIT : VERDICT_FP_END;
}

static void count_verdict(struct treebuild *b, enum verdict v, uint32_t binary, uint64_t samples)
{
	binary = b->ff.same[binary];
	uint64_t hash = hash_pair(binary, v);

	b->t->verdicts[v] += samples;
	if (v == VERDICT_COMPLETE)
		return;
	for (struct table_probe p = table_probe(&b->cut_table, hash);
	     table_next(&b->cut_table, &p);) {
		struct cut_binary *c = &b->t->cuts.v[p.value];

		if (c->binary == binary && c->verdict == v) {
			c->samples += samples;
			return;
		}
	}
	struct cut_binary cut = { .binary = binary, .verdict = v, .samples = samples };

	table_add(&b->cut_table, hash, (uint32_t)b->t->cuts.n);
	vec_push(&b->t->cuts, cut);
}

static int cut_cmp(const void *a, const void *b)
{
	const struct cut_binary *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return (x->binary > y->binary) - (x->binary < y->binary);
}

static uint32_t step(struct treebuild *b, uint32_t at, struct func_at f)
{
	if (framefuncs_match(&b->ff, f.func) & MATCH_HIDE)
		return at;
	return calltree_child_at(b->t, at, f.func, f.place);
}

static uint32_t step_out(struct treebuild *b, uint32_t at, uint32_t func)
{
	return step(b, at, (struct func_at){ .func = func });
}

/* From the outermost frame in. Stacks share their outer parts, so each node of the frame tree is
 * placed once a group. */
static uint32_t place_stack(struct treebuild *b, uint32_t base, const struct stack_weight *w)
{
	uint32_t at = base;
	uint32_t node = w->node;

	b->path.n = 0;
	for (; node; node = b->frames[node].parent) {
		if (b->memo[node].group == w->group + 1) {
			at = b->memo[node].callnode;
			break;
		}
		vec_push(&b->path, node);
	}
	for (size_t i = b->path.n; i-- > 0;) {
		node = b->path.v[i];
		struct func_list l = framefuncs_get(&b->ff, node);

		for (uint32_t k = l.n; k-- > 0;)
			at = step(b, at, b->ff.list.v[l.first + k]);
		b->memo[node] = (struct memo){ .group = w->group + 1, .callnode = at };
	}
	return at;
}

/* From the innermost frame out: nothing is shared between stacks. */
static uint32_t place_reversed(struct treebuild *b, uint32_t at, uint32_t node)
{
	for (; node; node = b->frames[node].parent) {
		struct func_list l = framefuncs_get(&b->ff, node);

		for (uint32_t k = 0; k < l.n; k++)
			at = step(b, at, b->ff.list.v[l.first + k]);
	}
	return at;
}

static void add_stack(struct treebuild *b, const struct stack_weight *w, uint32_t group_node)
{
	if (b->has_symbol && !b->has_symbol[w->node]) {
		b->t->unmatched_samples += w->samples;
		return;
	}
	uint32_t binary;
	enum verdict v = stack_verdict(b, w->node, &binary);
	/* A FRAME_CUT node is its own "[truncated]"; the end of a chain is found only here. */
	bool unmarked = (v == VERDICT_FP_END || v == VERDICT_DEPTH_LIMIT) &&
			b->frames[b->outer[w->node]].kind != FRAME_CUT &&
			!b->frames[b->outer[w->node]].parent;
	uint32_t at = group_node;

	count_verdict(b, v, binary, w->samples);
	if (!w->node) {
		at = step_out(b, at, b->ff.unknown);
	} else if (b->opt->reverse) {
		at = place_reversed(b, at, w->node);
		if (unmarked)
			at = step_out(b, at, b->ff.truncated);
	} else {
		if (unmarked)
			at = step_out(b, at, b->ff.truncated);
		at = place_stack(b, at, w);
	}
	b->t->leaves.v[w - b->p->stacks.v] = at;
	b->t->nodes.v[at].self += w->weight;
	b->t->nodes.v[at].self_samples += w->samples;
}

/* Indexes of the stacks, those of one group together: memos hold for one group at a time. */
static uint32_t *stacks_by_group(const struct profile *p)
{
	_cleanup_free_ uint32_t *at = xcalloc(p->groups.n + 1, sizeof(*at));
	uint32_t *order = xcalloc(p->stacks.n + 1, sizeof(*order));

	for (size_t i = 0; i < p->stacks.n; i++)
		at[p->stacks.v[i].group + 1]++;
	for (size_t i = 0; i < p->groups.n; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < p->stacks.n; i++)
		order[at[p->stacks.v[i].group]++] = i;
	return order;
}

static uint32_t group_node(struct calltree *t, uint32_t group)
{
	const char *name = t->profile->groups.v[group];

	if (!*name)
		return 0;
	struct func f = { .name = name, .origin = ORIGIN_GROUP };

	return calltree_child(t, 0, calltree_func(t, &f));
}

static void add_stacks(struct treebuild *b)
{
	const struct profile *p = b->p;
	_cleanup_free_ uint32_t *order = stacks_by_group(p);
	uint32_t group = UINT32_MAX;
	uint32_t under = 0;

	vec_reserve(&b->t->leaves, p->stacks.n);
	b->t->leaves.n = p->stacks.n;
	for (size_t i = 0; i < p->stacks.n; i++)
		b->t->leaves.v[i] = UINT32_MAX;

	for (size_t i = 0; i < p->stacks.n; i++) {
		const struct stack_weight *w = &p->stacks.v[order[i]];

		if (w->group != group) {
			group = w->group;
			under = group_node(b->t, group);
		}
		add_stack(b, w, under);
	}
}

struct err *calltree_build(const struct profile *p, const struct names *names,
			   const struct calltree_options *opt, struct calltree **ret)
{
	size_t n_nodes = p->data->tree.frames.n;
	struct treebuild b = {
		.t = calltree_create(p),
		.p = p,
		.frames = p->data->tree.frames.v,
		.opt = opt,
		.is_fp = !strcmp(p->data->meta.callgraph, "fp"),
		.is_lbr = !strcmp(p->data->meta.callgraph, "lbr"),
		.memo = xcalloc(n_nodes, sizeof(*b.memo)),
	};

	b.t->reversed = opt->reverse;
	framefuncs_init(&b.ff, b.t, names, opt);
	find_outermost(&b, n_nodes);
	if (opt->frames && opt->frames->has_symbol)
		find_symbol(&b, n_nodes);
	add_stacks(&b);
	vec_sort(&b.t->cuts, cut_cmp);
	calltree_finish(b.t);
	framefuncs_deinit(&b.ff);
	table_deinit(&b.cut_table);
	vec_deinit(&b.path);
	free(b.memo);
	free(b.outer);
	free(b.has_symbol);
	*ret = b.t;
	return NULL;
}
