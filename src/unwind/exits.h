/* Code without CFI says by itself where its return address is: along whatever way it can take from
 * the pc to its return instruction, the stack pointer moves by the same amount, or is loaded anew.
 * The way is followed instruction by instruction, past calls, over branches not taken; what it does
 * to the stack pointer and the frame pointer is remembered by pc. */
#ifndef UNWIND_EXITS_H
#define UNWIND_EXITS_H

#include "unwind/code.h"
#include "unwind/insn.h"

enum value_kind {
	VALUE_LOST, /* not known */
	VALUE_REG,  /* what `reg` holds at the pc, + off */
	VALUE_WORD, /* the word where that points, + add */
};

struct value {
	uint8_t kind; /* enum value_kind */
	uint8_t reg;
	int32_t off, add;
};

/* Right before the return instruction. */
struct exit {
	struct value sp; /* where the return address is; never VALUE_LOST */
	struct value fp;
};

enum { EXITS_MOST = 4 };

/* Those of one pc. A wrong one can be among them: behind a call that does not return other code
 * begins. Who asks looks for a return address there. */
struct exits {
	uint64_t pc, generation;
	bool all;  /* the ways taken by the branches were followed, too */
	bool none; /* none of the ways from here leads to a return: an endless loop */
	uint8_t n;
	struct exit v[EXITS_MOST];
};

struct exit_cache;

struct exit_cache *exit_cache_create(void);
void exit_cache_destroy(struct exit_cache *x);
/* From `pc` on, the likeliest first; with `all` also those found by taking branches. Where an
 * architecture's instructions are not known there are none. Valid until the next call. */
const struct exits *exits_find(struct exit_cache *x, struct code *code, const struct addrspace *as,
			       uint64_t pc, bool all);

#endif
