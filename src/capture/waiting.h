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
	const struct addrspace *as; /* the process's, or one of waiting.left */
	uint32_t pid;               /* WAITING_LEFT: `as` is its own, whatever becomes of the pid */
	struct sample sample;       /* all but the node */
	uint8_t *bytes;             /* owned */
	size_t len;
};

#define WAITING_LEFT UINT32_MAX

struct waiting {
	VEC(struct held) held;        /* in order of arrival */
	VEC(struct addrspace *) left; /* owned; as they were when their process changed */
	size_t bytes;                 /* of both */
};

void waiting_deinit(struct waiting *w);
/* False if there is no room for one more: memory is bounded. */
bool waiting_has_room(const struct waiting *w);
void waiting_add(struct waiting *w, const struct raw_event *ev, const struct addrspace *as,
		 uint32_t pid, const struct sample *sample);
void held_deinit(struct waiting *w, struct held *h);
/* The address space of `pid` changes: what waits for it goes on with a copy. */
void waiting_leave(struct waiting *w, uint32_t pid);
/* Nothing is held any more: frees what was kept for it. */
void waiting_forget(struct waiting *w);

#endif
