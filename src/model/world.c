/* In: raw events in order of effect, and what /proc said. Out: who lives, under which name, and
 * what is mapped where. */
#include "model/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/mapped.h"

/* How many ended threads are kept for samples that come after them. */
enum { N_GRAVES = 4096 };

/* How far apart a FORK may be from an earlier one of the same thread and still be the same: a
 * thread seen through two openings has its FORK twice. Later, its EXIT was lost. */
#define FORK_SKEW_NS 1000000000ULL

/* A number is a pid, a tid, or both; what used it before is counted for ever, 24 bytes a number, of
 * which the kernel has at most four million. */
struct slot {
	uint32_t id;
	uint32_t n_processes, n_threads; /* uses so far */
	struct process *process;
	struct thread *thread;
};

struct grave {
	uint32_t slot;
	uint32_t incarnation;
};

struct world {
	struct dataset *data;
	VEC(struct slot) slots;
	struct table by_id;
	uint32_t
		recent[256]; /* slot numbers by the low bits of the id: spares a sample the table */
	struct grave graves[N_GRAVES]; /* a ring, oldest at `n_ended` modulo its size */
	uint64_t n_ended;
	world_mapped_fn *on_mapped;
	void *on_mapped_ctx;
	world_forgotten_fn *forgotten;
	void *forgotten_ctx;
};

struct world *world_create(struct dataset *data)
{
	struct world *w = xcalloc(1, sizeof(*w));

	w->data = data;
	return w;
}

void world_on_forgotten(struct world *w, world_forgotten_fn *fn, void *ctx)
{
	w->forgotten = fn;
	w->forgotten_ctx = ctx;
}

void world_on_mapped(struct world *w, world_mapped_fn *fn, void *ctx)
{
	w->on_mapped = fn;
	w->on_mapped_ctx = ctx;
}

/* Slots never move to another number, so an index stays good; the pointer does until the next
 * slot is made. */
static struct slot *world_find_slot(const struct world *w, uint32_t id)
{
	for (struct table_probe p = table_probe(&w->by_id, hash_u64(id));
	     table_next(&w->by_id, &p);) {
		if (w->slots.v[p.value].id == id)
			return &w->slots.v[p.value];
	}
	return NULL;
}

static struct slot *world_slot(struct world *w, uint32_t id)
{
	struct slot *slot = world_find_slot(w, id);

	if (slot)
		return slot;
	table_add(&w->by_id, hash_u64(id), (uint32_t)w->slots.n);
	vec_push(&w->slots, ((struct slot){ .id = id }));
	return &w->slots.v[w->slots.n - 1];
}

static struct thread *world_find_thread(const struct world *w, uint32_t tid)
{
	const struct slot *slot = world_find_slot(w, tid);

	return slot ? slot->thread : NULL;
}

struct process *world_find_process(const struct world *w, uint32_t pid)
{
	const struct slot *slot = world_find_slot(w, pid);

	return slot ? slot->process : NULL;
}

static void thread_free(struct world *w, struct thread *t)
{
	*t->back = t->next;
	if (t->next)
		t->next->back = t->back;
	if (!t->ended)
		t->process->n_threads--;
	world_find_slot(w, t->tid)->thread = NULL;
	free(t->comm);
	free(t);
}

static void process_free(struct world *w, struct process *p)
{
	if (w->forgotten)
		w->forgotten(w->forgotten_ctx, p);
	while (p->threads)
		thread_free(w, p->threads);
	world_find_slot(w, p->pid)->process = NULL;
	addrspace_deinit(&p->as);
	free(p->comm);
	free(p);
}

void world_destroy(struct world *w)
{
	if (!w)
		return;
	w->forgotten = NULL;
	for (size_t i = 0; i < w->slots.n; i++) {
		if (w->slots.v[i].process)
			process_free(w, w->slots.v[i].process);
	}
	vec_deinit(&w->slots);
	table_deinit(&w->by_id);
	free(w);
}

/* Forgets the thread that ended N_GRAVES ends ago, and its process if it was the last. */
static void world_bury(struct world *w, struct grave new)
{
	struct grave *grave = &w->graves[w->n_ended++ % N_GRAVES];
	struct grave old = *grave;

	*grave = new;
	if (w->n_ended <= N_GRAVES)
		return;
	struct thread *t = w->slots.v[old.slot].thread;

	if (!t || !t->ended || t->incarnation != old.incarnation)
		return;
	struct process *p = t->process;

	thread_free(w, t);
	if (p->exited && !p->threads)
		process_free(w, p);
}

static void thread_end(struct world *w, struct thread *t)
{
	if (t->ended)
		return;
	t->ended = true;
	if (!--t->process->n_threads)
		t->process->exited = true;
	world_bury(w, (struct grave){
			      .slot = (uint32_t)(world_find_slot(w, t->tid) - w->slots.v),
			      .incarnation = t->incarnation,
		      });
}

static void set_name(char **name, const char *to)
{
	char *old = *name;

	*name = xstrdup(to); /* `to` may be the old name itself */
	free(old);
}

static struct process *process_create(struct world *w, uint32_t pid)
{
	struct slot *slot = world_slot(w, pid);
	struct process *p = xcalloc(1, sizeof(*p));

	p->pid = pid;
	p->incarnation = slot->n_processes++;
	/* The idle task is every CPU's thread 0; no record ever names it. */
	p->comm = pid ? xasprintf(":%u", pid) : xstrdup("swapper");
	addrspace_init(&p->as);
	slot->process = p;
	return p;
}

struct process *world_process(struct world *w, uint32_t pid)
{
	struct process *p = world_find_process(w, pid);

	return p ? p : process_create(w, pid);
}

/* Puts an end to whoever had the tid before. */
static struct thread *thread_create(struct world *w, struct process *p, uint32_t tid)
{
	struct slot *slot = world_slot(w, tid);
	struct thread *t = xcalloc(1, sizeof(*t));

	/* Before anything is freed, so that `p` is not taken for dead. */
	p->exited = false;
	p->n_threads++;
	if (slot->thread) {
		struct process *former = slot->thread->process;

		thread_end(w, slot->thread);
		if (slot->thread)
			thread_free(w, slot->thread);
		if (former != p && former->exited && !former->threads)
			process_free(w, former);
	}
	t->tid = tid;
	t->incarnation = slot->n_threads++;
	t->process = p;
	t->entry_stale = true;
	/* A thread takes its maker's name; its process's is the best guess there is, and a look at
	 * /proc or a COMM will say. */
	bool known = p->comm[0] != ':' || tid == p->pid;

	t->comm = known ? xstrdup(p->comm) : xasprintf(":%u", tid);
	t->next = p->threads;
	t->back = &p->threads;
	if (t->next)
		t->next->back = &t->next;
	p->threads = t;
	slot->thread = t;
	return t;
}

struct thread *world_thread(struct world *w, uint32_t pid, uint32_t tid)
{
	uint32_t *recent = &w->recent[tid % (sizeof(w->recent) / sizeof(w->recent[0]))];

	if (*recent < w->slots.n) {
		const struct slot *slot = &w->slots.v[*recent];

		if (slot->id == tid && slot->thread && slot->thread->process->pid == pid)
			return slot->thread;
	}
	struct thread *t = world_find_thread(w, tid);

	if (!t || t->process->pid != pid)
		t = thread_create(w, world_process(w, pid), tid);
	*recent = (uint32_t)(world_find_slot(w, tid) - w->slots.v);
	return t;
}

uint32_t world_thread_entry_slow(struct world *w, struct thread *t)
{
	t->entry = threads_add(&w->data->threads, &(struct thread_entry){
							  .pid = t->process->pid,
							  .tid = t->tid,
							  .incarnation = t->process->incarnation,
							  .comm = t->comm,
							  .process_comm = t->process->comm,
						  });
	t->entry_stale = false;
	return t->entry;
}

static void thread_rename(struct thread *t, const char *comm)
{
	struct process *p = t->process;

	set_name(&t->comm, comm);
	t->entry_stale = true;
	if (t->tid != p->pid)
		return;
	set_name(&p->comm, t->comm);
	for (struct thread *other = p->threads; other; other = other->next)
		other->entry_stale = true;
}

/* execve(2): all other threads are destroyed; their EXITs may be yet to come. */
static void process_exec(struct world *w, struct process *p, const struct thread *by)
{
	VEC(struct thread *) others = { 0 };

	addrspace_clear(&p->as);
	p->has_maps = true;
	p->is_32bit = false;
	/* Ending a thread may forget others that ended before, so not while walking the list. */
	for (struct thread *t = p->threads; t; t = t->next) {
		if (t != by && !t->ended)
			vec_push(&others, t);
	}
	for (size_t i = 0; i < others.n; i++)
		thread_end(w, others.v[i]);
	vec_deinit(&others);
}

static void world_comm(struct world *w, const struct raw_event *ev)
{
	struct thread *t = world_thread(w, ev->pid, ev->tid);

	if (t->ended && ev->comm.exec)
		t = thread_create(w, t->process, ev->tid); /* its FORK was lost */
	thread_rename(t, ev->comm.name);
	t->has_comm = true;
	if (ev->comm.exec)
		process_exec(w, t->process, t);
}

/* A new process, or what its events that came before its FORK have made of it. */
static struct process *world_forked_process(struct world *w, const struct raw_event *ev)
{
	struct process *p = world_find_process(w, ev->pid);
	bool reused =
		p && (p->exited || (p->forked_ns && ev->time_ns > p->forked_ns + FORK_SKEW_NS));

	if (reused)
		process_free(w, p);
	if (!p || reused)
		p = process_create(w, ev->pid);
	return p;
}

static void world_fork_process(struct world *w, const struct raw_event *ev)
{
	struct process *p = world_forked_process(w, ev);

	if (p->forked_ns)
		return; /* seen through another opening */
	p->forked_ns = ev->time_ns;
	p->ppid = ev->task.ppid;
	struct thread *t = world_thread(w, ev->pid, ev->tid);

	t->forked_ns = ev->time_ns;
	const struct process *parent = world_find_process(w, ev->task.ppid);

	if (!parent)
		return;
	const struct thread *maker = world_find_thread(w, ev->task.ptid);

	if (!t->has_comm)
		thread_rename(t, maker && maker->process == parent ? maker->comm : parent->comm);
	if (p->has_maps)
		return;
	p->is_32bit = parent->is_32bit;
	if (!p->as.maps.n) {
		addrspace_copy(&p->as, &parent->as);
		return;
	}
	for (size_t i = 0; i < parent->as.maps.n; i++)
		addrspace_fill(&p->as, &parent->as.maps.v[i]);
}

static void world_fork_thread(struct world *w, const struct raw_event *ev)
{
	struct process *p = world_process(w, ev->pid);
	struct thread *t = world_find_thread(w, ev->tid);

	if (t && t->process == p && !t->ended &&
	    (!t->forked_ns || ev->time_ns <= t->forked_ns + FORK_SKEW_NS)) {
		/* Its first events came before, or it was seen through another opening. */
		if (!t->forked_ns)
			t->forked_ns = ev->time_ns;
		return;
	}
	t = thread_create(w, p, ev->tid);
	t->forked_ns = ev->time_ns;
	const struct thread *maker = world_find_thread(w, ev->task.ptid);

	if (maker && maker->process == p)
		set_name(&t->comm, maker->comm);
}

static void world_exit(struct world *w, const struct raw_event *ev)
{
	const struct process *p = world_find_process(w, ev->pid);
	const struct thread *t = world_find_thread(w, ev->tid);

	if (!p || p->exited)
		return;
	/* Of a process none of whose threads was heard of, only the main thread's end says that it
	 * is over; any other would be taken for its last. */
	if ((!t || t->process != p) && !p->n_threads && ev->tid != ev->pid)
		return;
	thread_end(w, world_thread(w, ev->pid, ev->tid));
}

static void world_mapped(struct world *w, struct process *p, const struct mapping *m)
{
	if (w->on_mapped)
		w->on_mapped(w->on_mapped_ctx, p, m);
}

static void world_mmap(struct world *w, const struct raw_event *ev)
{
	struct mapping m;

	if (!mapped_code(&w->data->binaries, ev->pid, &ev->mmap, &m))
		return;
	struct process *p = world_process(w, ev->pid);

	if (addrspace_map(&p->as, &m))
		world_mapped(w, p, &m);
}

void world_apply(struct world *w, const struct raw_event *ev)
{
	/* The kernel writes -1 for a task that is gone already (perf_event_pid_type()); importers
	 * meet it as "the kernel". */
	if (ev->pid == UINT32_MAX)
		return;
	switch (ev->kind) {
	case RAW_MMAP:
		world_mmap(w, ev);
		break;
	case RAW_COMM:
		world_comm(w, ev);
		break;
	case RAW_FORK:
		if (ev->pid == ev->task.ppid)
			world_fork_thread(w, ev);
		else
			world_fork_process(w, ev);
		break;
	case RAW_EXIT:
		world_exit(w, ev);
		break;
	default:
		break;
	}
}

void world_map_existing(struct world *w, uint32_t pid, const struct raw_mmap *raw)
{
	struct mapping m, gap;

	if (!mapped_code(&w->data->binaries, pid, raw, &m))
		return;
	struct process *p = world_process(w, pid);

	p->has_maps = true;
	while (addrspace_gap(&p->as, &m, &gap)) {
		addrspace_map(&p->as, &gap);
		world_mapped(w, p, &gap);
	}
}

void world_name_existing(struct world *w, uint32_t pid, uint32_t tid, const char *comm)
{
	struct thread *t = world_thread(w, pid, tid);

	if (!t->has_comm && !t->ended)
		thread_rename(t, comm);
}

void world_each_process(struct world *w, void (*fn)(void *ctx, struct process *p), void *ctx)
{
	for (size_t i = 0; i < w->slots.n; i++) {
		struct process *p = w->slots.v[i].process;

		if (p && !p->exited)
			fn(ctx, p);
	}
}
