/* In: a difference. Out: the interactive page over both sides. */
#include <math.h>
#include <string.h>

#include "output/diff_output.h"
#include "output/html.h"

/* The columns of the page, by node. */
struct sides {
	uint64_t *self[DIFF_SIDES], *samples[DIFF_SIDES];
	uint8_t *significant; /* by function of the tree */
};

/* Samples of a node with all below it → its own. */
static void own_samples(const struct diff *d, enum diff_side side, uint64_t *ret)
{
	const struct calltree *t = d->tree;

	for (size_t i = 0; i < t->nodes.n; i++)
		ret[i] = d->nodes[i].samples[side];
	for (size_t i = 1; i < t->nodes.n; i++) {
		uint64_t below = d->nodes[i].samples[side];
		uint64_t *own = &ret[t->nodes.v[i].parent];

		*own -= below < *own ? below : *own;
	}
}

static void sides_init(struct sides *s, const struct diff *d)
{
	const struct calltree *t = d->tree;
	_cleanup_free_ uint8_t *changed = xcalloc(d->functions.v.n + 1, 1);

	for (int side = 0; side < DIFF_SIDES; side++) {
		s->self[side] = xcalloc(t->nodes.n, sizeof(uint64_t));
		s->samples[side] = xcalloc(t->nodes.n, sizeof(uint64_t));
		for (size_t i = 0; i < t->nodes.n; i++)
			s->self[side][i] = (uint64_t)llround(d->weight[side][i]);
		own_samples(d, (enum diff_side)side, s->samples[side]);
	}
	for (size_t i = 0; i < d->changes.n; i++)
		changed[d->changes.v[i].function] =
			d->changes.v[i].total.significant || d->changes.v[i].self.significant;
	s->significant = xcalloc(t->funcs.n, 1);
	for (size_t i = 0; i < t->funcs.n; i++)
		s->significant[i] = changed[d->functions.of[i]];
}

static void sides_deinit(struct sides *s)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		free(s->self[side]);
		free(s->samples[side]);
	}
	free(s->significant);
}

static struct err *diff_html_write(const struct diff_context *ctx, FILE *out)
{
	struct sides s;

	sides_init(&s, ctx->diff);
	struct html_diff diff = {
		.name_a = ctx->about[DIFF_BEFORE],
		.name_b = ctx->about[DIFF_AFTER],
		.self_a = s.self[DIFF_BEFORE],
		.samples_a = s.samples[DIFF_BEFORE],
		.self_b = s.self[DIFF_AFTER],
		.samples_b = s.samples[DIFF_AFTER],
		.significant = s.significant,
	};
	struct html_options options = { .by = GROUP_NONE, .diff = &diff };
	struct output_context plain = { .tree = ctx->diff->tree,
					.title = ctx->title,
					.options = &options };
	struct err *err = html_output.write(&plain, out);

	sides_deinit(&s);
	return err;
}

const struct diff_output diff_html_output = {
	.name = "html",
	.suffix = ".html",
	.what = "interactive page of both sides together",
	.write = diff_html_write,
};
