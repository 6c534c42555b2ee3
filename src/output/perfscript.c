/* In: the call tree and its samples. Out: what `perf script` would print of them. */
#include "output/perfscript.h"

#include <inttypes.h>
#include <string.h>

#include "output/samples.h"

enum { FLUSH_LEN = 1 << 18 };

/* "comm pid/tid [cpu] sec.usec: period event:" */
static void put_head(const struct profile *p, const struct kept_sample *s, struct buf *b)
{
	const struct thread_entry *t = threads_get(&p->data->threads, s->thread);
	const struct event_desc *e = &p->data->events.v[s->event];

	output_clean_utf8(b, *t->comm ? t->comm : ":-1", *t->comm ? strlen(t->comm) : 3);
	output_printf(b, " %" PRIu32 "/%" PRIu32, t->pid, t->tid);
	if (s->cpu != UINT32_MAX)
		output_printf(b, " [%03" PRIu32 "]", s->cpu);
	output_printf(b, " %" PRIu64 ".%06" PRIu64 ": %" PRIu64 " ", s->time_ns / 1000000000,
		      s->time_ns / 1000 % 1000000, s->period);
	output_clean_utf8(b, e->name, strlen(e->name));
	output_printf(b, ":\n");
}

/* "\t     ip symbol (dso)"; perf says "(inlined)" for the dso of an inlined call. */
static void put_frame(const struct calltree *t, const struct path_frame *pf, struct buf *b)
{
	const struct func *f = &t->funcs.v[t->nodes.v[pf->node].func];
	const struct binary *bin = binaries_get(&t->profile->data->binaries, f->binary);
	const char *dso = bin->kind == BINARY_KIND_KERNEL ? "[kernel.kallsyms]"
			  : *bin->path                    ? bin->path
							  : binary_name(bin);

	output_printf(b, "\t%16" PRIx64 " ", pf->has_off ? pf->off : 0);
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
	struct path path = { 0 };
	struct buf b = { 0 };

	for (size_t i = 0; i < t->profile->kept.n; i++) {
		const struct kept_sample *s = &t->profile->kept.v[i];

		if (!sample_is_in(t, s))
			continue;
		put_head(t->profile, s, &b);
		path_get(&path, t, s->stack);
		for (size_t k = 0; k < path.v.n; k++)
			put_frame(t, &path.v.v[k], &b);
		buf_u8(&b, '\n');
		if (b.len < FLUSH_LEN)
			continue;
		fwrite(b.data, 1, b.len, out);
		b.len = 0;
	}
	fwrite(b.data, 1, b.len, out);
	path_deinit(&path);
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
