/* In: a difference. Out: folded stacks with two counts. */
#include <inttypes.h>
#include <string.h>

#include "output/diff_output.h"
#include "output/folded.h"

static void put_stack(const struct calltree *t, uint32_t leaf, struct buf *b)
{
	VEC(uint32_t) path = { 0 };

	for (uint32_t i = leaf; i; i = t->nodes.v[i].parent)
		vec_push(&path, i);
	for (size_t i = path.n; i-- > 0;) {
		folded_name(b, &t->funcs.v[t->nodes.v[path.v[i]].func], "", i == 0);
		if (i)
			buf_u8(b, ';');
	}
	if (!leaf)
		output_printf(b, "[no frames]");
	vec_deinit(&path);
}

static struct err *diff_folded_write(const struct diff_context *ctx, FILE *out)
{
	const struct diff *d = ctx->diff;
	struct buf b = { 0 };

	for (uint32_t i = 0; i < d->tree->nodes.n; i++) {
		double before = d->weight[DIFF_BEFORE][i] * d->scale;
		double after = d->weight[DIFF_AFTER][i];

		if (before <= 0 && after <= 0)
			continue;
		b.len = 0;
		put_stack(d->tree, i, &b);
		output_printf(&b, " %.0f %.0f\n", before, after);
		fwrite(b.data, 1, b.len, out);
	}
	buf_deinit(&b);
	return output_finish(out, "difffolded");
}

const struct diff_output diff_folded_output = {
	.name = "difffolded",
	.suffix = ".folded",
	.what = "stacks with two counts, for flamegraph.pl",
	.write = diff_folded_write,
};
