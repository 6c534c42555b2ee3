/* In: changes of processes. Out: what was mapped where in each. */
#include "model/procmaps.h"

#include "base/table.h"
#include "model/jitrecord.h"

enum { FEW = 64 };

struct procmaps_process {
	uint64_t id; /* threads_process() */
	bool dumps_code;
	struct addrspace as;
	VEC(struct mapping) files; /* of files, as they came; some are there no more */
};

struct procmaps {
	const struct binaries *binaries;
	VEC(struct procmaps_process *) processes;
	struct table by_id;
};

struct procmaps *procmaps_create(const struct binaries *binaries)
{
	struct procmaps *m = xcalloc(1, sizeof(*m));

	m->binaries = binaries;
	return m;
}

void procmaps_destroy(struct procmaps *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->processes.n; i++) {
		addrspace_deinit(&m->processes.v[i]->as);
		vec_deinit(&m->processes.v[i]->files);
		free(m->processes.v[i]);
	}
	vec_deinit(&m->processes);
	table_deinit(&m->by_id);
	free(m);
}

static struct procmaps_process *procmaps_get(struct procmaps *m, uint64_t id)
{
	for (struct table_probe p = table_probe(&m->by_id, hash_u64(id));
	     table_next(&m->by_id, &p);) {
		if (m->processes.v[p.value]->id == id)
			return m->processes.v[p.value];
	}
	struct procmaps_process *process = xcalloc(1, sizeof(*process));

	process->id = id;
	addrspace_init(&process->as);
	table_add(&m->by_id, hash_u64(id), (uint32_t)m->processes.n);
	vec_push(&m->processes, process);
	return process;
}

static struct procmaps_process *process_of(struct procmaps *m, const struct proc_event *e)
{
	return procmaps_get(m, threads_process(e->origin, e->pid));
}

static void process_clear(struct procmaps_process *p)
{
	addrspace_clear(&p->as);
	p->files.n = 0;
	p->dumps_code = false;
}

static bool is_there(const struct procmaps_process *p, const struct mapping *m, uint64_t avma)
{
	const struct mapping *now = addrspace_find(&p->as, avma);

	return now && now->binary == m->binary && mapping_off(now, avma) == mapping_off(m, avma);
}

/* So that loading and unloading without end takes no memory without end. */
static void forget_gone(struct procmaps_process *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->files.n; i++) {
		const struct mapping *m = &p->files.v[i];

		if (is_there(p, m, m->start) || is_there(p, m, m->end - 1))
			p->files.v[n++] = *m;
	}
	p->files.n = n;
}

static void procmaps_mmap(struct procmaps *m, const struct proc_event *e)
{
	struct procmaps_process *p = process_of(m, e);
	const struct binary *b = binaries_get(m->binaries, e->binary);
	struct mapping new = { .start = e->start, .pgoff = e->pgoff, .binary = e->binary };

	if (!e->len || __builtin_add_overflow(e->start, e->len, &new.end))
		return;
	p->dumps_code |= jitrecord_is_dump(b);
	if (!addrspace_map(&p->as, &new) ||
	    (b->kind != BINARY_KIND_FILE && b->kind != BINARY_KIND_VDSO))
		return;
	if (p->files.n > 2 * p->as.maps.n + FEW)
		forget_gone(p);
	vec_push(&p->files, new);
}

/* A process begins as a copy of its parent; a thread, whose pid is its parent's, shares it. */
static void procmaps_fork(struct procmaps *m, const struct proc_event *e)
{
	if (e->pid == e->ppid)
		return;
	struct procmaps_process *child = process_of(m, e);
	const struct procmaps_process *parent =
		procmaps_get(m, threads_process(e->origin, e->ppid));

	process_clear(child);
	child->dumps_code = parent->dumps_code;
	addrspace_copy(&child->as, &parent->as);
	for (size_t i = 0; i < parent->files.n; i++)
		vec_push(&child->files, parent->files.v[i]);
}

void procmaps_apply(struct procmaps *m, const struct proc_event *e)
{
	switch (e->kind) {
	case PROC_MMAP:
		procmaps_mmap(m, e);
		return;
	case PROC_COMM:
		if (e->exec)
			process_clear(process_of(m, e));
		return;
	case PROC_FORK:
		procmaps_fork(m, e);
		return;
	case PROC_EXIT:
	case PROC_LOST:
	case PROC_STACK:
		return;
	}
}

const struct addrspace *procmaps_space(struct procmaps *m, uint64_t process)
{
	return &procmaps_get(m, process)->as;
}

bool procmaps_dumps_code(struct procmaps *m, uint64_t process)
{
	return procmaps_get(m, process)->dumps_code;
}

bool procmaps_avma(struct procmaps *m, uint64_t process, uint32_t binary, uint64_t off,
		   uint64_t *ret)
{
	const struct procmaps_process *p = procmaps_get(m, process);

	for (size_t i = p->files.n; i-- > 0;) {
		const struct mapping *f = &p->files.v[i];
		uint64_t avma = off - f->pgoff + f->start;

		if (f->binary != binary || off < f->pgoff || off - f->pgoff >= f->end - f->start ||
		    !is_there(p, f, avma))
			continue;
		*ret = avma;
		return true;
	}
	return false;
}
