/* In: an attr with every feature asked for. Out: an open event, and an attr without the features
 * that this kernel, machine or user cannot have. Contract: attr_open() in perf/attr.h. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "perf/attr.h"

enum feature {
	FEATURE_RATE,
	FEATURE_MAX_STACK,
	FEATURE_KERNEL,
	FEATURE_LOST,
	FEATURE_BUILD_ID,
	FEATURE_KSYMBOL,
	FEATURE_CLOCKID,
	FEATURE_MMAP2,
	FEATURE_COMM_EXEC,
	FEATURE_CHAIN_PARTS,
	FEATURE_STACK_COPY,
	FEATURE_PRECISE,
	FEATURE_EXCLUDE_IDLE,
	N_FEATURES,
};

enum how { HOW_OFF, HOW_LIMIT, HOW_ONE_LESS };

struct step {
	enum feature feature;
	enum how how;
	enum diag_level level;
	int errnos[5]; /* 0: end */
	const char *what;
	const char *since;  /* the Linux that brought it; NULL: report() words the whole */
	const char *effect; /* of doing without */
};

/* Limits first, as those are certain where they apply; then features, newest first. Sources:
 * perf_event_open(2), and perf_copy_attr() and perf_event_open() in kernel/events/core.c: EINVAL
 * for a bit it does not know, E2BIG for a field past the end of its struct. */
static const struct step ladder[] = {
	{ FEATURE_RATE, HOW_LIMIT, DIAG_NOTE, { EINVAL }, "rate", NULL, NULL },
	{ FEATURE_MAX_STACK, HOW_LIMIT, DIAG_WARNING, { EOVERFLOW }, "max-stack", NULL, NULL },
	{ FEATURE_KERNEL, HOW_OFF, DIAG_WARNING, { EACCES, EPERM }, "kernel", NULL, NULL },
	{ FEATURE_LOST,
	  HOW_OFF,
	  DIAG_NOTE,
	  { EINVAL },
	  "an exact count of lost records",
	  "6.0",
	  "losses are summed from LOST records, which lag behind" },
	{ FEATURE_BUILD_ID,
	  HOW_OFF,
	  DIAG_NOTE,
	  { EINVAL },
	  "the build-id of mapped files",
	  "5.12",
	  "mapped files are told apart by device and inode" },
	{ FEATURE_KSYMBOL,
	  HOW_OFF,
	  DIAG_NOTE,
	  { EINVAL },
	  "records of new kernel symbols",
	  "5.1",
	  "BPF programs loaded while recording may stay without names" },
	{ FEATURE_MAX_STACK,
	  HOW_OFF,
	  DIAG_NOTE,
	  { EINVAL, E2BIG, EOVERFLOW },
	  "max-stack",
	  NULL,
	  NULL },
	{ FEATURE_CLOCKID,
	  HOW_OFF,
	  DIAG_WARNING,
	  { EINVAL, E2BIG },
	  "CLOCK_MONOTONIC as the clock of samples",
	  "4.1",
	  "times are of the kernel's own clock and do not compare with other clocks" },
	{ FEATURE_MMAP2,
	  HOW_OFF,
	  DIAG_NOTE,
	  { EINVAL },
	  "device and inode of mapped files",
	  "3.16",
	  "mapped files are known by their path only" },
	{ FEATURE_COMM_EXEC,
	  HOW_OFF,
	  DIAG_WARNING,
	  { EINVAL },
	  "the mark of an exec",
	  "3.16",
	  "an exec looks like a change of name, and old mappings may lend their names to new "
	  "code" },
	{ FEATURE_CHAIN_PARTS,
	  HOW_OFF,
	  DIAG_NOTE,
	  { EINVAL },
	  "a choice of call chain parts",
	  "3.7",
	  "call chains hold both the kernel's and the user's part" },
	{ FEATURE_STACK_COPY,
	  HOW_OFF,
	  DIAG_WARNING,
	  { EINVAL, E2BIG, ENOSYS, EOPNOTSUPP },
	  "copying user registers and stack",
	  "3.7",
	  "stacks end where frame pointers do" },
	{ FEATURE_PRECISE,
	  HOW_ONE_LESS,
	  DIAG_NOTE,
	  { EOPNOTSUPP, EINVAL, ENOENT, ENODEV },
	  "precise",
	  NULL,
	  NULL },
	{ FEATURE_EXCLUDE_IDLE,
	  HOW_OFF,
	  DIAG_NOTE,
	  { EINVAL, EPERM, EOPNOTSUPP },
	  "leaving out the idle task",
	  "2.6.31",
	  "idle CPUs are sampled too" },
};

enum { N_STEPS = sizeof(ladder) / sizeof(ladder[0]), MAX_TAKEN = N_STEPS + 2 };

/* A step taken: what it changed and what the kernel had said. */
struct taken {
	const struct step *step;
	uint64_t from, to;
	int errnum;
};

struct climb {
	const struct attr_opener *o;
	struct perf_event_attr asked;
	struct perf_event_attr *attr;
	int pid, cpu;
	struct taken taken[MAX_TAKEN];
	size_t n;
};

enum { STACK_COPY = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER };

static uint64_t feature_get(const struct perf_event_attr *attr, enum feature feature)
{
	switch (feature) {
	case FEATURE_RATE:
		return attr->freq ? attr->sample_freq : 0;
	case FEATURE_MAX_STACK:
		return attr->sample_max_stack;
	case FEATURE_KERNEL:
		return !attr->exclude_kernel;
	case FEATURE_LOST:
		return attr->read_format & PERF_FORMAT_LOST;
	case FEATURE_BUILD_ID:
		return attr->build_id;
	case FEATURE_KSYMBOL:
		return attr->ksymbol;
	case FEATURE_CLOCKID:
		return attr->use_clockid;
	case FEATURE_MMAP2:
		return attr->mmap2;
	case FEATURE_COMM_EXEC:
		return attr->comm_exec;
	case FEATURE_CHAIN_PARTS:
		return attr->exclude_callchain_user * 2U + attr->exclude_callchain_kernel;
	case FEATURE_STACK_COPY:
		return attr->sample_type & STACK_COPY;
	case FEATURE_PRECISE:
		return attr->precise_ip;
	case FEATURE_EXCLUDE_IDLE:
		return attr->exclude_idle;
	case N_FEATURES:
		break;
	}
	return 0;
}

static void feature_set(struct perf_event_attr *attr, enum feature feature, uint64_t to)
{
	switch (feature) {
	case FEATURE_RATE:
		attr->sample_freq = to;
		break;
	case FEATURE_MAX_STACK:
		attr->sample_max_stack = (uint16_t)to;
		break;
	case FEATURE_KERNEL:
		attr->exclude_kernel = !to;
		attr->exclude_hv = !to;
		break;
	case FEATURE_LOST:
		attr->read_format = (attr->read_format & ~(uint64_t)PERF_FORMAT_LOST) | to;
		break;
	case FEATURE_BUILD_ID:
		attr->build_id = !!to;
		break;
	case FEATURE_KSYMBOL:
		attr->ksymbol = !!to;
		break;
	case FEATURE_CLOCKID:
		attr->use_clockid = !!to;
		break;
	case FEATURE_MMAP2:
		attr->mmap2 = !!to;
		break;
	case FEATURE_COMM_EXEC:
		attr->comm_exec = !!to;
		break;
	case FEATURE_CHAIN_PARTS:
		attr->exclude_callchain_user = to >> 1 & 1;
		attr->exclude_callchain_kernel = to & 1;
		break;
	case FEATURE_STACK_COPY:
		attr->sample_type = (attr->sample_type & ~(uint64_t)STACK_COPY) | to;
		break;
	case FEATURE_PRECISE:
		attr->precise_ip = to & 3;
		break;
	case FEATURE_EXCLUDE_IDLE:
		attr->exclude_idle = !!to;
		break;
	case N_FEATURES:
		break;
	}
}

/* What the step would leave of its feature; the value it has where the step does not apply. */
static uint64_t step_to(const struct step *s, const struct perf_event_attr *attr,
			const struct attr_limits *limits)
{
	uint64_t from = feature_get(attr, s->feature);
	long limit = s->feature == FEATURE_RATE ? limits->max_sample_rate : limits->max_stack;

	if (s->how == HOW_LIMIT)
		return limit > 0 && from > (uint64_t)limit ? (uint64_t)limit : from;
	if (s->how == HOW_ONE_LESS)
		return from ? from - 1 : 0;
	/* Without the kernel an event of the kernel alone has nothing left. */
	if (s->feature == FEATURE_KERNEL && attr->exclude_user)
		return from;
	return 0;
}

static bool step_fits(const struct step *s, int errnum)
{
	for (size_t i = 0; i < sizeof(s->errnos) / sizeof(s->errnos[0]) && s->errnos[i]; i++)
		if (s->errnos[i] == errnum)
			return true;
	return false;
}

static int climb_try(struct climb *c)
{
	struct perf_event_attr *attr = c->attr;
	bool copies = attr->sample_type & STACK_COPY;

	/* Fields that mean nothing without their bit must be 0 where the kernel has no such field.
	 * The size is the kernel's to change when it says E2BIG. */
	attr->size = sizeof(*attr);
	attr->clockid = attr->use_clockid ? c->asked.clockid : 0;
	attr->sample_regs_user = copies ? c->asked.sample_regs_user : 0;
	attr->sample_stack_user = copies ? c->asked.sample_stack_user : 0;
	return c->o->open(c->o->ctx, attr, c->pid, c->cpu);
}

static bool climb_step(struct climb *c, int errnum)
{
	if (c->n == MAX_TAKEN)
		return false;
	for (size_t i = 0; i < N_STEPS; i++) {
		const struct step *s = &ladder[i];
		uint64_t from = feature_get(c->attr, s->feature);
		uint64_t to = step_to(s, c->attr, &c->o->limits);

		if (from == to || !step_fits(s, errnum))
			continue;
		c->taken[c->n++] =
			(struct taken){ .step = s, .from = from, .to = to, .errnum = errnum };
		feature_set(c->attr, s->feature, to);
		return true;
	}
	return false;
}

/* Takes back each step that the kernel did not need, and opens with what is left. The last step
 * needs no trial: without it the kernel refused. */
static int climb_back(struct climb *c)
{
	for (size_t i = c->n - 1; i-- > 0;) {
		const struct taken *t = &c->taken[i];

		if (feature_get(c->attr, t->step->feature) != t->to)
			continue;
		feature_set(c->attr, t->step->feature, t->from);
		_cleanup_close_ int fd = climb_try(c);

		if (fd >= 0)
			continue;
		if (!step_fits(t->step, errno))
			return -1;
		feature_set(c->attr, t->step->feature, t->to);
	}
	return climb_try(c);
}

static char *limit_text(long limit)
{
	return limit == LONG_MIN ? xstrdup("not known") : xasprintf("%ld", limit);
}

static void report(const struct climb *c, const struct taken *t)
{
	const struct step *s = t->step;
	const struct attr_limits *limits = &c->o->limits;
	const char *why = strerror(t->errnum);
	unsigned long long asked = feature_get(&c->asked, s->feature);
	unsigned long long now = feature_get(c->attr, s->feature);
	_cleanup_free_ char *cause = xasprintf("attr %s", s->what);
	_cleanup_free_ char *paranoid = limit_text(limits->paranoid);
	_cleanup_free_ char *text = NULL;

	if (s->feature == FEATURE_RATE) {
		text = xasprintf("%llu samples a second are refused (%s): %llu, the "
				 "kernel.perf_event_max_sample_rate of now, are taken; "
				 "`sysctl kernel.perf_event_max_sample_rate=%llu` allows more",
				 asked, why, now, asked);
	} else if (s->feature == FEATURE_MAX_STACK) {
		_cleanup_free_ char *max = limit_text(limits->max_stack);

		text = xasprintf("call chains of %llu frames are refused (%s): they are cut at "
				 "kernel.perf_event_max_stack, which is %s; "
				 "`sysctl kernel.perf_event_max_stack=%llu` allows more",
				 asked, why, max, asked);
	} else if (s->feature == FEATURE_KERNEL) {
		text = xasprintf("sampling the kernel is refused (%s): only user code is sampled; "
				 "kernel.perf_event_paranoid is %s: root, CAP_PERFMON or "
				 "`sysctl kernel.perf_event_paranoid=1` allows it",
				 why, paranoid);
	} else if (s->feature == FEATURE_PRECISE) {
		text = xasprintf("precise level %llu is refused (%s): level %llu is taken, the "
				 "best that this machine has for this event",
				 asked, why, now);
	} else {
		struct utsname un = { 0 };

		uname(&un);
		text = xasprintf("%s: refused (%s), it needs Linux %s and this is %s: %s", s->what,
				 why, s->since, un.release, s->effect);
	}
	diag_add(c->o->diag, s->level, cause, "%s", text);
}

/* Once a feature, however many steps it took. */
static void report_all(const struct climb *c)
{
	bool seen[N_FEATURES] = { false };

	for (size_t i = 0; i < c->n; i++) {
		enum feature f = c->taken[i].step->feature;

		if (seen[f] || feature_get(c->attr, f) == feature_get(&c->asked, f))
			continue;
		seen[f] = true;
		report(c, &c->taken[i]);
	}
}

static struct err *refusal(const struct climb *c, int errnum)
{
	_cleanup_free_ char *paranoid = limit_text(c->o->limits.paranoid);
	_cleanup_free_ char *hint = NULL;
	struct rlimit files = { 0 };

	if (errnum == EACCES || errnum == EPERM) {
		const char *lift = c->pid < 0 ? "`sysctl kernel.perf_event_paranoid=0` allows it"
					      : "the process's own user allows it";

		hint = xasprintf(" (kernel.perf_event_paranoid is %s; root, CAP_PERFMON or %s, "
				 "unless a seccomp filter forbids it)",
				 paranoid, lift);
	} else if (errnum == EMFILE) {
		getrlimit(RLIMIT_NOFILE, &files);
		hint = xasprintf(" (`ulimit -n`, open files, is %llu)",
				 (unsigned long long)files.rlim_cur);
	} else if (errnum == ENOENT || errnum == ENODEV || errnum == EOPNOTSUPP) {
		hint = xstrdup(" (this machine does not have that event)");
	} else {
		hint = xstrdup("");
	}
	if (c->pid < 0)
		return err_sys(errnum, "cannot open an event on CPU %d%s", c->cpu, hint);
	return err_sys(errnum, "cannot open an event on thread %d%s", c->pid, hint);
}

struct err *attr_open(const struct attr_opener *o, struct perf_event_attr *attr, int pid, int cpu,
		      int *ret)
{
	struct climb c = { .o = o, .asked = *attr, .attr = attr, .pid = pid, .cpu = cpu };
	int fd = climb_try(&c);

	while (fd < 0 && climb_step(&c, errno))
		fd = climb_try(&c);
	if (fd >= 0 && c.n > 1) {
		close(fd);
		fd = climb_back(&c);
	}
	if (fd < 0) {
		int errnum = errno;

		*attr = c.asked;
		return refusal(&c, errnum);
	}
	report_all(&c);
	*ret = fd;
	return NULL;
}
