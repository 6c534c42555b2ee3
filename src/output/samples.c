/* In: kept samples and the call tree. Out: their paths, sums and orders. */
#include "output/samples.h"

#include <string.h>

bool sample_is_in(const struct calltree *t, const struct kept_sample *s)
{
	return t->leaves.v[s->stack] != UINT32_MAX;
}

uint64_t sample_weight(const struct profile *p, const struct kept_sample *s)
{
	return p->by_period ? s->period : 1;
}

void path_deinit(struct path *p)
{
	vec_deinit(&p->v);
	free(p->same);
}

/* Puts the offsets of a stack's frames on the functions that came from them: one frame is a number
 * of inlined calls and the function they are in. False if the two do not agree. */
static bool align(struct path *p, const struct calltree *t, uint32_t node)
{
	const struct dataset *d = t->profile->data;
	for (size_t i = 0; i < p->v.n; i++) {
		struct path_frame *pf = &p->v.v[i];
		const struct func *f = &t->funcs.v[t->nodes.v[pf->node].func];
		const struct frame *frame = frametree_get(&d->tree, node);

		/* "[truncated]" that the end of a chain of frame pointers was given has no frame.
		 */
		if (!node)
			return i + 1 == p->v.n && f->origin == ORIGIN_UNKNOWN;
		bool is_code = frame->kind != FRAME_CUT;

		if (is_code && p->same[frame->binary] != f->binary)
			return false;
		pf->off = frame->off;
		pf->has_off =
			is_code && binaries_get(&d->binaries, f->binary)->kind != BINARY_KIND_TEXT;
		if (!f->inlined)
			node = frame->parent;
	}
	return !node;
}

void path_get(struct path *p, const struct calltree *t, uint32_t stack)
{
	uint32_t leaf = t->leaves.v[stack];

	if (!p->same)
		p->same = binaries_same(&t->profile->data->binaries);
	p->v.n = 0;
	for (uint32_t i = leaf == UINT32_MAX ? 0 : leaf; i; i = t->nodes.v[i].parent) {
		const struct func *f = &t->funcs.v[t->nodes.v[i].func];

		if (f->origin != ORIGIN_GROUP)
			vec_push(&p->v, ((struct path_frame){ .node = i, .binary = f->binary }));
	}
	if (align(p, t, t->profile->stacks.v[stack].node))
		return;
	for (size_t i = 0; i < p->v.n; i++)
		p->v.v[i].has_off = false;
}

static struct sample_run *run_of(struct sample_runs *r, const struct sample_run *like,
				 bool per_stack)
{
	uint64_t hash = hash_pair((uint64_t)like->thread << 32 | like->event,
				  per_stack ? like->stack : like->node);

	for (struct table_probe p = table_probe(&r->table, hash); table_next(&r->table, &p);) {
		struct sample_run *have = &r->v.v[p.value];

		if (have->thread == like->thread && have->event == like->event &&
		    (per_stack ? have->stack == like->stack : have->node == like->node))
			return have;
	}
	table_add(&r->table, hash, (uint32_t)r->v.n);
	vec_push(&r->v, *like);
	return &r->v.v[r->v.n - 1];
}

void sample_runs_init(struct sample_runs *r, const struct calltree *t, bool per_stack)
{
	const struct profile *p = t->profile;

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < p->kept.n; i++) {
		const struct kept_sample *s = &p->kept.v[i];

		if (!sample_is_in(t, s))
			continue;
		struct sample_run like = { .thread = s->thread,
					   .event = s->event,
					   .node = t->leaves.v[s->stack],
					   .stack = s->stack };
		struct sample_run *run = run_of(r, &like, per_stack);
		uint64_t room = INT64_MAX - run->period;

		run->samples++;
		run->period += s->period < room ? s->period : room;
	}
}

void sample_runs_deinit(struct sample_runs *r)
{
	vec_deinit(&r->v);
	table_deinit(&r->table);
}

static int time_cmp(const void *a, const void *b, void *ctx)
{
	const struct kept_sample *kept = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct kept_sample *x = &kept[i], *y = &kept[k];

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (i > k) - (i < k);
}

uint32_t *samples_by_thread(const struct calltree *t, size_t *ret_n)
{
	const struct profile *p = t->profile;
	uint32_t *order = xcalloc(p->kept.n + 1, sizeof(*order));
	size_t n = 0;

	for (uint32_t i = 0; i < p->kept.n; i++)
		if (p->kept.v[i].event == p->event && sample_is_in(t, &p->kept.v[i]))
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), time_cmp, p->kept.v);
	*ret_n = n;
	return order;
}
