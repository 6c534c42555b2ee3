/* In: a difference. Out: a table of functions: what changed, by how much, and whether that means
 * anything. */
#include <inttypes.h>
#include <string.h>

#include "output/diff_output.h"
#include "output/text.h"

static const char dim_on[] = "\033[2m", dim_off[] = "\033[0m";

/* "+12.30 ± 1.20" */
static void put_change(struct buf *b, const struct diff_value *v)
{
	output_printf(b, "%+7.2f ±%5.2f%c", 100 * diff_change(v), diff_change_margin(v),
		      v->significant ? '*' : ' ');
}

static void put_share(struct buf *b, const struct diff_value *v, enum diff_side side)
{
	output_printf(b, "%7.2f ±%5.2f%%", 100 * v->share[side], diff_share_margin(v, side));
}

static void put_row(const struct diff_context *ctx, struct buf *b, const struct diff_function *f,
		    bool no_binaries)
{
	const struct diff *d = ctx->diff;
	const struct func *func = &d->tree->funcs.v[d->functions.v.v[f->function].func];
	const char *binary = binary_name(binaries_get(&d->data->binaries, func->binary));
	bool grey = ctx->dim && !f->total.significant && !f->self.significant;

	if (grey)
		buf_bytes(b, dim_on, sizeof(dim_on) - 1);
	put_change(b, &f->total);
	put_share(b, &f->total, DIFF_BEFORE);
	put_share(b, &f->total, DIFF_AFTER);
	output_printf(b, " %7" PRIu64 " %7" PRIu64, f->total.samples[DIFF_BEFORE],
		      f->total.samples[DIFF_AFTER]);
	put_change(b, &f->self);
	output_printf(b, "  ");
	if (!no_binaries)
		text_binary(b, binary);
	output_clean_utf8(b, func->name, strlen(func->name));
	if (grey)
		buf_bytes(b, dim_off, sizeof(dim_off) - 1);
	buf_u8(b, '\n');
}

static void put_header(const struct diff_context *ctx, struct buf *b)
{
	const struct diff *d = ctx->diff;
	static const char *const words[] = { "before", "after" };

	if (ctx->title) {
		output_printf(b, "# ");
		output_clean_utf8(b, ctx->title, strlen(ctx->title));
		buf_u8(b, '\n');
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		output_printf(b, "# %s: ", words[side]);
		output_clean_utf8(b, ctx->about[side], strlen(ctx->about[side]));
		buf_u8(b, '\n');
	}
	if (d->per_amount)
		output_printf(b,
			      "# numbers are per %s, in percent of the whole before; the whole "
			      "is now %.2f ±%.2f%%\n",
			      ctx->per, 100 * d->nodes[0].share[DIFF_AFTER],
			      diff_share_margin(&d->nodes[0], DIFF_AFTER));
	else
		output_printf(b, "# numbers are percent of each side's %s\n", ctx->unit);
	output_printf(b, "# %zu of %zu functions changed (*): %s, false discovery rate %g %%\n",
		      d->n_significant, (size_t)d->changes.n, diff_test_name(d),
		      100 * DIFF_FALSE_RATE);
}

static struct err *diff_text_write(const struct diff_context *ctx, FILE *out)
{
	const struct diff *d = ctx->diff;
	size_t n = ctx->limit && ctx->limit < d->changes.n ? ctx->limit : d->changes.n;
	bool no_binaries = text_no_binaries(&d->functions);
	struct buf b = { 0 };

	put_header(ctx, &b);
	if (n)
		output_printf(&b,
			      "#      change         before          after       samples  "
			      "    self change  %sfunction\n",
			      no_binaries ? "" : TEXT_BINARY_HEAD);
	for (size_t i = 0; i < n; i++)
		put_row(ctx, &b, &d->changes.v[i], no_binaries);
	if (n < d->changes.n)
		output_printf(&b, "# %zu more functions; --limit 0 shows all\n",
			      (size_t)d->changes.n - n);
	fwrite(b.data, 1, b.len, out);
	buf_deinit(&b);
	return output_finish(out, "text");
}

const struct diff_output diff_text_output = {
	.name = "text",
	.suffix = ".txt",
	.what = "a table, largest regressions first",
	.write = diff_text_write,
};
