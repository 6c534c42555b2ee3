/* In: what the kernel grants this process. Out: limits raised as far as they go. */
#include "capture/limits.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t limits_raise_files(uint64_t need)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return 256; /* what any system gives */
	struct rlimit more = { .rlim_cur = lim.rlim_max, .rlim_max = lim.rlim_max };

	if (more.rlim_max < need)
		more.rlim_cur = more.rlim_max = need;
	if (setrlimit(RLIMIT_NOFILE, &more)) {
		more.rlim_cur = more.rlim_max = lim.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &more))
			return lim.rlim_cur;
	}
	return more.rlim_cur;
}

void limits_raise_priority(void)
{
	/* Refused to ordinary users, who record at the priority they have. */
	if (setpriority(PRIO_PROCESS, 0, -20))
		return;
}

bool limits_system_wide(const struct opener *o, const char **why)
{
	/* PROC_PID_INIT_INO, include/linux/proc_ns.h: the initial namespace's inode is fixed. */
	static const uint64_t initial_pid_ns = 0xeffffffc;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};

	*why = NULL;
	if (opener_namespace(o, (uint32_t)getpid(), "pid") != initial_pid_ns) {
		*why = "this is not the initial pid namespace";
		return false;
	}
	_cleanup_close_ int fd = opener_event(NULL, &attr, -1, sched_getcpu());

	if (fd < 0)
		*why = "events for all processes are not permitted";
	return fd >= 0;
}
