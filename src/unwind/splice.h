/* What `-g auto` adds to a walk: the outer part of a stack deeper than its copy, from the kernel's
 * chain of frame pointers. */
#ifndef UNWIND_SPLICE_H
#define UNWIND_SPLICE_H

#include "unwind/walk.h"

/* When the walk ended VERDICT_COPY_SMALL, takes the tail of the kernel's user chain
 * (`chain`, its first word the interrupted pc) if the frame pointer held where the copy ended is a
 * link of that chain, and as far as each entry's row is frame-pointer based. */
void splice_tail(struct walk *w, struct code *code, const struct addrspace *as,
		 const struct raw_sample *s, const uint64_t *chain, size_t n_chain);

#endif
