/* In: stacks and names. Out: per binary, how many samples have a name, a line, an inlined call. */
#include "profile/coverage.h"

static int row_cmp(const void *va, const void *vb)
{
	const struct coverage_row *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (a->binary > b->binary) - (a->binary < b->binary);
}

static void count(struct coverage_row *row, uint64_t samples, const struct name_entry *e,
		  const struct names *names)
{
	row->samples += samples;
	if (!e)
		return;
	if (e->flags & NAME_FOUND)
		row->named += samples;
	if (names->lines.v[e->first].line)
		row->lines += samples;
	if (e->n > 1)
		row->inlined += samples;
	row->has_lines |= (e->flags & NAME_HAS_LINES) != 0;
	row->gone |= (e->flags & NAME_GONE) != 0;
	row->no_inlines |= (e->flags & NAME_NO_INLINES) != 0;
}

void coverage_init(struct coverage *c, const struct profile *p, const struct names *names)
{
	const struct dataset *d = p->data;

	*c = (struct coverage){ 0 };
	for (uint32_t i = 0; i < d->binaries.v.n; i++)
		vec_push(&c->v, ((struct coverage_row){ .binary = i }));
	_cleanup_free_ uint32_t *same = binaries_same(&d->binaries);

	for (size_t i = 0; i < p->stacks.n; i++) {
		const struct stack_weight *s = &p->stacks.v[i];
		const struct frame *f = frametree_get(&d->tree, s->node);

		if (!s->node || f->kind == FRAME_CUT)
			continue;
		c->samples += s->samples;
		count(&c->v.v[same[f->binary]], s->samples,
		      names_find(names, f->binary, names_key(f)), names);
	}
	vec_sort(&c->v, row_cmp);
	while (c->v.n && !c->v.v[c->v.n - 1].samples)
		c->v.n--;
}

void coverage_deinit(struct coverage *c)
{
	vec_deinit(&c->v);
}

bool coverage_has_names(const struct coverage_row *row)
{
	return (double)row->named >= 0.99 * (double)row->samples;
}
