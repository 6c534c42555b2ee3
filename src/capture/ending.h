/* What ends a recording: time, signals, the targets' own end. And what wakes it meanwhile. */
#ifndef CAPTURE_ENDING_H
#define CAPTURE_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "capture/rings.h"
#include "model/world.h"

enum ended_by { ENDED_NOT, ENDED_TIME, ENDED_COUNT, ENDED_SIGNAL, ENDED_TARGET };

struct ending {
	int signal_fd;     /* SIGINT, SIGTERM, SIGHUP (unless ignored), blocked in every thread */
	int samples_epoll; /* sample rings above their watermark; -1: by the clock, see
			      ending_init() */
	int side_epoll;    /* side-band rings with anything in them */
	int targets_epoll; /* pidfds of targets, each leaving as it ends */
	size_t n_targets;  /* of those, alive */
	VEC(int) pidfds;
	VEC(uint32_t) unwatched; /* targets without a pidfd (Linux before 5.3): asked each time */
	bool has_targets;        /* false: nobody's end ends it */
	uint64_t deadline_ns;    /* 0: none */
	uint64_t side_quiet_ns;  /* side-band is not waited for before this */
	unsigned int n_signals;
	int last_signal;
	bool from_keyboard; /* the last one: the terminal sent it to the command, too */
};

/* Blocks the signals: before any thread is made. Where it is known when the sample rings have to be
 * looked at (rings->wake_ns), that is for who calls to wait for: each ring's own wake-up comes
 * whenever half of it was written since the last one, however little of that is still there, and
 * with several CPUs most of them would be for nothing. */
ERR_CHECK struct err *ending_init(struct ending *e, const struct rings *rings);
void ending_deinit(struct ending *e);
/* The recording ends with the last of these. One that has ended already is no error. */
ERR_CHECK struct err *ending_watch(struct ending *e, uint32_t pid);

/* Waits for data, a signal, a target's end or `until_ns`, whichever comes first. */
void ending_wait(struct ending *e, uint64_t now_ns, uint64_t until_ns);
/* Processes of the world that are alive, zombies not counted: children that outlive the targets. */
bool ending_any_alive(struct world *w);

#endif
