/* In: CPUs. Out: events for every process on each of them, one opening; and the choice between
 * this way and that by threads. */
#include <errno.h>
#include <time.h>

#include "capture/attach.h"
#include "capture/limits.h"

enum {
	EVENTS_MAX = 1000,   /* threads × CPUs beyond which one event a CPU is cheaper */
	SWITCHES_MAX = 2000, /* context switches a second and CPU, likewise */
	READING_GAP_MS = 100,
};

struct err *attach_system(struct attach *a)
{
	bool gone;

	for (size_t cpu = 0; cpu < a->rings->n; cpu++)
		TRY(attach_open(a, -1, cpu, 1, OPENING_SIDEBAND, &gone));
	for (size_t cpu = 0; cpu < a->rings->n; cpu++)
		for (size_t i = 0; i < a->n_events; i++)
			TRY(attach_open(a, -1, cpu, 1, (uint16_t)i, &gone));
	return NULL;
}

/* Context switches so far of all threads of these processes, and how many threads there are. */
static uint64_t count_switches(const struct opener *o, const u32_vec *pids, size_t *ret_threads)
{
	u32_vec tids = { 0 };
	struct buf text = { 0 };
	uint64_t sum = 0;

	*ret_threads = 0;
	for (size_t i = 0; i < pids->n; i++) {
		if (!procfs_numbers(o, pids->v[i], &tids))
			continue;
		*ret_threads += tids.n;
		for (size_t k = 0; k < tids.n; k++) {
			_cleanup_free_ char *name = xasprintf("task/%u/status", tids.v[k]);
			struct err *err = opener_proc(o, pids->v[i], name, &text);
			uint64_t n;

			if (!err && procfs_status((char *)text.data, "voluntary_ctxt_switches", &n))
				sum += n;
			if (!err &&
			    procfs_status((char *)text.data, "nonvoluntary_ctxt_switches", &n))
				sum += n;
			err_destroy(err);
		}
	}
	vec_deinit(&tids);
	buf_deinit(&text);
	return sum;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static enum attach_mode measure(const struct opener *o, const u32_vec *pids, size_t n_cpus,
				struct diag *diag)
{
	size_t threads;
	uint64_t start = now_ns();
	uint64_t before = count_switches(o, pids, &threads);
	struct timespec gap = { .tv_nsec = READING_GAP_MS * 1000000L };

	nanosleep(&gap, NULL);
	uint64_t after = count_switches(o, pids, &threads);
	uint64_t ms = (now_ns() - start) / 1000000;
	/* A thread that ended in between takes its count along. */
	uint64_t rate = after > before ? (after - before) * 1000 / (ms ? ms : 1) / n_cpus : 0;
	bool system = threads * n_cpus > EVENTS_MAX || rate > SWITCHES_MAX;

	diag_add(diag, DIAG_DETAIL, "attach",
		 "attaching %s: %zu threads on %zu CPUs (system-wide above %d together), %llu "
		 "context "
		 "switches a second and CPU (system-wide above %d)",
		 system ? "system-wide" : "by threads", threads, n_cpus, EVENTS_MAX,
		 (unsigned long long)rate, SWITCHES_MAX);
	return system ? ATTACH_SYSTEM : ATTACH_THREADS;
}

struct err *attach_choose(const struct target *t, const struct opener *o, const u32_vec *pids,
			  size_t n_cpus, struct diag *diag, enum attach_mode *mode)
{
	const char *why;
	bool all = t->kind == TARGET_ALL;
	bool allowed = limits_system_wide(o, &why);

	if (t->kind == TARGET_TIDS && *mode == ATTACH_SYSTEM)
		return err_new("-t attaches to threads: --attach system goes with processes");
	if (all && *mode == ATTACH_THREADS)
		return err_new("the whole system can't be attached to thread by thread");
	if ((*mode == ATTACH_SYSTEM || all) && !allowed)
		return err_sys(EACCES,
			       "%s (kernel.perf_event_paranoid = %lld): run as root, give "
			       "singe-record CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=0`",
			       why, (long long)opener_sysctl(o, "kernel/perf_event_paranoid", -1));
	if (*mode != ATTACH_AUTO)
		return NULL;
	*mode = all ? ATTACH_SYSTEM : ATTACH_THREADS;
	if (t->kind == TARGET_UID && allowed)
		*mode = ATTACH_SYSTEM;
	else if (t->kind == TARGET_UID)
		diag_add(diag, DIAG_NOTE, "uid-threads",
			 "recording the user's present processes and their children; others that "
			 "start later need events for all processes: %s",
			 why);
	else if (t->kind == TARGET_PIDS && allowed)
		*mode = measure(o, pids, n_cpus, diag);
	return NULL;
}
