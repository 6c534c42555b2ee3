/* In: the call tree. Out: a table of functions, heaviest first, each with its callers. */
#include "output/text.h"

#include <inttypes.h>
#include <string.h>

/* One line of the table: equal (name, binary). */
struct row {
	uint32_t func; /* one of those that are this row */
	uint64_t total, self;
	uint32_t on_path;    /* how often it is on the stack under way */
	uint32_t first_edge; /* index + 1 into edges; 0: none */
	bool inlined;        /* everywhere */
};

struct edge {
	uint32_t row, caller;
	uint64_t weight;
};

struct text {
	const struct calltree *tree;
	VEC(struct row) rows;
	uint32_t *row_of; /* by function */
	VEC(struct edge) edges;
	struct table edge_table;
	double whole; /* what 100 % is */
};

static int func_cmp(const void *a, const void *b, void *ctx)
{
	const struct func *funcs = ctx;
	const struct func *x = &funcs[*(const uint32_t *)a];
	const struct func *y = &funcs[*(const uint32_t *)b];
	int cmp = strcmp(x->name, y->name);

	return cmp ?: (x->binary > y->binary) - (x->binary < y->binary);
}

static void make_rows(struct text *t)
{
	size_t n = t->tree->funcs.n;
	_cleanup_free_ uint32_t *order = xcalloc(n, sizeof(*order));

	t->row_of = xcalloc(n, sizeof(*t->row_of));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), func_cmp, t->tree->funcs.v);
	for (size_t i = 0; i < n; i++) {
		const struct func *f = &t->tree->funcs.v[order[i]];

		if (!i || func_cmp(&order[i - 1], &order[i], t->tree->funcs.v))
			vec_push(&t->rows, ((struct row){ .func = order[i], .inlined = true }));
		struct row *row = &t->rows.v[t->rows.n - 1];

		row->inlined &= f->inlined;
		if (f->origin != ORIGIN_GROUP && t->tree->funcs.v[row->func].origin == ORIGIN_GROUP)
			row->func = order[i];
		t->row_of[order[i]] = (uint32_t)t->rows.n - 1;
	}
}

static bool is_code(const struct calltree *t, uint32_t func)
{
	return t->funcs.v[func].origin != ORIGIN_GROUP &&
	       strcmp(t->funcs.v[func].name, "[truncated]") != 0;
}

static void add_edge(struct text *t, uint32_t row, uint32_t caller, uint64_t weight)
{
	uint64_t hash = hash_u64((uint64_t)row << 32 | caller);

	for (struct table_probe p = table_probe(&t->edge_table, hash);
	     table_next(&t->edge_table, &p);) {
		struct edge *e = &t->edges.v[p.value];

		if (e->row == row && e->caller == caller) {
			e->weight += weight;
			return;
		}
	}
	table_add(&t->edge_table, hash, (uint32_t)t->edges.n);
	vec_push(&t->edges, ((struct edge){ row, caller, weight }));
}

static void enter(struct text *t, const struct callnode *n)
{
	uint32_t row = t->row_of[n->func];
	struct row *r = &t->rows.v[row];
	uint32_t parent = t->tree->nodes.v[n->parent].func;

	if (!is_code(t->tree, n->func))
		return;
	r->self += n->self;
	if (r->on_path++)
		return;
	r->total += n->total;
	if (t->tree->funcs.v[parent].origin != ORIGIN_GROUP)
		add_edge(t, row, t->row_of[parent], n->total);
}

static void leave(struct text *t, const struct callnode *n)
{
	if (is_code(t->tree, n->func))
		t->rows.v[t->row_of[n->func]].on_path--;
}

/* Depth first without a stack of our own: nodes know their parents. */
static void walk(struct text *t)
{
	const struct callnode *nodes = t->tree->nodes.v;
	uint32_t at = nodes[0].first_child;

	while (at) {
		enter(t, &nodes[at]);
		if (nodes[at].first_child) {
			at = nodes[at].first_child;
			continue;
		}
		leave(t, &nodes[at]);
		while (at && !nodes[at].next) {
			at = nodes[at].parent;
			if (at)
				leave(t, &nodes[at]);
		}
		at = nodes[at].next; /* the root has none */
	}
}

static int edge_cmp(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->caller > y->caller) - (x->caller < y->caller); /* rows are in order of names */
}

static void sort_edges(struct text *t)
{
	if (t->edges.n)
		qsort(t->edges.v, t->edges.n, sizeof(*t->edges.v), edge_cmp);
	for (uint32_t i = (uint32_t)t->edges.n; i-- > 0;)
		t->rows.v[t->edges.v[i].row].first_edge = i + 1;
}

static int total_cmp(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;

	if ((*x)->total != (*y)->total)
		return (*x)->total > (*y)->total ? -1 : 1;
	if ((*x)->self != (*y)->self)
		return (*x)->self > (*y)->self ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static int self_cmp(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;

	if ((*x)->self != (*y)->self)
		return (*x)->self > (*y)->self ? -1 : 1;
	return total_cmp(a, b);
}

static double percent(const struct text *t, uint64_t weight)
{
	return t->whole > 0 ? 100 * (double)weight / t->whole : 0;
}

static void put_func(const struct text *t, struct buf *b, const struct row *row)
{
	const struct func *f = &t->tree->funcs.v[row->func];

	output_clean_utf8(b, f->name, strlen(f->name));
	if (row->inlined)
		output_printf(b, " (inlined)");
}

static void put_row(const struct text *t, struct buf *b, const struct row *row)
{
	const struct func *f = &t->tree->funcs.v[row->func];
	const char *binary =
		binary_name(binaries_get(&t->tree->profile->data->binaries, f->binary));
	size_t from;

	output_printf(b, "%7.2f%% %7.2f%% %11" PRIu64 " %11" PRIu64 "  ", percent(t, row->total),
		      percent(t, row->self), row->total, row->self);
	from = b->len;
	output_clean_utf8(b, binary, strlen(binary));
	for (size_t width = b->len - from; width < 18; width++)
		buf_u8(b, ' ');
	buf_bytes(b, "  ", 2);
	put_func(t, b, row);
	buf_u8(b, '\n');
}

static void put_callers(const struct text *t, struct buf *b, const struct row *row)
{
	uint32_t first = row->first_edge;
	uint32_t id = (uint32_t)(row - t->rows.v);

	for (uint32_t i = first; first && i < first + 3 && i <= t->edges.n; i++) {
		const struct edge *e = &t->edges.v[i - 1];

		if (e->row != id)
			return;
		output_printf(b, "%*s%7.2f%%  %s ", 43, "", percent(t, e->weight),
			      t->tree->reversed ? "into" : "from");
		put_func(t, b, &t->rows.v[e->caller]);
		buf_u8(b, '\n');
	}
}

static void other_events(struct buf *b, const struct profile *p)
{
	if (!p->other_events)
		return;
	output_printf(b, "# not counted: ");
	output_number(b, p->other_events);
	output_printf(b, " samples of other events; choose with --event");
	for (uint32_t i = 0; i < p->data->events.n; i++) {
		const char *name = p->data->events.v[i].name;

		if (i == p->event)
			continue;
		buf_u8(b, ' ');
		output_clean_utf8(b, name, strlen(name));
	}
	buf_u8(b, '\n');
}

void text_header(struct buf *b, const struct output_context *ctx)
{
	const struct profile *p = ctx->tree->profile;
	_cleanup_free_ char *own = ctx->subtitle ? NULL : output_subtitle(ctx->tree);
	const char *subtitle = ctx->subtitle ?: own;

	if (ctx->title) {
		output_printf(b, "# ");
		output_clean_utf8(b, ctx->title, strlen(ctx->title));
		buf_u8(b, '\n');
	}
	output_printf(b, "# ");
	output_clean_utf8(b, subtitle, strlen(subtitle));
	output_printf(b, "\n# numbers are %s; 100 %% is ", profile_unit(p));
	output_amount(b, p, p->weight);
	buf_u8(b, '\n');
	other_events(b, p);
	for (size_t i = 0; i < p->data->meta.fallbacks.n; i++) {
		const char *note = p->data->meta.fallbacks.v[i];

		output_printf(b, "# recorded so: ");
		output_clean_utf8(b, note, strlen(note));
		buf_u8(b, '\n');
	}
	if (!p->samples)
		output_printf(b, "# no samples\n");
}

static void put_table(struct text *t, const struct output_context *ctx, struct buf *b)
{
	static const struct text_options plain;
	const struct text_options *opt = ctx->options ?: &plain;
	_cleanup_free_ const struct row **order = xcalloc(t->rows.n + 1, sizeof(const void *));
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < t->rows.n; i++)
		if (opt->by_self ? t->rows.v[i].self : t->rows.v[i].total)
			order[n++] = &t->rows.v[i];
	qsort(order, n, sizeof(*order), opt->by_self ? self_cmp : total_cmp);
	if (n)
		output_printf(b, "#  total     self %11s %11s  %-18s  function\n", "total", "self",
			      "binary");
	for (; shown < n && (!opt->limit || shown < opt->limit); shown++) {
		const struct row *row = order[shown];

		if (percent(t, opt->by_self ? row->self : row->total) < ctx->min_percent)
			break;
		put_row(t, b, row);
		if (!opt->no_callers)
			put_callers(t, b, row);
	}
	if (shown < n)
		output_printf(b, "# %zu more functions%s\n", n - shown,
			      opt->limit && shown == opt->limit ? "; --limit 0 shows all"
								: " below --min-percent");
}

static struct err *text_write(const struct output_context *ctx, FILE *out)
{
	struct text t = { .tree = ctx->tree, .whole = (double)ctx->tree->profile->weight };
	struct buf b = { 0 };

	make_rows(&t);
	walk(&t);
	sort_edges(&t);
	text_header(&b, ctx);
	put_table(&t, ctx, &b);
	fwrite(b.data, 1, b.len, out);
	buf_deinit(&b);
	vec_deinit(&t.rows);
	vec_deinit(&t.edges);
	table_deinit(&t.edge_table);
	free(t.row_of);
	return output_finish(out, "text");
}

const struct output text_output = {
	.name = "text",
	.suffix = ".txt",
	.what = "a table of functions with their callers",
	.write = text_write,
};
