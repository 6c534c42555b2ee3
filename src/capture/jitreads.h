/* The helper's side of reading jitdumps for what they say of unwinding, while they are written: a
 * piece of a file at a time. */
#ifndef CAPTURE_JITREADS_H
#define CAPTURE_JITREADS_H

#include "unwind/jitreader.h"

struct jitread {
	uint32_t pid, binary;
	struct jitreader reader;
	uint64_t off; /* of the first record not read */
	size_t want;  /* its length; 0: not known */
};

struct jitreads {
	VEC(struct jitread) v;
};

/* What a look at a dump brought. */
struct jitread_result {
	uint32_t pid;
	uint64_t at_ns; /* CLOCK_MONOTONIC: when it began */
	bool more;      /* the end of the file was not reached */
	bool closed;    /* nothing more will come */
	struct jitcode_batch batch;
};

void jitreads_deinit(struct jitreads *j);
/* Reads on in the dump of process `pid`. Fills *ret, error or not; with one, the dump is closed. */
ERR_CHECK struct err *jitreads_next(struct jitreads *j, uint32_t pid, uint32_t binary, int fd,
				    struct jitread_result *ret);
void jitreads_forget(struct jitreads *j, uint32_t pid, uint32_t binary);

#endif
