/* In: samples with the stacks they were unwound from. Out: the samples, unwound again. */
#include "import/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

struct kept_process {
	uint32_t pid;
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

static struct addrspace *kept_addrspace(struct kept *k, uint32_t pid)
{
	for (struct table_probe p = table_probe(&k->pids, hash_u64(pid));
	     table_next(&k->pids, &p);) {
		if (k->processes.v[p.value]->pid == pid)
			return &k->processes.v[p.value]->as;
	}
	struct kept_process *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	addrspace_init(&process->as);
	table_add(&k->pids, hash_u64(pid), (uint32_t)k->processes.n);
	vec_push(&k->processes, process);
	return &process->as;
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
	addrspace_map(kept_addrspace(k, e->pid), &m);
}

/* A process begins as a copy of its parent; a thread, whose pid is its parent's, shares it. */
static void kept_fork(struct kept *k, const struct proc_event *e)
{
	if (e->pid == e->ppid)
		return;
	struct addrspace *child = kept_addrspace(k, e->pid);

	addrspace_clear(child);
	addrspace_copy(child, kept_addrspace(k, e->ppid));
}

static void kept_stack(struct kept *k, const struct proc_event *e)
{
	if (!e->samples_before || e->samples_before > k->samples.n)
		return;
	struct sample *s = &k->samples.v[e->samples_before - 1];
	uint32_t pid = threads_get(&k->source.data->threads, s->thread)->pid;
	struct raw_event ev = { .kind = RAW_SAMPLE, .mode = e->mode, .sample = *e->stack };

	unwinder_sample(k->unwinder, kept_addrspace(k, pid), &ev, true, &s->node);
}

static void kept_event(struct kept *k, const struct proc_event *e)
{
	switch (e->kind) {
	case PROC_MMAP:
		kept_mmap(k, e);
		return;
	case PROC_COMM:
		if (e->exec)
			addrspace_clear(kept_addrspace(k, e->pid));
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
