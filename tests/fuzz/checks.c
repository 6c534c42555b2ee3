/* In: what was read of any bytes. Out: nothing, if its numbers hold. */
#include "fuzz/checks.h"

#include <stdlib.h>

void checks_batch(const struct dataset *d, const struct batch *b)
{
	for (size_t i = 0; i < b->n_samples; i++) {
		const struct sample *s = &b->samples[i];

		if (s->node >= d->tree.frames.n || s->thread >= d->threads.v.n ||
		    s->event >= d->events.n)
			abort();
	}
	for (size_t i = 0; i < b->n_events; i++) {
		const struct proc_event *e = &b->events[i];

		if (e->binary >= d->binaries.v.n || e->samples_before > b->n_samples ||
		    (e->kind == PROC_COMM && !e->comm))
			abort();
	}
}

void checks_tables(const struct dataset *d)
{
	for (size_t i = 1; i < d->tree.frames.n; i++) {
		const struct frame *f = frametree_get(&d->tree, (uint32_t)i);

		if (f->parent >= i || f->binary >= d->binaries.v.n)
			abort();
	}
	for (size_t i = 0; i < d->names.entries.n; i++) {
		const struct name_entry *e = &d->names.entries.v[i];

		if (!e->n || e->binary >= d->binaries.v.n || e->first + e->n > d->names.lines.n)
			abort();
	}
	for (size_t i = 0; i < d->codetimes.entries.n; i++) {
		const struct codetimes_entry *e = &d->codetimes.entries.v[i];

		if (!e->n || e->binary >= d->binaries.v.n || e->first + e->n > d->codetimes.times.n)
			abort();
		for (uint32_t k = 0; k < e->n; k++)
			if (d->codetimes.times.v[e->first + k].binary >= d->binaries.v.n)
				abort();
	}
}
