/* In: the call tree. Out: one line for each distinct stack, sorted, sums unchanged.
 *
 * Names that differ may look the same once they are clean, so the tree is merged anew by clean
 * names. It is then written depth first in an order that makes the lines sorted, without ever
 * holding them all: 200,000 stacks 300 deep would be more than a gigabyte of text. */
#include "output/folded.h"

#include <inttypes.h>
#include <string.h>

struct line_node {
	uint32_t name; /* id in names */
	uint32_t parent;
	uint64_t self;
	bool has_children;
};

/* What stands under a node, in order: a line that ends in `node`, or all that goes on from it. */
struct item {
	uint32_t node;
	bool is_line;
	uint32_t next; /* index + 1 into items; 0: none */
};

struct folded {
	const struct calltree *tree;
	const struct folded_options *opt;
	struct intern names;         /* clean */
	VEC(struct line_node) nodes; /* [0]: the root, no frame */
	struct table node_table;
	uint32_t *inner, *leaf; /* by function: id + 1 of its name inside a stack and at its end */
	VEC(struct item) items;
	uint32_t *first; /* by node: first item below it + 1 */
};

/* Blanks as Perl's \s sees them in UTF-8 text; the length, 0 if it is none. */
static size_t blank_len(const char *p)
{
	static const char *const wide[] = {
		"\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xaf", "\xe2\x81\x9f",
		"\xe3\x80\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
		"\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
		"\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a",
	};

	if (*p == ' ')
		return 1;
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (!strncmp(p, wide[i], strlen(wide[i])))
			return strlen(wide[i]);
	return 0;
}

/* Replaces blanks from `from` on by '_', in place: text only gets shorter. */
static void blanks_to_underscores(char *from)
{
	char *to = from;

	while (*from) {
		size_t n = blank_len(from);

		if (n)
			*to++ = '_';
		else
			*to++ = *from++;
		from += n;
	}
	*to = '\0';
}

/* Readers take the text after the last blank for the count, try the same once more on the rest
 * (a differential), and trim: no leaf may end in blanks, or in blanks and a number. */
static void guard_leaf(char *name)
{
	char *tail = NULL; /* where the trailing run of blanks and numbers begins */

	for (char *p = name; *p;) {
		size_t n = blank_len(p);
		bool in_number = (*p >= '0' && *p <= '9') || *p == '.';

		if (n && !tail)
			tail = p;
		else if (!n && !in_number)
			tail = NULL;
		p += n ?: 1;
	}
	if (tail)
		blanks_to_underscores(tail);
}

static const char *suffix(const struct folded_options *opt, const struct func *f)
{
	if (opt->mark_kernel && f->origin == ORIGIN_KERNEL)
		return "_[k]";
	if (opt->mark_jit && f->origin == ORIGIN_JIT)
		return "_[j]";
	return opt->mark_inlined && f->inlined ? "_[i]" : "";
}

void folded_name(struct buf *b, const struct func *f, const char *mark, bool is_leaf)
{
	size_t from = b->len;

	output_clean_utf8(b, f->name, strlen(f->name));
	/* Text that was read in may have it already. */
	bool has_it = b->len - from >= strlen(mark) &&
		      !memcmp(b->data + b->len - strlen(mark), mark, strlen(mark));

	output_printf(b, "%s", has_it ? "" : mark);
	buf_u8(b, 0);
	char *s = (char *)b->data + from;

	for (char *p = s; *p; p++)
		if (*p == ';')
			*p = ':';
	if (f->origin == ORIGIN_GROUP)
		blanks_to_underscores(s);
	if (is_leaf)
		guard_leaf(s);
	b->len = from + strlen(s);
}

static uint32_t clean_name(struct folded *fo, const struct func *f, bool is_leaf)
{
	struct buf b = { 0 };

	folded_name(&b, f, suffix(fo->opt, f), is_leaf);
	uint32_t id = intern_add_len(&fo->names, (const char *)b.data, b.len);

	buf_deinit(&b);
	return id;
}

static uint32_t func_name(struct folded *fo, uint32_t func, bool is_leaf)
{
	uint32_t *cache = is_leaf ? fo->leaf : fo->inner;

	if (!cache[func])
		cache[func] = clean_name(fo, &fo->tree->funcs.v[func], is_leaf) + 1;
	return cache[func] - 1;
}

static uint32_t line_child(struct folded *fo, uint32_t parent, uint32_t name)
{
	uint64_t hash = hash_u64((uint64_t)parent << 32 | name);

	for (struct table_probe p = table_probe(&fo->node_table, hash);
	     table_next(&fo->node_table, &p);) {
		const struct line_node *n = &fo->nodes.v[p.value];

		if (n->parent == parent && n->name == name)
			return p.value;
	}
	uint32_t id = (uint32_t)fo->nodes.n;

	vec_push(&fo->nodes, ((struct line_node){ .name = name, .parent = parent }));
	table_add(&fo->node_table, hash, id);
	return id;
}

static void add_self(struct folded *fo, uint32_t parent, uint32_t name, uint64_t weight)
{
	uint32_t node = line_child(fo, parent, name);

	fo->nodes.v[node].self += weight;
}

/* Below the limit a whole subtree becomes weight of one "[pruned]" under its caller. */
static void merge_by_clean_name(struct folded *fo, double min_percent)
{
	const struct calltree *t = fo->tree;
	double least = min_percent / 100 * (double)t->nodes.v[0].total;
	uint32_t *map = xcalloc(t->nodes.n, sizeof(*map));
	uint8_t *gone = xcalloc(t->nodes.n, 1);
	uint32_t pruned = intern_add(&fo->names, "[pruned]");

	if (t->nodes.v[0].self)
		add_self(fo, 0, intern_add(&fo->names, "[no frames]"), t->nodes.v[0].self);
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct callnode *n = &t->nodes.v[i];
		uint32_t parent = map[n->parent];

		gone[i] = gone[n->parent] || (double)n->total < least;
		if (gone[i] && !gone[n->parent] && n->total)
			add_self(fo, parent, pruned, n->total);
		if (gone[i])
			continue;
		if (n->first_child)
			map[i] = line_child(fo, parent, func_name(fo, n->func, false));
		if (n->self)
			add_self(fo, parent, func_name(fo, n->func, true), n->self);
	}
	free(map);
	free(gone);
	for (size_t i = 1; i < fo->nodes.n; i++)
		fo->nodes.v[fo->nodes.v[i].parent].has_children = true;
}

/* A name as the sort sees it: at the end of a line, or with the ';' of what follows. */
struct sort_key {
	const char *name;
	uint32_t id;
	bool is_line;
};

static int key_cmp(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	size_t i = 0;

	while (x->name[i] && x->name[i] == y->name[i])
		i++;
	uint8_t cx = (uint8_t)x->name[i] ?: x->is_line ? 0 : ';';
	uint8_t cy = (uint8_t)y->name[i] ?: y->is_line ? 0 : ';';

	return (cx > cy) - (cx < cy);
}

/* Ranks of (name, is_line): [2 * id + is_line]. Caller frees. */
static uint32_t *key_ranks(const struct folded *fo)
{
	size_t n = fo->names.strings.n;
	_cleanup_free_ struct sort_key *keys = xcalloc(2 * n, sizeof(*keys));
	uint32_t *rank = xcalloc(2 * n, sizeof(*rank));

	for (uint32_t i = 0; i < 2 * n; i++)
		keys[i] = (struct sort_key){ intern_str(&fo->names, i / 2), i / 2, i % 2 };
	qsort(keys, 2 * n, sizeof(*keys), key_cmp);
	for (uint32_t i = 0; i < 2 * n; i++)
		rank[2 * keys[i].id + keys[i].is_line] = i;
	return rank;
}

static void make_items(struct folded *fo)
{
	for (uint32_t i = 1; i < fo->nodes.n; i++) {
		if (fo->nodes.v[i].self)
			vec_push(&fo->items, ((struct item){ .node = i, .is_line = true }));
		if (fo->nodes.v[i].has_children)
			vec_push(&fo->items, ((struct item){ .node = i }));
	}
}

/* Puts the items below each node in the order of their keys: a counting sort over all at once. */
static void order_items(struct folded *fo)
{
	_cleanup_free_ uint32_t *rank = key_ranks(fo);
	size_t n_keys = 2 * fo->names.strings.n;
	_cleanup_free_ uint32_t *at = xcalloc(n_keys + 1, sizeof(*at));
	_cleanup_free_ uint32_t *order = xcalloc(fo->items.n + 1, sizeof(*order));

	for (size_t i = 0; i < fo->items.n; i++) {
		const struct item *it = &fo->items.v[i];

		at[rank[2 * fo->nodes.v[it->node].name + it->is_line] + 1]++;
	}
	for (size_t i = 0; i < n_keys; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < fo->items.n; i++) {
		const struct item *it = &fo->items.v[i];

		order[at[rank[2 * fo->nodes.v[it->node].name + it->is_line]]++] = i;
	}
	fo->first = xcalloc(fo->nodes.n, sizeof(*fo->first));
	for (size_t i = fo->items.n; i-- > 0;) {
		struct item *it = &fo->items.v[order[i]];
		uint32_t parent = fo->nodes.v[it->node].parent;

		it->next = fo->first[parent];
		fo->first[parent] = order[i] + 1;
	}
}

/* An open subtree: what comes after it, and how much of the path is its caller's. */
struct level {
	uint32_t next; /* item + 1 */
	size_t path_len;
};

static void write_lines(const struct folded *fo, FILE *out)
{
	VEC(struct level) stack = { 0 };
	struct buf path = { 0 };
	uint32_t at = fo->first[0];

	for (;;) {
		if (!at && !stack.n)
			break;
		if (!at) {
			struct level up = stack.v[--stack.n];

			at = up.next;
			path.len = up.path_len;
			continue;
		}
		const struct item *it = &fo->items.v[at - 1];
		const struct line_node *node = &fo->nodes.v[it->node];
		const char *name = intern_str(&fo->names, node->name);
		size_t len = path.len;

		buf_bytes(&path, name, strlen(name));
		if (it->is_line) {
			output_printf(&path, " %" PRIu64 "\n", node->self);
			fwrite(path.data, 1, path.len, out);
			path.len = len;
			at = it->next;
		} else {
			buf_u8(&path, ';');
			vec_push(&stack, ((struct level){ it->next, len }));
			at = fo->first[it->node];
		}
	}
	buf_deinit(&path);
	vec_deinit(&stack);
}

static struct err *folded_write(const struct output_context *ctx, FILE *out)
{
	static const struct folded_options none;
	struct folded fo = { .tree = ctx->tree, .opt = ctx->options ?: &none };

	intern_init(&fo.names);
	vec_push(&fo.nodes, (struct line_node){ 0 });
	fo.inner = xcalloc(ctx->tree->funcs.n, sizeof(*fo.inner));
	fo.leaf = xcalloc(ctx->tree->funcs.n, sizeof(*fo.leaf));
	merge_by_clean_name(&fo, ctx->min_percent);
	make_items(&fo);
	order_items(&fo);
	write_lines(&fo, out);
	intern_deinit(&fo.names);
	vec_deinit(&fo.nodes);
	vec_deinit(&fo.items);
	table_deinit(&fo.node_table);
	free(fo.inner);
	free(fo.leaf);
	free(fo.first);
	return output_finish(out, "folded");
}

const struct output folded_output = {
	.name = "folded",
	.suffix = ".folded",
	.what = "one line a stack: what flamegraph.pl, inferno and speedscope read",
	.write = folded_write,
};
