/* In: mappings, names, births and ends of tasks. Out: the world as it is now, of those we record.
 */
#include <string.h>

#include "capture/intake.h"

/* process.user of a followed process; only its address matters. */
static char followed;

void intake_follow(struct intake *in, uint32_t pid)
{
	world_process(in->world, pid)->user = &followed;
}

static bool is_followed(const struct intake *in, uint32_t pid)
{
	const struct process *p = world_find_process(in->world, pid);

	return p && p->user == &followed; /* ended ones too: a last sample may follow the EXIT */
}

bool tasks_is_ours(struct intake *in, uint32_t pid)
{
	if (pid == in->unborn && pid)
		return false;
	switch (in->scope) {
	case INTAKE_OPENED:
		return true;
	case INTAKE_FOLLOWED:
		return is_followed(in, pid);
	case INTAKE_ALL:
		return pid != (uint32_t)getpid();
	}
	return false;
}

/* A thread that has several openings, its own and inherited ones, says everything once for each:
 * one after the other in one ring, with different ids. */
static bool is_repeat(struct intake *in, size_t cpu_index, const struct raw_event *ev)
{
	struct intake_seen *seen = &in->seen[cpu_index];
	uint64_t what = ev->kind == RAW_MMAP   ? ev->mmap.start
			: ev->kind == RAW_COMM ? hash_str(ev->comm.name) ^ ev->comm.exec
			: ev->kind == RAW_FORK ? ev->task.ptid
					       : 0;

	if (ev->kind == seen->kind && ev->pid == seen->pid && ev->tid == seen->tid &&
	    what == seen->what && ev->id != seen->id)
		return true;
	*seen = (struct intake_seen){ ev->kind, ev->pid, ev->tid, what, ev->id };
	return false;
}

static void forget_cached(struct intake *in)
{
	for (size_t i = 0; i < in->rings->n; i++)
		in->caches[i].valid = false;
}

/* A child counts from the opening its parent counts from: its parent's own, which is complete on
 * all CPUs, while one it inherited may be half of one that was being opened. */
static void inherit_opening(struct intake *in, const struct raw_event *ev)
{
	uint32_t own = ev->time_ns < in->attached_ns ? attach_opening(in->attach, ev->tid) : 0;
	struct thread *child = world_thread(in->world, ev->pid, ev->tid);

	child->opening = own ? own : world_thread(in->world, ev->task.ppid, ev->task.ptid)->opening;
}

static struct err *take_fork(struct intake *in, const struct raw_event *ev)
{
	bool new_process = ev->pid != ev->task.ppid;

	if (in->scope == INTAKE_FOLLOWED &&
	    (!is_followed(in, ev->task.ppid) || (new_process && !in->inherit))) {
		/* A stranger, perhaps with the pid of one that was ours and has ended. */
		if (new_process && is_followed(in, ev->pid))
			world_process(in->world, ev->pid)->user = NULL;
		return NULL;
	}
	world_apply(in->world, ev);
	inherit_opening(in, ev);
	if (in->scope == INTAKE_FOLLOWED)
		intake_follow(in, ev->pid);
	return NULL;
}

/* An exec makes a process of the user's, or takes it away from the user (a setuid program). */
static void recheck_uid(struct intake *in, uint32_t pid)
{
	uint32_t uid;

	if (!procfs_uid(in->opener, pid, &uid))
		return; /* has ended already: what it was stays */
	if (uid == in->uid)
		intake_follow(in, pid);
	else if (is_followed(in, pid))
		world_process(in->world, pid)->user = NULL;
}

static void take_exec(struct intake *in, uint32_t pid)
{
	jitdumps_forget(&in->jitdumps, in->files, unwinder_code(in->unwinder), pid);
	if (in->follow_uid)
		recheck_uid(in, pid);
}

static struct err *write_change(struct intake *in, const struct raw_event *ev)
{
	struct proc_event e = { .time_ns = ev->time_ns, .pid = ev->pid, .tid = ev->tid };

	if (!in->writer)
		return NULL;
	switch (ev->kind) {
	case RAW_COMM:
		e.kind = PROC_COMM;
		e.comm = ev->comm.name;
		e.exec = ev->comm.exec;
		break;
	case RAW_FORK:
		e.kind = PROC_FORK;
		e.ppid = ev->task.ppid;
		break;
	case RAW_EXIT:
		e.kind = PROC_EXIT;
		break;
	default:
		return NULL; /* mappings are written as the world places them */
	}
	return writer_event(in->writer, &e);
}

/* True if what samples that wait need goes away: the mappings before an exec, an old use of a pid,
 * code that other code is mapped over. */
static bool takes_code_away(const struct intake *in, const struct raw_event *ev)
{
	const struct process *p = world_find_process(in->world, ev->pid);

	if (ev->kind == RAW_COMM)
		return ev->comm.exec;
	if (ev->kind == RAW_FORK)
		return ev->pid != ev->task.ppid;
	for (size_t i = 0; p && ev->kind == RAW_MMAP && i < p->as.maps.n; i++) {
		const struct mapping *m = &p->as.maps.v[i];
		uint64_t end = ev->mmap.start + ev->mmap.len;
		const struct binary *b = binaries_get(&in->data->binaries, m->binary);
		bool same = m->start == ev->mmap.start && m->end == end && b->path &&
			    !strcmp(b->path, ev->mmap.path); /* told again */

		/* A JIT compiler that makes its memory executable time and again. */
		same |= b->kind == BINARY_KIND_ANON && !strcmp(ev->mmap.path, "//anon");
		if (m->start < end && ev->mmap.start < m->end && !same)
			return true;
	}
	return false;
}

struct err *tasks_take(struct intake *in, size_t cpu_index, const struct raw_event *ev)
{
	if (is_repeat(in, cpu_index, ev))
		return NULL;
	forget_cached(in);
	in->at_ns = ev->time_ns;
	if (ev->kind == RAW_COMM && ev->comm.exec && ev->pid == in->unborn)
		in->unborn = 0;
	if (in->waiting.held.n && takes_code_away(in, ev))
		TRY(samples_leave(in, ev->pid));
	if (ev->kind == RAW_COMM && ev->comm.exec)
		take_exec(in, ev->pid);
	if (ev->kind == RAW_FORK)
		TRY(take_fork(in, ev));
	else if (tasks_is_ours(in, ev->pid))
		world_apply(in->world, ev);
	if (in->failed)
		return take_ptr(in->failed);
	return tasks_is_ours(in, ev->pid) ? write_change(in, ev) : NULL;
}

void intake_mapped(struct intake *in, const struct process *p, const struct mapping *m)
{
	struct proc_event e = {
		.kind = PROC_MMAP,
		.time_ns = in->at_ns,
		.pid = p->pid,
		.tid = p->pid,
		.binary = m->binary,
		.start = m->start,
		.len = m->end - m->start,
		.pgoff = m->pgoff,
	};

	if (in->writer && !in->failed)
		in->failed = writer_event(in->writer, &e);
}

static void write_process(void *ctx, struct process *p)
{
	struct intake *in = ctx;

	for (size_t i = 0; i < p->as.maps.n; i++)
		intake_mapped(in, p, &p->as.maps.v[i]);
}

struct err *intake_write_maps(struct intake *in, uint64_t now_ns)
{
	in->at_ns = now_ns;
	world_each_process(in->world, write_process, in);
	return take_ptr(in->failed);
}
