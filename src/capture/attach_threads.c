/* In: processes. Out: events on each of their threads, none missed that was born meanwhile. */
#include <errno.h>

#include "capture/attach.h"

/* Measured with 400 births a second: one pass missed 10-29 % of the threads, "until one pass finds
 * nothing" some runs in three, five quiet passes none. */
enum { QUIET_PASSES = 5 };

uint32_t attach_opening(const struct attach *a, uint32_t tid)
{
	for (struct table_probe p = table_probe(&a->tids, hash_u64(tid)); table_next(&a->tids, &p);)
		if (a->threads.v[p.value].tid == tid)
			return a->threads.v[p.value].opening;
	return 0;
}

static struct err *open_thread(struct attach *a, uint32_t pid, uint32_t tid)
{
	struct attached_thread thread = { pid, tid, a->openings.last + 1 };
	bool gone = false;

	for (size_t cpu = 0; cpu < a->rings->n && !gone; cpu++) {
		TRY(attach_open(a, (int)tid, cpu, thread.opening, OPENING_SIDEBAND, &gone));
		for (size_t i = 0; i < a->n_events && !gone; i++)
			TRY(attach_open(a, (int)tid, cpu, thread.opening, (uint16_t)i, &gone));
	}
	/* A thread that ended half-way is kept all the same: its children may have inherited. */
	table_add(&a->tids, hash_u64(tid), (uint32_t)a->threads.n);
	vec_push(&a->threads, thread);
	return NULL;
}

/* The other users' or hardened processes among those of a user are left out, and named once. */
static struct err *open_thread_of(struct attach *a, uint32_t pid, uint32_t tid)
{
	struct err *err = open_thread(a, pid, tid);

	if (!err || a->target->kind != TARGET_UID ||
	    (err_errno(err) != EACCES && err_errno(err) != EPERM))
		return err;
	struct attached_thread refused = { pid, tid, 0 };

	table_add(&a->tids, hash_u64(tid), (uint32_t)a->threads.n);
	vec_push(&a->threads, refused);
	diag_err(a->diag, DIAG_NOTE, "refused-process", err);
	return NULL;
}

static bool known(const struct attach *a, uint32_t tid)
{
	for (struct table_probe p = table_probe(&a->tids, hash_u64(tid)); table_next(&a->tids, &p);)
		if (a->threads.v[p.value].tid == tid)
			return true;
	return false;
}

static struct err *pass(struct attach *a, const u32_vec *pids, u32_vec *tids, size_t *ret_new)
{
	for (size_t i = 0; i < pids->n; i++) {
		if (!procfs_numbers(a->opener, pids->v[i], tids))
			continue; /* has ended */
		for (size_t k = 0; k < tids->n; k++) {
			if (known(a, tids->v[k]))
				continue;
			TRY(open_thread_of(a, pids->v[i], tids->v[k]));
			(*ret_new)++;
		}
	}
	return NULL;
}

static struct err *attach_tids(struct attach *a)
{
	for (size_t i = 0; i < a->target->ids.n; i++) {
		uint32_t tid = a->target->ids.v[i], pid;

		if (procfs_tgid(a->opener, tid, &pid))
			TRY(open_thread(a, pid, tid));
	}
	return NULL;
}

static struct err *attach_passes(struct attach *a, u32_vec *pids, u32_vec *tids)
{
	for (int quiet = 0; quiet < QUIET_PASSES; quiet++) {
		size_t n_new = 0;

		if (a->target->kind == TARGET_UID)
			TRY(target_processes(a->target, a->opener, pids));
		TRY(pass(a, pids, tids, &n_new));
		if (n_new)
			quiet = -1;
	}
	return NULL;
}

struct err *attach_threads(struct attach *a, const u32_vec *pids)
{
	if (a->target->kind == TARGET_TIDS)
		return attach_tids(a);
	if (a->target->kind == TARGET_COMMAND)
		return open_thread(a, a->target->ids.v[0], a->target->ids.v[0]);
	u32_vec list = { 0 }, tids = { 0 };

	for (size_t i = 0; i < pids->n; i++)
		vec_push(&list, pids->v[i]);
	struct err *err = attach_passes(a, &list, &tids);

	vec_deinit(&list);
	vec_deinit(&tids);
	return err;
}
