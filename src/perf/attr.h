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
	uint16_t max_stack;   /* 0: the kernel's */
	uint32_t stack_bytes; /* user stack copy; 0: none */
	bool inherit;
	bool exclude_idle;
	bool enable_on_exec;
	uint32_t wakeup_bytes; /* watermark */
};

/* Fills an attr for sampling, disabled, with every feature asked for. Sample fields are always
 * IDENTIFIER|IP|TID|TIME|PERIOD, plus CALLCHAIN, plus REGS_USER|STACK_USER where asked for. */
void attr_sampling(const struct attr_request *req, struct perf_event_attr *ret);
/* The dummy that carries mmap2, comm, task and ksymbol records. */
void attr_sideband(const struct attr_request *req, struct perf_event_attr *ret);
/* A dummy that measures nothing: leader of a ring. */
void attr_leader(const struct attr_request *req, struct perf_event_attr *ret);

/* perf_event_open(2) as a value: returns an fd or -1 with errno set. */
typedef int attr_open_fn(void *ctx, struct perf_event_attr *attr, int pid, int cpu);

/* Opens with `attr`; where the kernel refuses, takes the steps of the ladder that fit the errno,
 * one at a time, until it opens or none is left. `attr` keeps what was given up, so the next call
 * with it starts there; each step is reported once to `diag` with errno, the value now and the
 * command that lifts it. The error names the real errno. */
ERR_CHECK struct err *attr_open(attr_open_fn *open, void *ctx, struct perf_event_attr *attr,
				int pid, int cpu, struct diag *diag, int *ret);

/* Event as described in a recording's header. Strings are the caller's (free with
 * event_desc_deinit). */
struct event_desc;
void attr_describe(const struct event_spec *spec, const struct perf_event_attr *attr,
		   struct event_desc *ret);

#endif
