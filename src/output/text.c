/* In: the call tree. Out: a table of functions, heaviest first, each with its callers. */
#include "output/text.h"

#include <inttypes.h>
#include <string.h>

#include "profile/functions.h"
#include "profile/stats.h"

enum { BINARY_WIDTH = 18 };

struct text {
	const struct calltree *tree;
	struct functions functions;
	struct samenames names;
	bool no_binaries;
	double whole; /* what 100 % is */
};

static int total_cmp(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;

	if ((*x)->total != (*y)->total)
		return (*x)->total > (*y)->total ? -1 : 1;
	if ((*x)->self != (*y)->self)
		return (*x)->self > (*y)->self ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static int self_cmp(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;

	if ((*x)->self != (*y)->self)
		return (*x)->self > (*y)->self ? -1 : 1;
	return total_cmp(a, b);
}

static double percent(const struct text *t, uint64_t weight)
{
	return t->whole > 0 ? 100 * (double)weight / t->whole : 0;
}

/* " 97.62 ±1.24%": the 95 % interval, its wider side. */
static void put_share(const struct text *t, struct buf *b, uint64_t weight)
{
	uint64_t samples = t->tree->profile->samples;
	double share = percent(t, weight) / 100;

	output_printf(b, "%7.2f ±%5.2f%%", 100 * share,
		      100 * stats_share_margin(share < 1 ? share : 1, samples));
}

void text_func(struct buf *b, const struct calltree *t, const struct samenames *names,
	       uint32_t func)
{
	const char *name = t->funcs.v[func].name, *in = names->of[func];

	output_clean_utf8(b, name, strlen(name));
	if (!in || !*in)
		return;
	output_printf(b, " (in ");
	output_clean_utf8(b, in, strlen(in));
	output_printf(b, ")");
}

void text_binary(struct buf *b, const char *name)
{
	size_t from = b->len;

	output_clean_utf8(b, name, strlen(name));
	for (size_t width = b->len - from; width < BINARY_WIDTH; width++)
		buf_u8(b, ' ');
	buf_bytes(b, "  ", 2);
}

bool text_no_binaries(const struct functions *f)
{
	const struct calltree *t = f->tree;

	for (size_t i = 0; i < f->v.n; i++) {
		uint32_t id = t->funcs.v[f->v.v[i].func].binary;
		const struct binary *b = binaries_get(&t->profile->data->binaries, id);

		if (f->v.v[i].is_code && b->kind != BINARY_KIND_UNKNOWN && *binary_name(b) &&
		    strcmp(binary_name(b), "[unknown]") != 0)
			return false;
	}
	return true;
}

static void put_inlined(struct buf *b, const struct function *row)
{
	if (row->inlined)
		output_printf(b, " (inlined)");
}

static void put_row(const struct text *t, struct buf *b, const struct function *row)
{
	const struct func *f = &t->tree->funcs.v[row->func];
	const char *binary =
		binary_name(binaries_get(&t->tree->profile->data->binaries, f->binary));

	put_share(t, b, row->total);
	put_share(t, b, row->self);
	output_printf(b, " %11" PRIu64 " %11" PRIu64 "  ", row->total, row->self);
	if (t->tree->profile->by_period)
		output_printf(b, "%9" PRIu64 "  ", row->total_samples);
	if (!t->no_binaries)
		text_binary(b, t->names.of[row->func] ?: binary);
	output_clean_utf8(b, f->name, strlen(f->name));
	put_inlined(b, row);
	buf_u8(b, '\n');
}

static void put_callers(const struct text *t, struct buf *b, const struct function *row)
{
	const struct functions *f = &t->functions;
	uint32_t first = row->first_caller;
	uint32_t id = (uint32_t)(row - f->v.v);
	int indent = 56 + (t->tree->profile->by_period ? 11 : 0) - (t->no_binaries ? 20 : 0);

	for (uint32_t i = first; first && i < first + 3 && i <= f->callers.n; i++) {
		const struct caller *c = &f->callers.v[i - 1];

		if (c->callee != id)
			return;
		output_printf(b, "%*s", indent, "");
		put_share(t, b, c->weight);
		output_printf(b, "  %s ", t->tree->reversed ? "into" : "from");
		text_func(b, t->tree, &t->names, f->v.v[c->caller].func);
		put_inlined(b, &f->v.v[c->caller]);
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
	_cleanup_free_ const struct function **order =
		xcalloc(t->functions.v.n + 1, sizeof(const void *));
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < t->functions.v.n; i++)
		if (opt->by_self ? t->functions.v.v[i].self : t->functions.v.v[i].total)
			order[n++] = &t->functions.v.v[i];
	qsort(order, n, sizeof(*order), opt->by_self ? self_cmp : total_cmp);
	if (n)
		output_printf(b, "#        total           self %11s %11s  %s%sfunction\n", "total",
			      "self", t->tree->profile->by_period ? "  samples  " : "",
			      t->no_binaries ? "" : TEXT_BINARY_HEAD);
	for (; shown < n && (!opt->limit || shown < opt->limit); shown++) {
		const struct function *row = order[shown];

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

	functions_init(&t.functions, ctx->tree);
	samenames_init(&t.names, ctx->tree);
	t.no_binaries = text_no_binaries(&t.functions);
	text_header(&b, ctx);
	put_table(&t, ctx, &b);
	fwrite(b.data, 1, b.len, out);
	buf_deinit(&b);
	functions_deinit(&t.functions);
	samenames_deinit(&t.names);
	return output_finish(out, "text");
}

const struct output text_output = {
	.name = "text",
	.suffix = ".txt",
	.what = "a table of functions with their callers",
	.write = text_write,
};
