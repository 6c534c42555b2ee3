/* Event → struct perf_event_attr, and the ladder of fallbacks: one const table of features, newest
 * first, each with the errnos that refuse it and how to do without. The opener is a function so
 * that the ladder is tested against one that refuses each feature with each errno. */
#ifndef PERF_ATTR_H
#define PERF_ATTR_H

#include <linux/perf_event.h>

#include "base/diag.h"
#include "base/err.h"
#include "perf/event.h"

struct attr_request {
	struct event_spec event;
	bool is_freq;
	uint64_t rate; /* Hz, or a period */
	bool callchain;
	bool callchain_kernel_only; /* the user part is walked from the stack copy */
	uint16_t max_stack;         /* 0: the kernel's */
	uint32_t stack_bytes; /* user stack copy; 0: none; only where attr_user_regs is not 0 */
	bool inherit;
	bool exclude_idle;
	bool enable_on_exec;
	uint32_t wakeup_bytes; /* watermark; 0: half the ring */
};

/* PERF_SAMPLE_REGS_USER of this machine: what unwinding by DWARF rules can ask for, as bits of
 * asm/perf_regs.h. 0: not known for this architecture, stack copies cannot be asked for. */
extern const uint64_t attr_user_regs;

/* Fills an attr for sampling, disabled, with every feature asked for. Sample fields are always
 * IDENTIFIER|IP|TID|TIME|PERIOD, plus CALLCHAIN, plus REGS_USER|STACK_USER where asked for
 * (`stack_bytes` rounded down to what the ABI takes: a multiple of 8 below 64 KiB). */
void attr_sampling(const struct attr_request *req, struct perf_event_attr *ret);
/* The dummy that carries mmap2, comm, task and ksymbol records. Disabled, and without
 * enable_on_exec: it is to be enabled before anything else. */
void attr_sideband(const struct attr_request *req, struct perf_event_attr *ret);
/* A dummy that measures nothing: leader of a ring. Its watermark and clock are the ring's. */
void attr_leader(const struct attr_request *req, struct perf_event_attr *ret);

/* perf_event_open(2) as a value: returns an fd or -1 with errno set. */
typedef int attr_open_fn(void *ctx, struct perf_event_attr *attr, int pid, int cpu);

/* The kernel's limits as they are now (/proc/sys/kernel/perf_event_*); LONG_MIN: not known. */
struct attr_limits {
	long paranoid;
	long max_sample_rate;
	long max_stack;
};

struct attr_opener {
	attr_open_fn *open;
	void *ctx;
	struct attr_limits limits;
	struct diag *diag; /* may be NULL */
};

/* Opens with `attr`; where the kernel refuses, takes the steps of the ladder that fit the errno,
 * one at a time, until it opens or none is left. One errno (EINVAL) stands for many features, so
 * the steps are then taken back one by one, and what the kernel accepts after all is kept (fds
 * opened on the way are closed). `attr` keeps what was given up, so the next call with it starts
 * there; each is reported once with errno, the value now and the command that lifts it. On error
 * `attr` is as it was, and the error names the last errno. */
ERR_CHECK struct err *attr_open(const struct attr_opener *o, struct perf_event_attr *attr, int pid,
				int cpu, int *ret);

/* Where `errnum` says that the machine has no cycle counter and `spec` counts cycles: makes it
 * cpu-clock with the same ":u" and ":k", reports that and returns true. Only for the default event:
 * an event that the user named is never replaced. */
bool attr_fallback_clock(struct event_spec *spec, int errnum, struct diag *diag);

/* Event as described in a recording's header. Strings are the caller's (free with
 * event_desc_deinit). The name gets a ":u" where the ladder excluded the kernel. */
struct event_desc;
void attr_describe(const struct event_spec *spec, const struct perf_event_attr *attr,
		   struct event_desc *ret);

#endif
