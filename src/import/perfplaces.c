/* In: mappings, then places. Out: addresses. */
#include "import/perfplaces.h"

#include <stdlib.h>

#include "base/table.h"

/* Made up mappings begin where user code of no system is, and are as large as this. */
enum { MADE_UP_LEN = 1 << 20 };
#define MADE_UP_START 0x600000000000ULL

struct place_process {
	uint32_t pid;
	VEC(struct mapping) maps; /* the newest last */
	size_t last;              /* where the last place was */
};

struct perfplaces {
	const struct binaries *binaries;
	VEC(struct place_process) processes;
	struct table by_pid;
	uint64_t next_made_up;
};

struct perfplaces *perfplaces_create(const struct binaries *binaries)
{
	struct perfplaces *p = xcalloc(1, sizeof(*p));

	p->binaries = binaries;
	p->next_made_up = MADE_UP_START;
	return p;
}

void perfplaces_destroy(struct perfplaces *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->processes.n; i++)
		vec_deinit(&p->processes.v[i].maps);
	vec_deinit(&p->processes);
	table_deinit(&p->by_pid);
	free(p);
}

static struct place_process *process_of(struct perfplaces *p, uint32_t pid)
{
	for (struct table_probe t = table_probe(&p->by_pid, hash_u64(pid));
	     table_next(&p->by_pid, &t);) {
		if (p->processes.v[t.value].pid == pid)
			return &p->processes.v[t.value];
	}
	table_add(&p->by_pid, hash_u64(pid), (uint32_t)p->processes.n);
	vec_push(&p->processes, ((struct place_process){ .pid = pid }));
	return &p->processes.v[p->processes.n - 1];
}

void perfplaces_map(struct perfplaces *p, uint32_t pid, const struct mapping *m)
{
	struct place_process *process = process_of(p, pid);
	size_t kept = 0;

	/* What it covers wholly is gone. */
	for (size_t i = 0; i < process->maps.n; i++) {
		const struct mapping *old = &process->maps.v[i];

		if (old->start < m->start || old->end > m->end)
			process->maps.v[kept++] = *old;
	}
	process->maps.n = kept;
	vec_push(&process->maps, *m);
	process->last = 0;
}

void perfplaces_fork(struct perfplaces *p, uint32_t pid, uint32_t ppid)
{
	if (pid == ppid)
		return;
	process_of(p, pid)->maps.n = 0;
	size_t n = process_of(p, ppid)->maps.n;

	for (size_t i = 0; i < n; i++) {
		struct mapping m = process_of(p, ppid)->maps.v[i];

		vec_push(&process_of(p, pid)->maps, m);
	}
}

void perfplaces_exec(struct perfplaces *p, uint32_t pid)
{
	process_of(p, pid)->maps.n = 0;
}

static bool holds(const struct mapping *m, uint32_t binary, uint64_t off)
{
	return m->binary == binary && off >= m->pgoff && off - m->pgoff < m->end - m->start;
}

bool perfplaces_addr(struct perfplaces *p, uint32_t pid, uint32_t binary, uint64_t off,
		     uint64_t *ret, struct mapping *ret_made)
{
	struct place_process *process = process_of(p, pid);

	if (process->last < process->maps.n &&
	    holds(&process->maps.v[process->last], binary, off)) {
		const struct mapping *m = &process->maps.v[process->last];

		*ret = off - m->pgoff + m->start;
		return false;
	}
	for (size_t i = process->maps.n; i-- > 0;) {
		const struct mapping *m = &process->maps.v[i];

		if (!holds(m, binary, off))
			continue;
		process->last = i;
		*ret = off - m->pgoff + m->start;
		return false;
	}
	if (binaries_get(p->binaries, binary)->kind == BINARY_KIND_ANON) {
		*ret = off; /* is an address already */
		return false;
	}
	*ret_made = (struct mapping){
		.start = p->next_made_up,
		.end = p->next_made_up + MADE_UP_LEN,
		.pgoff = off & ~(uint64_t)(MADE_UP_LEN - 1),
		.binary = binary,
	};
	p->next_made_up += MADE_UP_LEN;
	vec_push(&process->maps, *ret_made);
	*ret = off - ret_made->pgoff + ret_made->start;
	return true;
}
