/* In: one thread or CPU and an attr. Out: an open event in its ring. */
#include "capture/attach.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

void attach_init(struct attach *a)
{
	*a = (struct attach){ 0 };
	openings_init(&a->openings);
}

void attach_deinit(struct attach *a)
{
	openings_deinit(&a->openings);
	vec_deinit(&a->threads);
	table_deinit(&a->tids);
}

/* EMFILE says nothing of how much it takes: we do. */
static struct err *say_files(const struct attach *a, struct err *err)
{
	struct rlimit lim = { 0 };
	size_t threads = a->n_threads > a->threads.n ? a->n_threads : a->threads.n + 1;
	unsigned long long need = (unsigned long long)threads * a->rings->n * (a->n_events + 1) +
				  2 * a->rings->n + 64;

	getrlimit(RLIMIT_NOFILE, &lim);
	return err_wrap(err,
			"%zu threads on %zu CPUs take %llu file descriptors and RLIMIT_NOFILE is "
			"%llu: raise it with `ulimit -n %llu`, or use --attach system, which takes "
			"few",
			threads, a->rings->n, need, (unsigned long long)lim.rlim_cur, need);
}

struct err *attach_open(struct attach *a, int pid, size_t cpu_index, uint32_t opening,
			uint16_t event, bool *ret_gone)
{
	bool is_side = event == OPENING_SIDEBAND;
	struct perf_event_attr *attr = is_side ? &a->sideband : &a->sampling[event];
	int cpu = (int)a->rings->v[cpu_index].cpu;
	int fd = -1;
	struct attr_opener how = { .open = opener_event, .limits = a->limits, .diag = a->diag };
	struct err *err = attr_open(&how, attr, pid, cpu, &fd);

	*ret_gone = err && err_errno(err) == ESRCH && pid > 0;
	if (*ret_gone) {
		err_destroy(err);
		return NULL;
	}
	if (err && (err_errno(err) == EMFILE || err_errno(err) == ENFILE))
		return say_files(a, err);
	TRY(err);
	err = rings_redirect(a->rings, cpu_index, is_side ? RING_SIDE : RING_SAMPLES, fd);
	if (!err && is_side && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = err_sys(errno, "cannot turn on the record of mappings");
	if (err) {
		close(fd);
		return err;
	}
	return openings_add(&a->openings, fd, opening, event);
}
