/* Opening the events. Two ways: every thread × CPU, children inheriting; or every CPU, for all
 * processes. Side-band is on as soon as it is open; sampling waits for openings_enable(), or for
 * the exec of a command. */
#ifndef CAPTURE_ATTACH_H
#define CAPTURE_ATTACH_H

#include <linux/perf_event.h>

#include "base/diag.h"
#include "capture/openings.h"
#include "capture/rings.h"
#include "capture/target.h"

enum { ATTACH_EVENTS_MAX = 16 };

enum attach_mode { ATTACH_AUTO, ATTACH_THREADS, ATTACH_SYSTEM };

struct attached_thread {
	uint32_t pid, tid, opening;
};

struct attach {
	const struct target *target;
	const struct opener *opener;
	const struct rings *rings;
	struct diag *diag;
	struct attr_limits limits;                          /* for the ladder's reports */
	struct perf_event_attr sampling[ATTACH_EVENTS_MAX]; /* as opened, once attached */
	struct perf_event_attr sideband;
	size_t n_events;
	size_t n_threads; /* there are about, to be opened; for a message */
	struct openings openings;
	VEC(struct attached_thread) threads; /* in order of opening */
	struct table tids;
};

/* The attrs and the pointers are the caller's to fill. */
void attach_init(struct attach *a);
void attach_deinit(struct attach *a);

/* One event for all of (pid, cpu), redirected to its ring; `*ret_gone` if there is no such thread
 * any more. `event` as in struct opened. */
ERR_CHECK struct err *attach_open(struct attach *a, int pid, size_t cpu_index, uint32_t opening,
				  uint16_t event, bool *ret_gone);

/* Every thread of `pids` (of a TARGET_TIDS: the ids alone) on every CPU. Scans again until five
 * passes in a row find nothing new: one pass misses threads born while it runs. */
ERR_CHECK struct err *attach_threads(struct attach *a, const u32_vec *pids);
ERR_CHECK struct err *attach_system(struct attach *a);
/* The opening made for this thread itself; 0: none. */
uint32_t attach_opening(const struct attach *a, uint32_t tid);

/* Resolves ATTACH_AUTO for a target whose processes are `pids`; says what decided as a detail. An
 * error if the mode asked for can't be. */
ERR_CHECK struct err *attach_choose(const struct target *t, const struct opener *o,
				    const u32_vec *pids, size_t n_cpus, struct diag *diag,
				    enum attach_mode *mode);

#endif
