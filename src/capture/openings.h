/* What was opened: every event's descriptor with the kernel's id for it. An *opening* is all events
 * opened for one scanned thread (or, system-wide, for all CPUs), numbered from 1; children of a
 * thread inherit its openings, and their samples carry the id of the event they inherited from. */
#ifndef CAPTURE_OPENINGS_H
#define CAPTURE_OPENINGS_H

#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "base/vec.h"

enum { OPENING_SIDEBAND = UINT16_MAX };

struct opened {
	uint64_t id; /* PERF_SAMPLE_IDENTIFIER of its samples and its children's */
	int fd;
	uint32_t opening;
	uint16_t event; /* of dataset.events, or OPENING_SIDEBAND */
};

struct openings {
	VEC(struct opened) v;
	struct table ids;
	uint32_t last; /* number of the newest opening; 0: none yet */
};

void openings_init(struct openings *o);
/* Closes every descriptor. */
void openings_deinit(struct openings *o);
/* Takes `fd` over, also on error. */
ERR_CHECK struct err *openings_add(struct openings *o, int fd, uint32_t opening, uint16_t event);
/* NULL if no opened event has this id. Valid until the next openings_add(). */
const struct opened *openings_find(const struct openings *o, uint64_t id);
/* Turns every sampling event on, or off. What a thread's end took with it is skipped. */
void openings_enable(const struct openings *o, bool on);

/* What PERF_FORMAT_LOST says of all events (perf_event_open(2), since Linux 6.0): samples and
 * side-band records that found no room. False where the kernel does not tell. `read_format` is that
 * of each kind's attr. */
bool openings_lost(const struct openings *o, uint64_t sampling_format, uint64_t sideband_format,
		   uint64_t *ret_samples, uint64_t *ret_sideband);

#endif
