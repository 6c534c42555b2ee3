/* The jitdumps of the processes recorded: found as they are mapped, and, where stacks are walked by
 * CFI, read while they are written. The reading is the helper's (files.h); a sample in code that
 * a dump has not told of waits for one look at it that began later (waiting.h). */
#ifndef CAPTURE_JITDUMPS_H
#define CAPTURE_JITDUMPS_H

#include "base/diag.h"
#include "capture/files.h"
#include "model/world.h"
#include "unwind/code.h"

enum jitdump_state {
	JITDUMP_READ, /* as it grows */
	JITDUMP_DONE, /* nothing more will come; samples that waited for it may be to come */
	JITDUMP_NOT_READ,
};

/* A JIT compiler's dump, which it maps as if it were code, so that it can be found. */
struct jitdump_of {
	uint32_t pid;
	uint32_t binary; /* the dump's */
	enum jitdump_state state;
	bool asked; /* the helper is at it */
	bool last;  /* its process has ended: one more look */
};

struct jitdumps {
	VEC(struct jitdump_of) v; /* every one, for names */
};

void jitdumps_deinit(struct jitdumps *j);
/* One was mapped; its file has been asked for. `code` NULL: for names only. */
void jitdumps_found(struct jitdumps *j, struct code *code, uint32_t pid, uint32_t binary);
/* Has those read whose last look is over. A process that `world` says has ended is looked at once
 * more, and forgotten after that. */
void jitdumps_ask(struct jitdumps *j, struct files *files, struct code *code,
		  const struct world *world);
/* A look is over; takes its batch. `timed`: samples are of CLOCK_MONOTONIC. True if the end of the
 * file was not reached. */
bool jitdumps_take(struct jitdumps *j, struct files *files, struct code *code, bool timed,
		   struct file_result *r);
/* The process is no more what it was: it runs another program, or has long ended. */
void jitdumps_forget(struct jitdumps *j, struct files *files, struct code *code, uint32_t pid);

#endif
