/* In: a difference. Out: a flame graph of both sides, coloured by change. */
#include <string.h>

#include "output/diff_output.h"
#include "output/svg.h"
#include "output/svg/palette.h"

static char *note_text(const struct diff *d, uint32_t node)
{
	const struct diff_value *v = &d->nodes[node];
	struct buf b = { 0 };

	output_printf(&b, "%.2f ±%.2f %% → %.2f ±%.2f %% · %+.2f ±%.2f · ",
		      100 * v->share[DIFF_BEFORE], diff_share_margin(v, DIFF_BEFORE),
		      100 * v->share[DIFF_AFTER], diff_share_margin(v, DIFF_AFTER),
		      100 * diff_change(v), diff_change_margin(v));
	output_number(&b, v->samples[DIFF_BEFORE]);
	output_printf(&b, " → ");
	output_number(&b, v->samples[DIFF_AFTER]);
	output_printf(&b, " samples · ");
	if (v->significant)
		output_printf(&b, v->p < 1e-4 ? "p < 0.0001" : "p = %.4f", v->p);
	else
		output_printf(&b, "not significant");
	buf_u8(&b, 0);
	return (char *)b.data;
}

static void make_note(const struct diff *d, uint32_t node, struct svg_note *note)
{
	const struct diff_value *v = &d->nodes[node];
	double both = v->share[DIFF_BEFORE] + v->share[DIFF_AFTER];

	palette_change_class(v->significant && both > 0 ? diff_change(v) / both : 0,
			     note->class_name);
	note->text = note_text(d, node);
}

static struct err *diff_svg_write(const struct diff_context *ctx, FILE *out)
{
	const struct diff *d = ctx->diff;
	size_t n = d->tree->nodes.n;
	_cleanup_free_ char *title =
		xasprintf("%s", ctx->title ?: "What changed: red more, blue less, grey the same");
	_cleanup_free_ char *subtitle =
		xasprintf("before: %s · after: %s · percent of %s · %s, false discovery rate %g %%",
			  ctx->about[DIFF_BEFORE], ctx->about[DIFF_AFTER],
			  d->per_amount ? "the whole before" : "each side", diff_test_name(d),
			  100 * DIFF_FALSE_RATE);
	_cleanup_free_ struct svg_note *notes = xcalloc(n, sizeof(*notes));
	struct svg_options opt = { .width = ctx->width, .notes = notes };
	struct output_context plain = {
		.tree = d->tree, .title = title, .subtitle = subtitle, .options = &opt
	};

	for (uint32_t i = 0; i < n; i++)
		make_note(d, i, &notes[i]);
	struct err *err = svg_output.write(&plain, out);

	for (uint32_t i = 0; i < n; i++)
		free(notes[i].text);
	return err;
}

const struct diff_output diff_svg_output = {
	.name = "svg",
	.suffix = ".svg",
	.what = "a flame graph of both sides, coloured by change",
	.write = diff_svg_write,
};
