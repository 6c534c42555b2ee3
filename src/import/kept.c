/* In: samples with the stacks they were unwound from. Out: the samples, unwound again. */
#include "import/kept.h"

#include <stdlib.h>
#include <string.h>

#include "model/procmaps.h"

struct kept {
	struct source source;
	struct source *inner;
	struct unwinder *unwinder;
	kept_open_fn *open;
	void *ctx;
	struct procmaps *maps;
	VEC(struct sample) samples;
};

/* Before it is mapped, so that the unwinder has it when it looks. */
static void kept_give_file(struct kept *k, uint32_t binary)
{
	struct code *code = unwinder_code(k->unwinder);

	if (!code_has_file(code, binary))
		code_give_file(code, binary, k->open(k->ctx, binary));
}

/* True if the stack, as it was recorded, leads through code in no file. */
static bool through_anon(const struct dataset *d, uint32_t node)
{
	for (; node; node = frametree_get(&d->tree, node)->parent) {
		const struct frame *f = frametree_get(&d->tree, node);

		if (f->kind != FRAME_CUT &&
		    binaries_get(&d->binaries, f->binary)->kind == BINARY_KIND_ANON)
			return true;
	}
	return false;
}

static void kept_stack(struct kept *k, const struct proc_event *e)
{
	if (!e->samples_before || e->samples_before > k->samples.n)
		return;
	struct sample *s = &k->samples.v[e->samples_before - 1];
	const struct thread_entry *t = threads_get(&k->source.data->threads, s->thread);
	uint64_t process = threads_process(t->origin, t->pid);
	struct raw_event ev = { .kind = RAW_SAMPLE, .mode = e->mode, .sample = *e->stack };

	/* The recorder knew what the dump said. */
	if (!procmaps_dumps_code(k->maps, process) || !through_anon(k->source.data, s->node))
		unwinder_sample(k->unwinder, procmaps_space(k->maps, process), &ev, true, &s->node);
}

static void kept_event(struct kept *k, const struct proc_event *e)
{
	if (e->kind == PROC_STACK) {
		kept_stack(k, e);
		return;
	}
	if (e->kind == PROC_MMAP)
		kept_give_file(k, e->binary);
	procmaps_apply(k->maps, e);
}

static struct err *kept_next(struct source *src, struct batch *ret)
{
	struct kept *k = (struct kept *)src;

	TRY(k->inner->next(k->inner, ret));
	vec_reserve(&k->samples, ret->n_samples);
	if (ret->n_samples)
		memcpy(k->samples.v, ret->samples, ret->n_samples * sizeof(*ret->samples));
	k->samples.n = ret->n_samples;
	for (size_t i = 0; i < ret->n_events; i++)
		kept_event(k, &ret->events[i]);
	ret->samples = k->samples.v;
	return NULL;
}

static void kept_destroy(struct source *src)
{
	struct kept *k = (struct kept *)src;

	procmaps_destroy(k->maps);
	vec_deinit(&k->samples);
	unwinder_destroy(k->unwinder);
	source_destroy(k->inner);
	free(k);
}

struct err *kept_open(struct source *inner, enum unwind_engine engine, kept_open_fn *open,
		      void *ctx, struct source **ret)
{
	struct dataset *data = inner->data;
	struct unwinder_options opt = {
		.mode = !strncmp(data->meta.callgraph, "auto", 4) ? UNWIND_AUTO : UNWIND_DWARF,
		.engine = engine,
		.arch = arch_by_name(data->meta.machine),
	};

	if (!opt.arch)
		return err_new("stacks of a machine '%s' can't be unwound", data->meta.machine);
	struct kept *k = xcalloc(1, sizeof(*k));

	k->source = (struct source){ .data = data, .next = kept_next, .destroy = kept_destroy };
	k->inner = inner;
	k->open = open;
	k->ctx = ctx;
	k->maps = procmaps_create(&data->binaries);
	k->unwinder = unwinder_create(&opt, &data->tree, &data->binaries);
	*ret = &k->source;
	return NULL;
}
