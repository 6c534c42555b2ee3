/* The body of a STREAM block → samples and process events. */
#ifndef RECORDING_STREAM_H
#define RECORDING_STREAM_H

#include "recording/dict.h"
#include "recording/newer.h"

struct stream_context {
	uint64_t last_ns;
	uint64_t last_period;
	uint64_t interval_ns;
	uint32_t thread, cpu, event;
};

struct stream {
	struct dict dict;
	bool header_lost; /* events may be unknown: they are made up as they occur */
	VEC(struct stream_context) contexts;
	VEC(struct sample) samples;
	VEC(struct proc_event) events;
	VEC(char *) comms;             /* of `events` */
	VEC(struct raw_sample) stacks; /* of PROC_STACK events, in their order */
	VEC(uint64_t) words;           /* registers and chains of `stacks` */
	struct newer newer;            /* what of all blocks was skipped */
};

void stream_init(struct stream *s, struct dataset *data);
void stream_deinit(struct stream *s);
/* Replaces samples and events by the block's; tables grow. On an error there are none. */
ERR_CHECK struct err *stream_read(struct stream *s, struct cursor body);

#endif
