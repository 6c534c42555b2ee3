/* The steps that most of a walk is made of: out of code whose caller's stack pointer is the stack
 * or the frame pointer and a number, with the return address in the copy, and the frame pointer too
 * if it was saved. They are taken in one loop that branches on nothing that differs from frame to
 * frame, at less than half of the cost of a step that may be of any kind. */
#ifndef UNWIND_PLAIN_H
#define UNWIND_PLAIN_H

#include "unwind/walk.h"

/* Where a walk stands: at the last of its frames. */
struct plain {
	uint64_t ip, sp, fp;
	uint64_t sp0; /* address of the copy's first byte */
	bool fp_known;
	bool returned; /* ip is a return address */
};

/* Walks outward from *p and pushes the callers onto w->frames as long as each step is such a one
 * and there is room. Returns how many. What is no such step, or damaged, is left at *p. */
uint32_t plain_steps(struct plain *p, struct walk *w, struct code *code, const struct addrspace *as,
		     const struct raw_sample *s);

#endif
