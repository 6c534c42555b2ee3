/* In: where a walk stands, the copy, places remembered. Out: the callers up to a step that needs
 * more thought. */
#include "unwind/plain.h"

#include <string.h>

static inline uint64_t word_at(const uint8_t *stack, uint64_t at)
{
	uint64_t word;

	memcpy(&word, stack + at, sizeof(word));
	return word;
}

uint32_t plain_steps(struct plain *p, struct walk *w, struct code *code, const struct addrspace *as,
		     const struct raw_sample *s)
{
	struct code_place *calls = code_places(code, true);
	const uint64_t mask = code_arch(code)->code_mask, last = s->stack_len - sizeof(uint64_t);
	const uint64_t generation = as->generation, sp0 = p->sp0;
	const uint8_t *stack = s->stack;
	struct walk_frame *to = w->frames + w->n, *end = w->frames + WALK_MAX_FRAMES;
	/* Stack addresses are counted from the copy's first byte: one compare tells if a word is
	   in it. */
	uint64_t ip = p->ip, sp = p->sp - sp0, fp = p->fp - sp0;
	uint64_t pc = ip - p->returned;
	bool fp_known = p->fp_known;
	struct code_place *at = &code_places(code, p->returned)[code_index(as, pc, PLACE_BITS)];

	/* At the end of all addresses their order is not that of their distances. */
	if (s->stack_len < sizeof(uint64_t) || sp0 > UINT64_MAX - (UINT64_C(1) << 33))
		return 0;
	while (to < end) {
		bool by_fp = at->row.cfa == ROW_CFA_FP, saved = at->row.fp == ROW_AT_CFA;

		if (at->pc != pc || at->generation != generation || !at->plain ||
		    (by_fp & !fp_known))
			break;
		uint64_t cfa = (by_fp ? fp : sp) + (uint64_t)(int64_t)at->row.cfa_off;
		uint64_t ra_at = cfa + (uint64_t)(int64_t)at->row.ra_off;
		uint64_t fp_at = cfa + (uint64_t)(int64_t)at->row.fp_off;

		if (cfa <= sp || ra_at > last || fp_at > last || fp_at < sp)
			break;
		uint64_t caller = word_at(stack, ra_at) & mask, held = word_at(stack, fp_at);
		struct code_place *next = &calls[at->caller];

		if (!caller)
			break;
		ip = caller;
		pc = ip - 1;
		if (next->pc != pc) {
			at->caller = code_index(as, pc, PLACE_BITS);
			next = &calls[at->caller];
		}
		at = next;
		fp = saved ? held - sp0 : fp;
		fp_known |= saved;
		sp = cfa;
		*to++ = (struct walk_frame){ .pc = ip, .kind = FRAME_RETURN };
	}
	uint32_t n = (uint32_t)(to - w->frames) - w->n;

	w->n += n;
	*p = (struct plain){ .ip = ip,
			     .sp = sp + sp0,
			     .fp = fp + sp0,
			     .sp0 = sp0,
			     .fp_known = fp_known,
			     .returned = n || p->returned };
	return n;
}
