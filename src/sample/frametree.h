/* The tree of frames. A stack is one node: the node is the innermost frame, its parent the caller,
 * and so on out to node 0, which is no frame. A frame is a place in a binary, not an address in a
 * process, so that one node means the same in every process at every time.
 *
 * Ids count up from 1 in order of arrival; a parent's id is always smaller than its child's. */
#ifndef SAMPLE_FRAMETREE_H
#define SAMPLE_FRAMETREE_H

#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

/* The numbers are those of the recording format. */
enum frame_kind {
	FRAME_PC = 0,           /* an interrupted pc: names the instruction that was to run */
	FRAME_RETURN = 1,       /* a return address: the call is one byte or more before it */
	FRAME_AFTER_SIGNAL = 2, /* the pc a signal interrupted: exact, like FRAME_PC */
	FRAME_CUT = 3, /* no code: what lies outside is missing; `off` is an enum verdict */
};

/* How the walk of a stack ended. Numbers of the recording format: they are the offsets of
 * FRAME_CUT nodes, whose binary is the one the verdict speaks of (BINARY_UNKNOWN: none). */
enum verdict {
	VERDICT_COMPLETE = 0,    /* never stored: a stack without a FRAME_CUT node */
	VERDICT_COPY_SMALL = 1,  /* the stack goes on beyond the bytes copied */
	VERDICT_DEPTH_LIMIT = 2, /* the kernel's or our limit on frames was reached */
	VERDICT_NO_CFI = 3,      /* no unwind information in `binary` */
	VERDICT_BAD_CFA = 4,     /* the next frame would not lie outside this one */
	VERDICT_FP_END = 5,      /* the chain of frame pointers ended outside start code */
	VERDICT_NO_STACK = 6,    /* the sample came without a user stack though it ran user code */
	VERDICT_NO_CFI_YET = 7,  /* the file was not read when the sample had to be unwound */
	N_VERDICTS,
};

struct frame {
	uint64_t off;    /* file offset; for the kernel, JIT and anonymous code the address */
	uint32_t parent; /* 0: outermost */
	uint32_t binary; /* index into struct binaries */
	uint32_t hash;   /* of it and all frames outside it: of the path, whatever the ids */
	uint8_t kind;    /* enum frame_kind */
};

/* Code, wherever it was run from. */
struct frame_place {
	uint64_t off;
	uint32_t binary;
};

struct frametree {
	VEC(struct frame) frames; /* [0] is the root, no frame */
	struct table table;
};

void frametree_init(struct frametree *t);
void frametree_deinit(struct frametree *t);
/* Forgets every node but the root. Keeps memory. */
void frametree_clear(struct frametree *t);
/* The node for this frame under `parent`, made if new. `parent` must be an id of this tree. */
uint32_t frametree_add(struct frametree *t, uint32_t parent, uint32_t binary, uint64_t off,
		       enum frame_kind kind);

/* The nodes for n frames of kind FRAME_PC, each inside the one before it, the first under `parent`,
 * into ret[n]. Looks for all of them at once: a large tree is not in the caches. */
void frametree_add_stack(struct frametree *t, uint32_t parent, const struct frame_place *places,
			 size_t n, uint32_t *ret);

static inline const struct frame *frametree_get(const struct frametree *t, uint32_t id)
{
	return &t->frames.v[id];
}

/* "complete", "copy too small", … the words outputs use. */
const char *verdict_name(enum verdict v);

#endif
