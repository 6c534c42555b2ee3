/* In: samples as recorded. Out: the same, each frame being the code of its time. */
#include "profile/codefollow.h"

#include <string.h>

/* Of a node: is there a frame in it or outside it whose code changed? */
enum concern { CONCERN_UNKNOWN, CONCERN_NO, CONCERN_YES };

struct codefollow {
	struct source source;
	struct source *inner;
	VEC(uint8_t) concern; /* enum concern, by node */
	VEC(uint32_t) path;   /* scratch: a stack, innermost first */
	VEC(struct sample) samples;
};

static bool changes(const struct dataset *d, const struct frame *f)
{
	return f->kind != FRAME_CUT && codetimes_find(&d->codetimes, f->binary, names_key(f));
}

/* Parents have smaller numbers than their children. */
static void judge_nodes(struct codefollow *c)
{
	const struct dataset *d = c->source.data;
	const struct frametree *tree = &d->tree;

	vec_reserve(&c->concern, tree->frames.n);
	if (!c->concern.n)
		vec_push(&c->concern, CONCERN_NO);
	while (c->concern.n < tree->frames.n) {
		const struct frame *f = frametree_get(tree, (uint32_t)c->concern.n);
		bool yes = c->concern.v[f->parent] == CONCERN_YES || changes(d, f);

		vec_push(&c->concern, yes ? CONCERN_YES : CONCERN_NO);
	}
}

static uint32_t node_at(struct codefollow *c, uint32_t node, uint64_t time_ns)
{
	struct dataset *d = c->source.data;
	uint32_t at = node;

	c->path.n = 0;
	for (; c->concern.v[at] == CONCERN_YES; at = frametree_get(&d->tree, at)->parent)
		vec_push(&c->path, at);
	for (size_t i = c->path.n; i-- > 0;) {
		struct frame f = *frametree_get(&d->tree, c->path.v[i]);

		if (f.kind != FRAME_CUT)
			f.binary = codetimes_at(&d->codetimes, f.binary, names_key(&f), time_ns);
		at = frametree_add(&d->tree, at, f.binary, f.off, f.kind);
	}
	return at;
}

static struct err *codefollow_next(struct source *src, struct batch *ret)
{
	struct codefollow *c = (struct codefollow *)src;

	TRY(c->inner->next(c->inner, ret));
	if (!src->data->codetimes.entries.n)
		return NULL;
	judge_nodes(c);
	c->samples.n = 0;
	vec_reserve(&c->samples, ret->n_samples);
	for (size_t i = 0; i < ret->n_samples; i++) {
		struct sample s = ret->samples[i];

		if (c->concern.v[s.node] == CONCERN_YES)
			s.node = node_at(c, s.node, s.time_ns);
		vec_push(&c->samples, s);
	}
	ret->samples = c->samples.v;
	return NULL;
}

static void codefollow_destroy(struct source *src)
{
	struct codefollow *c = (struct codefollow *)src;

	vec_deinit(&c->concern);
	vec_deinit(&c->path);
	vec_deinit(&c->samples);
	source_destroy(c->inner);
	free(c);
}

struct source *codefollow_create(struct source *inner)
{
	struct codefollow *c = xcalloc(1, sizeof(*c));

	c->source = (struct source){ .data = inner->data,
				     .next = codefollow_next,
				     .destroy = codefollow_destroy };
	c->inner = inner;
	return &c->source;
}
