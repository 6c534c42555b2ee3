/* In: a 32-bit program's registers and a copy of its stack. Out: the chain of its frame pointers.
 */
#include "unwind/compat.h"

#include <string.h>

#include "unwind/bare.h"

static bool compat_word(const struct raw_sample *s, uint64_t sp, uint64_t addr, uint64_t *ret)
{
	uint64_t at = addr - sp;
	uint32_t word;

	if (addr < sp || s->stack_len < sizeof(word) || at > s->stack_len - sizeof(word))
		return false;
	memcpy(&word, s->stack + at, sizeof(word));
	*ret = word;
	return true;
}

/* The function that the kernel starts has no caller; its start is the file's entry. */
static bool is_entry(struct code *code, const struct addrspace *as, uint64_t pc)
{
	enum { ENTRY_LEN = 64 };
	const struct mapping *m = addrspace_find(as, pc);
	struct elffile *f = m ? code_file(code, m->binary) : NULL;
	uint64_t svma;

	return f && elffile_off_to_svma(f, mapping_off(m, pc), &svma) &&
	       svma - elffile_entry(f) < ENTRY_LEN;
}

/* Why there is no link at `fp`. */
static enum verdict why_ends(struct walk *w, struct code *code, const struct addrspace *as,
			     const struct raw_sample *s, uint64_t sp, uint64_t fp)
{
	enum { SAME_STACK = 1 << 20 };
	uint64_t pc = w->frames[w->n - 1].pc - (w->n > 1);
	bool full = s->stack_len && s->stack_len >= s->stack_asked;

	w->binary = code_binary(as, pc);
	if (!fp && is_entry(code, as, pc))
		return VERDICT_COMPLETE;
	if (full && fp >= sp && fp < sp + s->stack_len + SAME_STACK && fp - sp + 8 > s->stack_len) {
		w->binary = BINARY_UNKNOWN;
		return VERDICT_COPY_SMALL;
	}
	return VERDICT_FP_END;
}

/* The stack's words as one goes outward. */
struct compat {
	struct walk *w;
	struct code *code;
	const struct addrspace *as;
	const struct raw_sample *sample;
	uint64_t sp0, sp, fp;
};

/* The return address at `addr`, if it is one. */
static bool take(struct compat *c, uint64_t addr)
{
	uint64_t ra;

	if (c->w->n == WALK_MAX_FRAMES || !compat_word(c->sample, c->sp0, addr, &ra) ||
	    !bare_is_return(c->code, c->as, ra))
		return false;
	c->w->frames[c->w->n++] = (struct walk_frame){ .pc = ra, .kind = FRAME_RETURN };
	c->sp = addr + 4;
	return true;
}

/* The innermost function's caller, where its frame pointer is not its own. */
static void take_top(struct compat *c, uint64_t ip)
{
	enum { BEFORE = 1, LEN = 4 };
	const uint8_t *code = code_bytes(c->code, c->as, ip - BEFORE, LEN);
	unsigned int words;

	if (code && code_arch(c->code)->compat_no_frame(code, BEFORE, LEN, &words))
		take(c, c->sp + 4 * (uint64_t)words);
}

/* A word on the way belongs to a file that has not been given yet. */
static bool waits(const struct compat *c, uint64_t addr)
{
	uint64_t ra;

	return compat_word(c->sample, c->sp0, addr, &ra) && ra &&
	       code_find_call(c->code, c->as, ra)->state == PLACE_WAITING;
}

void walk_compat(struct walk *w, struct code *code, const struct addrspace *as,
		 const struct raw_sample *s)
{
	const struct arch *arch = code_arch(code);
	struct compat c = { .w = w, .code = code, .as = as, .sample = s };
	uint64_t ip;

	w->n = 0;
	w->reach = 0;
	w->binary = BINARY_UNKNOWN;
	w->verdict = VERDICT_FP_END;
	w->end_fp_known = false;
	if (!arch_sample_reg(s, arch->perf_ip, &ip))
		return;
	ip = (uint32_t)ip;
	w->frames[w->n++] = (struct walk_frame){ .pc = ip, .kind = FRAME_PC };
	if (!arch->compat_no_frame || !arch_sample_reg(s, arch->perf_sp, &c.sp) ||
	    !arch_sample_reg(s, arch->perf_fp, &c.fp))
		return;
	c.sp0 = c.sp = (uint32_t)c.sp;
	c.fp = (uint32_t)c.fp;
	if (code_find(code, as, ip)->state == PLACE_WAITING)
		w->verdict = VERDICT_NO_CFI_YET;
	take_top(&c, ip);
	while (c.fp >= c.sp && w->verdict != VERDICT_NO_CFI_YET) {
		if (waits(&c, c.fp + 4))
			w->verdict = VERDICT_NO_CFI_YET;
		else if (!take(&c, c.fp + 4))
			break;
		else
			w->n_by_fp++;
		compat_word(s, c.sp0, c.fp, &c.fp);
	}
	w->reach = c.sp - c.sp0;
	if (w->n == WALK_MAX_FRAMES)
		w->verdict = VERDICT_DEPTH_LIMIT;
	else if (w->verdict != VERDICT_NO_CFI_YET)
		w->verdict = why_ends(w, code, as, s, c.sp0, c.fp);
}
