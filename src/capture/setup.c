/* In: a request. Out: open events, rings, and a world that knows who is there. */
#include "capture/setup.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "capture/limits.h"
#include "capture/meta.h"

enum {
	SAMPLE_BYTES = 64, /* header and fixed fields */
	REGS_BYTES = 160,  /* user registers, and the sizes of the copy */
	STACK_MIN = 2048,  /* a smaller copy reaches no caller worth having */
	RING_SAMPLES_MIN = 16,
	CHAIN_ENTRIES = 32, /* of a usual stack */
};

static struct err *online_cpus(const struct session *s, u32_vec *ret)
{
	struct buf text = { 0 };
	struct err *err = opener_read(&s->opener, "/sys/devices/system/cpu/online", &text);
	bool ok = !err && procfs_parse_list((char *)text.data, UINT16_MAX, ret);

	buf_deinit(&text);
	if (!err && !ok)
		err = err_new("/sys/devices/system/cpu/online is no list of CPUs");
	return err;
}

static bool has(const u32_vec *v, uint32_t n)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i] == n)
			return true;
	return false;
}

/* The online ones, of those asked for. */
static struct err *choose_cpus(const struct session *s, u32_vec *ret)
{
	const u32_vec *asked = &s->req->target.cpus;
	size_t kept = 0;

	TRY(online_cpus(s, ret));
	for (size_t i = 0; i < asked->n; i++)
		if (!has(ret, asked->v[i]))
			return err_sys(ENODEV, "CPU %u is not online", asked->v[i]);
	for (size_t i = 0; i < ret->n && asked->n; i++)
		if (has(asked, ret->v[i]))
			ret->v[kept++] = ret->v[i];
	if (asked->n)
		ret->n = kept;
	return NULL;
}

static uint64_t count_threads(const struct session *s)
{
	u32_vec tids = { 0 };
	uint64_t n = 0;

	if (s->req->target.kind == TARGET_TIDS)
		return s->req->target.ids.n;
	for (size_t i = 0; i < s->pids.n; i++)
		n += procfs_numbers(&s->opener, s->pids.v[i], &tids) ? tids.n : 0;
	vec_deinit(&tids);
	return n;
}

static uint64_t asked_rate(const struct session *s)
{
	enum { USUAL_LIMIT = 100000 };

	if (s->req->is_freq && s->req->rate == UINT64_MAX)
		return (uint64_t)opener_sysctl(&s->opener, "kernel/perf_event_max_sample_rate",
					       USUAL_LIMIT);
	return s->req->rate;
}

static uint64_t sample_bytes(enum session_callgraph callgraph, uint32_t stack_bytes)
{
	uint64_t n = SAMPLE_BYTES;

	if (callgraph != CALLGRAPH_NONE)
		n += UINT64_C(8) * CHAIN_ENTRIES;
	if (callgraph == CALLGRAPH_DWARF || callgraph == CALLGRAPH_AUTO)
		n += REGS_BYTES + stack_bytes;
	return n;
}

/* Copies as large as asked for, unless a ring could not hold those of a sixteenth of a second. */
static void fit_stack_copy(struct session *s)
{
	uint64_t ring = s->rings.v[0].by_role[RING_SAMPLES].ring.size;
	uint64_t at_least = s->req->is_freq ? asked_rate(s) * s->req->n_events / 16 : 0;

	if (s->callgraph != CALLGRAPH_DWARF && s->callgraph != CALLGRAPH_AUTO)
		return;
	if (at_least < RING_SAMPLES_MIN)
		at_least = RING_SAMPLES_MIN;
	s->stack_bytes = s->req->stack_bytes;
	while (s->stack_bytes / 2 >= STACK_MIN &&
	       at_least * sample_bytes(s->callgraph, s->stack_bytes) > ring)
		s->stack_bytes = s->stack_bytes / 2 & ~7U;
	if (s->stack_bytes < s->req->stack_bytes)
		diag_add(s->diag, DIAG_NOTE, "stack-copy",
			 "%u bytes of stack are copied a sample instead of %u: rings of %llu KiB "
			 "hold "
			 "no more at this rate; a lower rate (-F) or larger rings (-m, more locked "
			 "memory) allow it",
			 s->stack_bytes, s->req->stack_bytes, (unsigned long long)ring / 1024);
}

static struct err *choose_and_make_rings(struct session *s, u32_vec *cpus)
{
	const struct session_request *req = s->req;
	long page = sysconf(_SC_PAGESIZE);

	s->callgraph = req->callgraph;
	if ((s->callgraph == CALLGRAPH_DWARF || s->callgraph == CALLGRAPH_AUTO) && !arch_native()) {
		s->callgraph = CALLGRAPH_FP;
		diag_add(s->diag, DIAG_WARNING, "arch",
			 "singe cannot unwind by CFI on this architecture: frame pointers are "
			 "followed");
	}
	TRY(choose_cpus(s, cpus));
	TRY(target_processes(&req->target, &s->opener, &s->pids));
	s->mode = req->attach;
	if (s->mode == ATTACH_AUTO && !req->inherit && req->target.kind == TARGET_PIDS)
		s->mode = ATTACH_THREADS; /* system-wide, new threads of a process can't be left out
					   */
	TRY(attach_choose(&req->target, &s->opener, &s->pids, cpus->n, s->diag, &s->mode));
	uint64_t threads = s->mode == ATTACH_SYSTEM ? 1 : count_threads(s);

	s->attach.n_threads = threads;
	uint64_t files = limits_raise_files(threads * cpus->n * (req->n_events + 1) + 1024);
	struct rings_demand demand = {
		.sample_bytes = sample_bytes(s->callgraph, req->stack_bytes),
		.rate = req->is_freq ? asked_rate(s) * req->n_events : 0,
		.asked = req->ring_bytes,
		.memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)page,
		.page = (uint64_t)page,
	};

	s->files = files_create(&s->opener, files / 2);
	TRY(rings_init(&s->rings, cpus, &demand, &s->opener, s->diag));
	fit_stack_copy(s);
	return NULL;
}

struct err *setup_rings(struct session *s)
{
	u32_vec cpus = { 0 };
	struct err *err = choose_and_make_rings(s, &cpus);

	vec_deinit(&cpus);
	return err;
}

static struct attr_limits read_limits(const struct opener *o)
{
	return (struct attr_limits){
		.paranoid = (long)opener_sysctl(o, "kernel/perf_event_paranoid", LONG_MIN),
		.max_sample_rate =
			(long)opener_sysctl(o, "kernel/perf_event_max_sample_rate", LONG_MIN),
		.max_stack = (long)opener_sysctl(o, "kernel/perf_event_max_stack", LONG_MIN),
	};
}

/* Whether the machine counts the default event shows on our own task; the targets are opened once
 * that is settled. */
static void settle_default_event(struct session *s, struct event_spec *spec)
{
	struct attr_request req = { .event = *spec, .rate = 1000000 };
	struct perf_event_attr attr;

	attr_sampling(&req, &attr);
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	_cleanup_close_ int fd = opener_event(NULL, &attr, 0, -1);

	if (fd < 0)
		attr_fallback_clock(spec, errno, s->diag);
}

static void describe_events(struct session *s, const struct event_spec *specs)
{
	for (size_t i = 0; i < s->attach.n_events; i++) {
		struct event_desc desc;

		attr_describe(&specs[i], &s->attach.sampling[i], &desc);
		vec_push(&s->data->events, desc);
	}
}

struct err *setup_events(struct session *s)
{
	const struct session_request *req = s->req;
	struct event_spec specs[ATTACH_EVENTS_MAX];
	struct attach *a = &s->attach;
	struct attr_request ask = {
		.is_freq = req->is_freq,
		.rate = asked_rate(s),
		.callchain = s->callgraph != CALLGRAPH_NONE,
		.callchain_kernel_only = s->callgraph == CALLGRAPH_DWARF,
		.stack_bytes = s->stack_bytes,
		.inherit = req->inherit && s->mode == ATTACH_THREADS,
		.exclude_idle = s->mode == ATTACH_SYSTEM && !req->idle,
		.enable_on_exec = req->target.kind == TARGET_COMMAND && s->mode == ATTACH_THREADS,
	};

	a->target = &req->target;
	a->opener = &s->opener;
	a->rings = &s->rings;
	a->diag = s->diag;
	a->limits = read_limits(&s->opener);
	a->n_events = req->n_events;
	for (size_t i = 0; i < req->n_events; i++) {
		specs[i] = req->events[i];
		if (req->default_event)
			settle_default_event(s, &specs[i]);
		ask.event = specs[i];
		attr_sampling(&ask, &a->sampling[i]);
	}
	attr_sideband(&ask, &a->sideband);
	TRY(s->mode == ATTACH_SYSTEM ? attach_system(a) : attach_threads(a, &s->pids));
	if (!a->openings.last)
		return err_sys(ESRCH, "there is nobody left to record");
	describe_events(s, specs);
	rings_start(&s->rings, &a->sampling[0], &a->sideband);
	return NULL;
}

void setup_unwinder(struct session *s)
{
	long max_stack = s->attach.limits.max_stack;
	struct unwinder_options opt = {
		.mode = UNWIND_FP,
		.engine = s->req->engine,
		.max_stack = max_stack > 0 ? (uint32_t)max_stack : 0,
		.arch = arch_native(),
	};

	/* The ladder may have found a kernel that copies no stacks. */
	if (s->attach.sampling[0].sample_type & PERF_SAMPLE_STACK_USER) {
		opt.mode = s->callgraph == CALLGRAPH_AUTO ? UNWIND_AUTO : UNWIND_DWARF;
		files_want_elf(s->files);
	} else if (s->stack_bytes) {
		s->callgraph = CALLGRAPH_FP;
		s->stack_bytes = 0;
	}
	s->unwinder = unwinder_create(&opt, &s->data->tree, &s->data->binaries);
}

void setup_read_maps(struct session *s, uint32_t pid)
{
	struct buf text = { 0 };
	struct err *err = opener_proc(&s->opener, pid, "maps", &text);
	char *at = (char *)text.data;
	struct raw_mmap m;

	if (err && err_errno(err) != ENOENT && err_errno(err) != ESRCH)
		diag_add(s->diag, DIAG_WARNING, "maps",
			 "%s: its code stays unknown but for what it maps from now on",
			 err_msg(err));
	while (!err && procfs_next_map(&at, &m))
		if (!m.data)
			world_map_existing(s->world, pid, &m);
	err_destroy(err);
	buf_deinit(&text);
}

static void read_names(struct session *s, uint32_t pid, u32_vec *tids)
{
	if (!procfs_numbers(&s->opener, pid, tids))
		return;
	for (size_t i = 0; i < tids->n; i++) {
		_cleanup_free_ char *comm = procfs_comm(&s->opener, pid, tids->v[i]);

		if (comm)
			world_name_existing(s->world, pid, tids->v[i], comm);
	}
}

static void take_openings(struct session *s)
{
	for (size_t i = 0; i < s->attach.threads.n; i++) {
		const struct attached_thread *t = &s->attach.threads.v[i];

		if (t->opening)
			world_thread(s->world, t->pid, t->tid)->opening = t->opening;
	}
}

static void choose_scope(struct session *s)
{
	struct intake *in = &s->intake;

	in->inherit = s->req->inherit;
	in->scope = INTAKE_OPENED;
	if (s->mode == ATTACH_SYSTEM)
		in->scope = s->req->target.kind == TARGET_ALL ? INTAKE_ALL : INTAKE_FOLLOWED;
	in->follow_uid = in->scope == INTAKE_FOLLOWED && s->req->target.kind == TARGET_UID;
	in->uid = s->req->target.uid;
	if (s->mode == ATTACH_SYSTEM && s->command)
		in->unborn = (uint32_t)s->command->pid;
}

struct err *setup_world(struct session *s)
{
	u32_vec tids = { 0 };

	choose_scope(s);
	s->intake.attached_ns = meta_now_ns();
	/* Others of the user, or of the system, may have come while the events were opened. */
	if (s->mode == ATTACH_SYSTEM &&
	    (s->req->target.kind == TARGET_UID || s->req->target.kind == TARGET_ALL))
		TRY(target_processes(&s->req->target, &s->opener, &s->pids));
	for (size_t i = 0; i < s->pids.n; i++) {
		if (s->intake.scope == INTAKE_FOLLOWED)
			intake_follow(&s->intake, s->pids.v[i]);
		setup_read_maps(s, s->pids.v[i]);
		read_names(s, s->pids.v[i], &tids);
	}
	vec_deinit(&tids);
	take_openings(s);
	return intake_drain(&s->intake, meta_now_ns());
}
