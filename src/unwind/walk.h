/* The walker: user registers and a copy of the stack → the addresses of the callers. It reads only
 * what the kernel copied and what the files hold, and ends with a verdict: the stack address grows
 * with every frame or the walk is over.
 *
 * Two rules no library gets right: a callee-saved register whose save slot lies below the current
 * stack pointer was already restored, so the register holds it; code without CFI (assembly, lld's
 * PLT) has its caller where its own instructions would return to, or else where the stack holds a
 * return address that follows a call to it (bare.h). */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "sample/frametree.h"
#include "sample/rawevent.h"
#include "unwind/code.h"

enum { WALK_MAX_FRAMES = 4096 };

struct walk_frame {
	uint64_t pc;
	uint8_t kind; /* enum frame_kind: FRAME_PC, FRAME_RETURN, FRAME_AFTER_SIGNAL */
};

struct walk {
	/* Set by who walks: code that its compiler's dump may yet tell of is waited for
	 * (VERDICT_NO_CFI_YET), if it ran at this time. */
	bool may_wait;
	uint64_t time_ns;
	struct walk_frame *frames; /* owned; WALK_MAX_FRAMES of them */
	struct exit_cache *exits;  /* owned */
	uint32_t n;
	enum verdict verdict;
	uint32_t binary; /* the verdict speaks of; with VERDICT_NO_CFI_YET the one whose file is
			    waited for, with VERDICT_COPY_SMALL that of a frame which no larger
			    copy would reach beyond; BINARY_UNKNOWN: none */
	uint64_t end_fp; /* the frame pointer of the last frame, if known */
	bool end_fp_known;
	uint64_t reach; /* bytes of the copy below the outermost frame walked to by rows */
	/* Rules applied, for tests and -v. */
	uint64_t n_popped, n_no_cfi, n_by_fp, n_complex, n_spliced;
};

void walk_init(struct walk *w);
void walk_deinit(struct walk *w);

/* Walks with the compact rows. False if the row of the last of w->frames is ROW_COMPLEX: the step
 * out of it is libunwind's (remote_cross()). */
bool walk_rows(struct walk *w, struct code *code, const struct addrspace *as,
	       const struct raw_sample *s);

/* What goes with the last of w->frames. */
struct walk_regs {
	uint64_t sp, fp;
	bool fp_known;
	bool other_stack; /* it was interrupted by a signal handled on another stack than its own */
};

/* walk_rows(), on from the last of w->frames, of which there is one. */
bool walk_resume(struct walk *w, struct code *code, const struct addrspace *as,
		 const struct raw_sample *s, const struct walk_regs *regs);

#endif
