/* Instructions of functions with what each costs: `report --asm`, `report --embed-asm`. */
#ifndef PROFILE_ASMLIST_H
#define PROFILE_ASMLIST_H

#include "profile/picked.h"
#include "symbol/disasm.h"

/* Samples at one place of a file, in the code of a function. */
struct insn_cost {
	uint32_t function; /* index into picked.functions.v, or rank */
	uint32_t binary;
	uint64_t off; /* look-up offset; of code in no file the address */
	uint64_t weight, samples;
};

/* A piece of a function's code with the places hit in it. */
struct asm_part {
	size_t first, n;    /* its costs: at least one, of one function and binary */
	struct disasm code; /* owned; empty: */
	char *why;          /* why there is no code; owned; else NULL */
	const char *note;   /* what to know about the code; static; NULL: nothing */
};

struct asmlist {
	struct picked picked;       /* zeroed by asmlist_init_hottest() */
	bool no_inlines;            /* set by the caller: lines shown are the function's own */
	VEC(struct insn_cost) v;    /* by function, binary, offset */
	VEC(struct asm_part) parts; /* in order of `v`; made by whoever finds the code */
};

/* The hits, into `a`, which is zeroed but for `no_inlines` and to be released in any case. Fails as
 * picked_init() does. */
ERR_CHECK struct err *asmlist_init(struct asmlist *a, const struct calltree *tree,
				   const char *function);
/* The same of the code in which most samples were taken: that of `n` functions at the most, the
 * heaviest first. Functions here are those that own the code, with all that is inlined there; costs
 * hold the places of other events as well, without weight. `tree` may be reversed. */
void asmlist_init_hottest(struct asmlist *a, const struct calltree *tree, uint32_t n);
void asmlist_deinit(struct asmlist *a);
/* Adds the part that begins with cost number `first`, takes `code` (or else `why`) over, and
 * returns the number of the first cost behind it: all costs of the function and file that lie in
 * the code or, without any, all of them. */
size_t asmlist_add_part(struct asmlist *a, size_t first, struct disasm *code, char *why);

#endif
