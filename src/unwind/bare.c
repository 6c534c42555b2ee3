/* In: a frame in code without CFI, the stack's words. Out: which of them is the return address. */
#include "unwind/bare.h"

#include "unwind/stackcopy.h"

/* What a return address is worth, by the call before it; the more the better. */
enum evidence {
	NO_CALL,
	OTHER,    /* to code that does not lead here */
	ANYWHERE, /* through a register or memory, or to code that jumps on */
	HERE,     /* to code without CFI, at or below the pc */
};

bool bare_is_return(struct code *code, const struct addrspace *as, uint64_t ra)
{
	return code_call(code, as, ra)->kind != CALL_NONE;
}

static enum evidence weigh(const struct bare *b, uint64_t ra)
{
	const struct code_call *call = code_call(b->code, b->as, ra);
	bool near = call->to_binary == b->binary;

	switch ((enum call_kind)call->kind) {
	case CALL_NONE:
		return NO_CALL;
	case CALL_UNKNOWN:
	case CALL_OPEN:
		break;
	case CALL_BARE:
		return near && call->to <= b->pc ? HERE : ANYWHERE;
	case CALL_CLOSED:
		return near ? OTHER : ANYWHERE;
	}
	return ANYWHERE;
}

/* The call before `ra` says that it goes to code like this, at or below the pc; *ret_far says how
 * far below. */
static bool calls_here(const struct bare *b, uint64_t ra, uint64_t *ret_far)
{
	const struct code_call *call = code_call(b->code, b->as, ra);

	*ret_far = b->pc - call->to;
	return call->kind == CALL_BARE && call->to_binary == b->binary && call->to <= b->pc;
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
	uint64_t nearest = UINT64_MAX, far;
	struct bare_step step;

	if (word_by_fp(b, &step) && calls_here(b, step.ra, &far)) {
		*ret = step;
		nearest = far;
	}
	for (unsigned int i = 0; i < N_SEARCHED; i++) {
		step = (struct bare_step){ .at = b->sp + 8 * i };
		if (!stackcopy_word(b->sample, b->sp0, step.at, &step.ra))
			break;
		if (calls_here(b, step.ra, &far) && far < nearest) {
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

		if (e > best || (e == best && is_fp && e == ANYWHERE)) {
			step.by_fp = b->fp_known && step.at == b->fp + 8;
			*ret = step;
			best = e;
			is_fp = false;
		}
	}
	return best != NO_CALL;
}

/* Each caller has left a return address. If the first one above leads to what starts the process or
 * the thread, there is no other: musl's frames of that, main()'s caller among them, have no CFI. */
static bool find_start(const struct bare *b, struct bare_step *ret)
{
	enum { N_SEARCHED = 64 };

	for (unsigned int i = 0; i < N_SEARCHED; i++) {
		*ret = (struct bare_step){ .at = b->sp + 8 * i };
		if (!stackcopy_word(b->sample, b->sp0, ret->at, &ret->ra))
			return false;
		if (bare_is_return(b->code, b->as, ret->ra))
			return code_is_start(b->code, b->as, ret->ra);
	}
	return false;
}

bool bare_find(const struct bare *b, struct bare_step *ret)
{
	return find_call_here(b, ret) || find_start(b, ret) || find_expected(b, ret);
}
