/* In: samples with the stacks they were unwound from. Out: the samples, unwound again. */
#include "import/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "model/jitrecord.h"

struct kept_process {
	uint32_t pid;
	bool dumps_code; /* its compiler wrote a jitdump */
	struct addrspace as;
};

struct kept {
	struct source source;
	struct source *inner;
	struct unwinder *unwinder;
	kept_open_fn *open;
	void *ctx;
	VEC(struct kept_process *) processes;
	struct table pids;
	VEC(struct sample) samples;
};

static struct kept_process *kept_process(struct kept *k, uint32_t pid)
{
	for (struct table_probe p = table_probe(&k->pids, hash_u64(pid));
	     table_next(&k->pids, &p);) {
		if (k->processes.v[p.value]->pid == pid)
			return k->processes.v[p.value];
	}
	struct kept_process *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	addrspace_init(&process->as);
	table_add(&k->pids, hash_u64(pid), (uint32_t)k->processes.n);
	vec_push(&k->processes, process);
	return process;
}

static void kept_mmap(struct kept *k, const struct proc_event *e)
{
	struct code *code = unwinder_code(k->unwinder);
	struct mapping m = {
		.start = e->start,
		.pgoff = e->pgoff,
		.binary = e->binary,
	};

	if (!e->len || __builtin_add_overflow(e->start, e->len, &m.end))
		return;
	if (!code_has_file(code, m.binary))
		code_give_file(code, m.binary, k->open(k->ctx, m.binary));
	struct kept_process *p = kept_process(k, e->pid);

	p->dumps_code |= jitrecord_is_dump(binaries_get(&k->source.data->binaries, m.binary));
	addrspace_map(&p->as, &m);
}

/* A process begins as a copy of its parent; a thread, whose pid is its parent's, shares it. */
static void kept_fork(struct kept *k, const struct proc_event *e)
{
	if (e->pid == e->ppid)
		return;
	struct kept_process *child = kept_process(k, e->pid);
	const struct kept_process *parent = kept_process(k, e->ppid);

	addrspace_clear(&child->as);
	addrspace_copy(&child->as, &parent->as);
	child->dumps_code = parent->dumps_code;
}

static void kept_exec(struct kept *k, const struct proc_event *e)
{
	struct kept_process *p = kept_process(k, e->pid);

	addrspace_clear(&p->as);
	p->dumps_code = false;
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
	const struct kept_process *p =
		kept_process(k, threads_get(&k->source.data->threads, s->thread)->pid);
	struct raw_event ev = { .kind = RAW_SAMPLE, .mode = e->mode, .sample = *e->stack };

	/* The recorder knew what the dump said. */
	if (!p->dumps_code || !through_anon(k->source.data, s->node))
		unwinder_sample(k->unwinder, &p->as, &ev, true, &s->node);
}

static void kept_event(struct kept *k, const struct proc_event *e)
{
	switch (e->kind) {
	case PROC_MMAP:
		kept_mmap(k, e);
		return;
	case PROC_COMM:
		if (e->exec)
			kept_exec(k, e);
		return;
	case PROC_FORK:
		kept_fork(k, e);
		return;
	case PROC_STACK:
		kept_stack(k, e);
		return;
	case PROC_EXIT:
	case PROC_LOST:
		return;
	}
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

	for (size_t i = 0; i < k->processes.n; i++) {
		addrspace_deinit(&k->processes.v[i]->as);
		free(k->processes.v[i]);
	}
	vec_deinit(&k->processes);
	vec_deinit(&k->samples);
	table_deinit(&k->pids);
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
	k->unwinder = unwinder_create(&opt, &data->tree, &data->binaries);
	*ret = &k->source;
	return NULL;
}
