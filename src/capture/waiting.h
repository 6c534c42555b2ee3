/* Samples whose stack needs a file that the helper has not opened yet, or a jitdump that it has not
 * looked at since: copied out of the ring, which never waits, until the file is there or the
 * process that they need is gone. */
#ifndef CAPTURE_WAITING_H
#define CAPTURE_WAITING_H

#include "base/vec.h"
#include "model/addrspace.h"
#include "sample/dataset.h"
#include "sample/rawevent.h"

struct held {
	struct raw_event ev;        /* its pointers go into `bytes` */
	const struct addrspace *as; /* the process's; valid until it execs or its pid is reused */
	uint32_t pid;
	struct sample sample; /* all but the node */
	uint8_t *bytes;       /* owned */
	size_t len;
};

struct waiting {
	VEC(struct held) held; /* in order of arrival */
	size_t bytes;
};

void waiting_deinit(struct waiting *w);
/* False if there is no room for one more: memory is bounded. */
bool waiting_has_room(const struct waiting *w);
void waiting_add(struct waiting *w, const struct raw_event *ev, const struct addrspace *as,
		 uint32_t pid, const struct sample *sample);
void held_deinit(struct waiting *w, struct held *h);

#endif
