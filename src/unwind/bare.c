/* In: a frame in code without CFI, the stack's words. Out: which of them is the return address. */
#include "unwind/bare.h"

#include "unwind/stackcopy.h"

enum { LONGEST_CALL = 7 };

/* What a return address is worth, by the call before it; the more the better. */
enum evidence {
	NO_CALL,
	CALL_OTHER,    /* to code that does not lead here */
	CALL_ANYWHERE, /* through a register or memory, or to code that jumps on */
	CALL_HERE,     /* to code without CFI, at or below the pc */
};

static const uint8_t *bytes_before(struct code *code, const struct addrspace *as, uint64_t ra)
{
	return ra > LONGEST_CALL ? code_bytes(code, as, ra - LONGEST_CALL, LONGEST_CALL) : NULL;
}

bool bare_is_return(struct code *code, const struct addrspace *as, uint64_t ra)
{
	const uint8_t *before = bytes_before(code, as, ra);

	if (before)
		return code_arch(code)->is_after_call(before, LONGEST_CALL);
	/* JIT code has no file to look into; a mapping is all there is to go by. */
	return ra && code_is_anon(code_find(code, as, ra - 1));
}

/* True if the function at `addr` may go on by a jump: a linker's stub, a tail call. */
static bool jumps_on(const struct bare *b, uint64_t addr)
{
	enum { MOST = 4096 };
	const struct mapping *m = addrspace_find(b->as, addr);
	struct elffile *f = m ? code_file(b->code, m->binary) : NULL;
	uint64_t svma, start, end;

	if (!f || !elffile_off_to_svma(f, mapping_off(m, addr), &svma) ||
	    !elffile_fde(f, svma, &start, &end) || end - svma > MOST)
		return true;
	const uint8_t *code = elffile_bytes(f, svma, end - svma);

	return !code || code_arch(b->code)->jumps_out(code, end - svma);
}

/* `to` is code like this, at or below the pc; *ret_far says how far below. */
static bool calls_here(const struct bare *b, uint64_t to, uint64_t *ret_far)
{
	const struct code_place *p = code_find(b->code, b->as, to);

	*ret_far = b->pc - to;
	return to <= b->pc && p->state == PLACE_CODE && p->row.cfa == ROW_NONE;
}

/* The call before `ra` says where it goes, and that is in the same binary. */
static bool near_target(const struct bare *b, uint64_t ra, uint64_t *ret)
{
	const uint8_t *before = bytes_before(b->code, b->as, ra);

	return before && code_arch(b->code)->call_target(before, LONGEST_CALL, ra, ret) &&
	       code_binary(b->as, *ret) == code_binary(b->as, b->pc);
}

static enum evidence weigh(const struct bare *b, uint64_t ra)
{
	uint64_t to, far;

	if (!bare_is_return(b->code, b->as, ra))
		return NO_CALL;
	if (!near_target(b, ra, &to))
		return CALL_ANYWHERE;
	if (calls_here(b, to, &far))
		return CALL_HERE;
	const struct code_place *p = code_find(b->code, b->as, to);

	return p->state != PLACE_CODE || p->row.cfa == ROW_NONE || jumps_on(b, to) ? CALL_ANYWHERE
										   : CALL_OTHER;
}

static bool word_by_fp(const struct bare *b, struct bare_step *ret)
{
	*ret = (struct bare_step){ .at = b->fp + 8, .by_fp = true };
	return b->fp_known && b->fp >= b->sp &&
	       stackcopy_word(b->sample, b->sp0, ret->at, &ret->ra);
}

/* The call that goes to the nearest code without CFI at or below the pc: this function. Of several,
 * that beside the frame pointer, then the innermost. */
static bool find_call_here(const struct bare *b, struct bare_step *ret)
{
	enum { N_SEARCHED = 16 };
	uint64_t nearest = UINT64_MAX, to, far;
	struct bare_step step;

	if (word_by_fp(b, &step) && near_target(b, step.ra, &to) && calls_here(b, to, &far)) {
		*ret = step;
		nearest = far;
	}
	for (unsigned int i = 0; i < N_SEARCHED; i++) {
		step = (struct bare_step){ .at = b->sp + 8 * i };
		if (!stackcopy_word(b->sample, b->sp0, step.at, &step.ra))
			break;
		if (near_target(b, step.ra, &to) && calls_here(b, to, &far) && far < nearest) {
			*ret = step;
			nearest = far;
		}
	}
	return nearest != UINT64_MAX;
}

/* By the places alone where a return address is expected. Of two calls that go who knows where the
 * one on top of the stack counts: the frame pointer may well be the caller's. Of two that go
 * elsewhere it is the frame pointer's, which at least is a caller's, and not a local variable. */
static bool find_expected(const struct bare *b, struct bare_step *ret)
{
	enum { N_TOP = 2 };
	struct bare_step step;
	enum evidence best = word_by_fp(b, ret) ? weigh(b, ret->ra) : NO_CALL;
	bool is_fp = best != NO_CALL;

	for (unsigned int i = 0; b->is_top && i < N_TOP; i++) {
		step = (struct bare_step){ .at = b->sp + 8 * i };
		if (!stackcopy_word(b->sample, b->sp0, step.at, &step.ra))
			break;
		enum evidence e = weigh(b, step.ra);

		if (e > best || (e == best && is_fp && e == CALL_ANYWHERE)) {
			step.by_fp = b->fp_known && step.at == b->fp + 8;
			*ret = step;
			best = e;
			is_fp = false;
		}
	}
	return best != NO_CALL;
}

bool bare_find(const struct bare *b, struct bare_step *ret)
{
	return find_call_here(b, ret) || find_expected(b, ret);
}
