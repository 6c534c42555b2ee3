/* In: the call tree and its samples. Out: what `perf script` would print of them. */
#include "output/perfscript.h"

#include <inttypes.h>
#include <string.h>

#include "output/samples.h"
#include "profile/keptavma.h"

enum { FLUSH_LEN = 1 << 18 };

/* "comm pid/tid [cpu] sec.usec: period event:". Of a merge, the numbers are those that perfwrite.c
 * gives: whoever reads this tells processes apart by nothing else. */
static void put_head(const struct profile *p, const struct kept_sample *s, struct buf *b)
{
	const struct thread_entry *t = threads_get(&p->data->threads, s->thread);
	const struct event_desc *e = &p->data->events.v[s->event];

	output_clean_utf8(b, *t->comm ? t->comm : ":-1", *t->comm ? strlen(t->comm) : 3);
	output_printf(b, " %" PRIu32 "/%" PRIu32, threads_number(t->origin, t->pid),
		      threads_number(t->origin, t->tid));
	if (s->cpu != UINT32_MAX)
		output_printf(b, " [%03" PRIu32 "]", s->cpu);
	output_printf(b, " %" PRIu64 ".%06" PRIu64 ": %" PRIu64 " ", s->time_ns / 1000000000,
		      s->time_ns / 1000 % 1000000, s->period);
	output_clean_utf8(b, e->name, strlen(e->name));
	output_printf(b, ":\n");
}

/* "\t     ip symbol (dso)"; perf says "(inlined)" for the dso of an inlined call. */
static void put_frame(struct keptavma *k, const struct calltree *t, const struct path_frame *pf,
		      struct buf *b)
{
	uint64_t avma;
	bool known = pf->has_off && keptavma_get(k, pf->binary, pf->off, &avma);
	const struct func *f = &t->funcs.v[t->nodes.v[pf->node].func];
	const struct binary *bin = binaries_get(&t->profile->data->binaries, f->binary);
	const char *dso = bin->kind == BINARY_KIND_KERNEL ? "[kernel.kallsyms]"
			  : *bin->path                    ? bin->path
							  : binary_name(bin);

	output_printf(b, "\t%16" PRIx64 " ", known ? avma : 0);
	output_clean_utf8(b, f->name, strlen(f->name));
	output_printf(b, " (");
	if (f->inlined)
		output_printf(b, "inlined");
	else
		output_clean_utf8(b, dso, strlen(dso));
	output_printf(b, ")\n");
}

static struct err *perfscript_write(const struct output_context *ctx, FILE *out)
{
	const struct calltree *t = ctx->tree;
	struct keptavma k;
	struct path path = { 0 };
	struct buf b = { 0 };

	keptavma_init(&k, t->profile);
	for (size_t i = 0; i < t->profile->kept.n; i++) {
		const struct kept_sample *s = &t->profile->kept.v[i];

		if (!sample_is_in(t, s))
			continue;
		put_head(t->profile, s, &b);
		keptavma_at(&k, i);
		path_get(&path, t, s->stack);
		for (size_t n = 0; n < path.v.n; n++)
			put_frame(&k, t, &path.v.v[n], &b);
		buf_u8(&b, '\n');
		if (b.len < FLUSH_LEN)
			continue;
		fwrite(b.data, 1, b.len, out);
		b.len = 0;
	}
	fwrite(b.data, 1, b.len, out);
	path_deinit(&path);
	keptavma_deinit(&k);
	buf_deinit(&b);
	return output_finish(out, "perf-script");
}

const struct output perfscript_output = {
	.name = "perf-script",
	.suffix = ".perf",
	.what = "sample by sample, as `perf script` prints",
	.needs_samples = true,
	.write = perfscript_write,
};
