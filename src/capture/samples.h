/* Samples on their way from the rings into the recording. A few are in flight at a time: each goes
 * in steps, and between two of its steps others take theirs, while the memory comes that it needs.
 * They leave in the order in which they came. */
#ifndef CAPTURE_SAMPLES_H
#define CAPTURE_SAMPLES_H

#include "sample/dataset.h"
#include "unwind/unwinder.h"

enum { IN_FLIGHT_MAX = 16 };

struct in_flight {
	struct raw_event ev;  /* a view of the ring, not released before it has left */
	struct sample sample; /* without the node until it is placed */
	struct unwinding stack;
	bool waits; /* its copy waits for a file: no further step */
};

/* How many took each step since the start; number n stands in v[n % IN_FLIGHT_MAX]. */
struct flights {
	struct in_flight v[IN_FLIGHT_MAX];
	uint64_t begun, walked, neared, placed, left;
};

#endif
