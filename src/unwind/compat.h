/* 32-bit code under a 64-bit kernel: no rows are read for it, so it is followed by frame pointers
 * alone, in the copy of the stack. Only a frame that is just being made or taken down is told by
 * its instructions; a function without one hides its caller. */
#ifndef UNWIND_COMPAT_H
#define UNWIND_COMPAT_H

#include "unwind/walk.h"

/* Each link must lie outward of the one before and hold an address behind a call. Ends
 * VERDICT_FP_END but where the chain comes to where the program was entered; VERDICT_COPY_SMALL if
 * a larger copy would hold more of it. */
void walk_compat(struct walk *w, struct code *code, const struct addrspace *as,
		 const struct raw_sample *s);

#endif
