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

/* What `v` is in this frame. */
static bool value_now(const struct bare *b, const struct value *v, uint64_t *ret)
{
	const struct arch *arch = code_arch(b->code);
	uint64_t held;

	if (v->kind == VALUE_LOST)
		return false;
	if (v->reg == arch->perf_sp)
		held = b->sp;
	else if (v->reg == arch->perf_fp && b->fp_known)
		held = b->fp;
	else if (!b->is_top || !arch_sample_reg(b->sample, v->reg, &held))
		return false;
	*ret = held + (uint64_t)(int64_t)v->off;
	if (v->kind == VALUE_REG)
		return true;
	if (*ret < b->sp || !stackcopy_word(b->sample, b->sp0, *ret, &held))
		return false;
	*ret = held + (uint64_t)(int64_t)v->add;
	return true;
}

/* A word that has yet to be saved is in the register still. */
static void set_fp(const struct bare *b, const struct value *v, struct bare_step *ret)
{
	struct value at = *v;

	at.kind = VALUE_REG;
	ret->fp = b->fp;
	ret->fp_known = b->fp_known;
	if (v->kind == VALUE_WORD && value_now(b, &at, &ret->fp) && ret->fp < b->sp)
		ret->fp = b->fp;
	else
		ret->fp_known = value_now(b, v, &ret->fp);
}

/* Where no call leads back to, but code may return to all the same: a signal handler's trampoline,
 * the end of a thread or coroutine; or a file that has not been given yet. */
static bool is_entered_by_return(const struct bare *b, uint64_t ra)
{
	const struct code_place *p = code_find_call(b->code, b->as, ra);

	return p->state == PLACE_WAITING ||
	       (p->state == PLACE_CODE &&
		(p->context_end || p->row.signal || (p->bare & BARE_SIGRETURN_NEXT)));
}

static bool is_caller(const struct bare *b, uint64_t ra)
{
	return bare_is_return(b->code, b->as, ra) || is_entered_by_return(b, ra);
}

/* By the way that the code takes to its return. */
static bool find_exit(const struct bare *b, bool all, struct bare_step *ret)
{
	const struct exits *e = exits_find(b->exits, b->code, b->as, b->next, all);
	uint64_t at;

	for (unsigned int i = 0; i < e->n; i++) {
		if (!value_now(b, &e->v[i].sp, &at) || at < b->sp)
			continue;
		if (!stackcopy_word(b->sample, b->sp0, at, &ret->ra)) {
			bool hopeless;

			ret->at = at;
			ret->beyond = stackcopy_is_beyond(b->sample, b->sp0, at, &hopeless);
			continue;
		}
		if (!is_caller(b, ret->ra))
			continue;
		*ret = (struct bare_step){ .at = at, .ra = ret->ra };
		set_fp(b, &e->v[i].fp, ret);
		return true;
	}
	return false;
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
	if (!find_start(b, ret)) {
		*ret = (struct bare_step){ 0 };
		if (find_exit(b, false, ret) || find_exit(b, true, ret))
			return true;
		if (ret->beyond || (!find_call_here(b, ret) && !find_expected(b, ret)))
			return false;
	}
	ret->fp = b->fp;
	ret->fp_known =
		ret->by_fp ? stackcopy_word(b->sample, b->sp0, b->fp, &ret->fp) : b->fp_known;
	return true;
}

bool bare_goes_on(struct code *code, const struct addrspace *as, const struct raw_sample *s,
		  uint64_t sp0, uint64_t sp)
{
	enum { N_SEARCHED = 16 };
	uint64_t word;

	for (unsigned int i = 0; i < N_SEARCHED && stackcopy_word(s, sp0, sp + 8 * i, &word); i++) {
		if (bare_is_return(code, as, word))
			return true;
	}
	return false;
}
