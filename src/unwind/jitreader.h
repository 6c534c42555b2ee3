/* Reads a jitdump as it grows, for what it says of unwinding: bytes → a batch for jitcode.h. Does
 * no I/O; may run in another thread than who takes the batches. */
#ifndef UNWIND_JITREADER_H
#define UNWIND_JITREADER_H

#include "base/cursor.h"
#include "base/err.h"
#include "base/table.h"
#include "unwind/jitcode.h"

/* What was last loaded or moved to a place, for moves. */
struct jitreader_loaded {
	uint64_t start, index;
	struct jitcode_entry entry;
};

/* A zeroed struct is one at the begin of a file. */
struct jitreader {
	bool begun;  /* the header is read */
	bool closed; /* nothing more will be read: the compiler says so, or it makes no sense */
	bool has_code, has_frames;
	uint32_t n_batches; /* that have bytes */
	uint32_t n_entries;
	uint64_t n_bytes;             /* of .eh_frame */
	struct jitcode_entry pending; /* the .eh_frame of the next load; it has no range yet */
	VEC(struct jitreader_loaded) loaded;
	struct table by_start; /* (start, index) → number in `loaded` */
};

void jitreader_deinit(struct jitreader *r);
/* `c` is the file's bytes from where the last call left off: at the first record that was not
 * whole. The batch comes in order, even with an error, which says what is wrong with the file; then
 * it is closed. */
ERR_CHECK struct err *jitreader_read(struct jitreader *r, struct cursor *c,
				     struct jitcode_batch *ret);

#endif
