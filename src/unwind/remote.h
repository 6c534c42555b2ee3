/* libunwind over the same inputs as the walker: for stacks with a row the compact form cannot hold,
 * and as the second opinion in tests (--unwinder=libunwind). The only file that speaks to it. */
#ifndef UNWIND_REMOTE_H
#define UNWIND_REMOTE_H

#include "unwind/walk.h"

struct remote;

/* NULL where libunwind was not built for the architecture of `code`. */
struct remote *remote_create(struct code *code);
void remote_destroy(struct remote *r);
/* Fills `w` as walk_rows() does. */
void remote_walk(struct remote *r, struct walk *w, const struct addrspace *as,
		 const struct raw_sample *s);
/* walk_rows() came to a complex row at the last of w->frames: one frame on from there, for
 * walk_resume(). False if libunwind does not come by those frames, or no further: then `w` is as
 * after remote_walk(), but keeps the frames if libunwind came by none but those. */
bool remote_cross(struct remote *r, struct walk *w, const struct addrspace *as,
		  const struct raw_sample *s, struct walk_regs *ret);

#endif
