/* In: what to sample. Out: the attrs of the sampling event, the side-band dummy and the leader of a
 * ring, and the words a recording keeps about an event. The ladder is in perf/ladder.c. */
#include "perf/attr.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "sample/dataset.h"

#if defined(__x86_64__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif

/* The general registers, the stack pointer and the pc: what .eh_frame of the psABI can name, less
 * flags and segments (they are never a saved register). */
#if defined(__x86_64__)
const uint64_t attr_user_regs = 1ULL << PERF_REG_X86_AX | 1ULL << PERF_REG_X86_BX |
				1ULL << PERF_REG_X86_CX | 1ULL << PERF_REG_X86_DX |
				1ULL << PERF_REG_X86_SI | 1ULL << PERF_REG_X86_DI |
				1ULL << PERF_REG_X86_BP | 1ULL << PERF_REG_X86_SP |
				1ULL << PERF_REG_X86_IP | 0xffULL << PERF_REG_X86_R8;
#elif defined(__aarch64__)
const uint64_t attr_user_regs = (1ULL << (PERF_REG_ARM64_PC + 1)) - 1;
#else
const uint64_t attr_user_regs = 0;
#endif

/* perf_event_open(2): sample_stack_user is a multiple of 8, and a record's size has 16 bits. */
enum { STACK_BYTES_MAX = 65528 };

static void attr_common(const struct attr_request *req, struct perf_event_attr *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->size = sizeof(*ret);
	ret->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	ret->sample_id_all = 1;
	ret->use_clockid = 1;
	ret->clockid = CLOCK_MONOTONIC;
	ret->watermark = 1;
	ret->wakeup_watermark = req->wakeup_bytes;
}

static void attr_dummy(const struct attr_request *req, struct perf_event_attr *ret)
{
	attr_common(req, ret);
	ret->type = PERF_TYPE_SOFTWARE;
	ret->config = PERF_COUNT_SW_DUMMY;
	/* It samples nothing, so this costs nothing and spares the unprivileged an EACCES. */
	ret->exclude_kernel = 1;
	ret->exclude_hv = 1;
	ret->disabled = 1;
}

void attr_sampling(const struct attr_request *req, struct perf_event_attr *ret)
{
	const struct event_spec *ev = &req->event;

	attr_common(req, ret);
	ret->type = ev->type;
	ret->config = ev->config;
	ret->freq = req->is_freq;
	ret->sample_period = req->rate; /* a union with sample_freq */
	ret->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	ret->read_format = PERF_FORMAT_LOST;
	ret->disabled = 1;
	ret->inherit = req->inherit;
	ret->enable_on_exec = req->enable_on_exec;
	ret->exclude_idle = req->exclude_idle;
	ret->exclude_user = ev->exclude_user;
	ret->exclude_kernel = ev->exclude_kernel;
	ret->exclude_hv = ev->exclude_user || ev->exclude_kernel;
	ret->precise_ip = ev->precise;
	if (req->callchain) {
		ret->sample_type |= PERF_SAMPLE_CALLCHAIN;
		ret->sample_max_stack = req->max_stack;
	}
	ret->exclude_callchain_user = req->callchain && req->callchain_kernel_only;
	if (req->stack_bytes && attr_user_regs != 0) {
		uint32_t bytes =
			req->stack_bytes < STACK_BYTES_MAX ? req->stack_bytes : STACK_BYTES_MAX;

		ret->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		ret->sample_regs_user = attr_user_regs;
		ret->sample_stack_user = bytes & ~7U;
	}
}

void attr_sideband(const struct attr_request *req, struct perf_event_attr *ret)
{
	attr_dummy(req, ret);
	ret->read_format = PERF_FORMAT_LOST;
	ret->inherit = req->inherit;
	ret->mmap = 1;
	ret->mmap2 = 1;
	ret->build_id = 1;
	ret->comm = 1;
	ret->comm_exec = 1;
	ret->task = 1;
	ret->ksymbol = 1;
}

void attr_leader(const struct attr_request *req, struct perf_event_attr *ret)
{
	attr_dummy(req, ret);
}

/* What perf_event_open(2) answers where the PMU or the event is absent. */
static bool is_absent(int errnum)
{
	return errnum == ENOENT || errnum == ENODEV || errnum == EOPNOTSUPP;
}

bool attr_fallback_clock(struct event_spec *spec, int errnum, struct diag *diag)
{
	if (spec->type != PERF_TYPE_HARDWARE || spec->config != PERF_COUNT_HW_CPU_CYCLES ||
	    !is_absent(errnum))
		return false;
	const char *name = spec->exclude_kernel ? "cpu-clock:u"
			   : spec->exclude_user ? "cpu-clock:k"
						: "cpu-clock";
	diag_add(diag, DIAG_NOTE, "no cycles",
		 "this machine counts no cycles (%s), so time is sampled: %s; `-e %s` says so at "
		 "once",
		 strerror(errnum), name, name);
	strcpy(spec->name, name);
	spec->type = PERF_TYPE_SOFTWARE;
	spec->config = PERF_COUNT_SW_CPU_CLOCK;
	spec->precise = 0;
	spec->is_clock = true;
	spec->unit = "ns";
	return true;
}

/* The kernel turns the frequency of a clock event into a constant period (perf_swevent_init_hrtimer
 * in kernel/events/core.c); another event's period follows the load, so 1/F is the expectation. */
static uint64_t interval_ns(const struct event_spec *spec, const struct perf_event_attr *attr)
{
	if (attr->freq)
		return attr->sample_freq ? 1000000000 / attr->sample_freq : 0;
	return spec->is_clock ? attr->sample_period : 0;
}

void attr_describe(const struct event_spec *spec, const struct perf_event_attr *attr,
		   struct event_desc *ret)
{
	const char *suffix = "";

	if (attr->exclude_kernel && !spec->exclude_kernel)
		suffix = strchr(spec->name, ':') ? "u" : ":u";
	*ret = (struct event_desc){
		.name = xasprintf("%s%s", spec->name, suffix),
		.unit = xstrdup(spec->unit),
		.is_clock = spec->is_clock,
		.is_freq = attr->freq,
		.rate = attr->freq ? attr->sample_freq : attr->sample_period,
		.interval_ns = interval_ns(spec, attr),
		.attr = xmemdup(attr, sizeof(*attr)),
		.attr_len = sizeof(*attr),
	};
}
