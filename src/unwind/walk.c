/* In: registers, a copy of the stack, rows. Out: the callers' addresses and a verdict. */
#include "unwind/walk.h"

#include "unwind/bare.h"
#include "unwind/plain.h"
#include "unwind/stackcopy.h"

struct state {
	struct walk *w;
	struct code *code;
	const struct arch *arch;
	const struct addrspace *as;
	const struct raw_sample *sample;
	uint64_t sp0; /* address of the copy's first byte */
	uint64_t ip, sp, fp, lr;
	bool has_lr;    /* lr still holds this frame's return address */
	uint64_t fp_at; /* the address of the frame pointer that the copy does not hold; 0: none */
	bool fp_known;
	bool other_stack; /* a signal was handled on another stack than the frames now walked */
	uint8_t kind;     /* of the frame at ip */
};

void walk_init(struct walk *w)
{
	*w = (struct walk){ 0 };
	w->frames = xreallocarray(NULL, WALK_MAX_FRAMES, sizeof(*w->frames));
	w->exits = exit_cache_create();
}

void walk_deinit(struct walk *w)
{
	free(w->frames);
	exit_cache_destroy(w->exits);
	*w = (struct walk){ 0 };
}

static bool stack_word(const struct state *st, uint64_t addr, uint64_t *ret)
{
	return stackcopy_word(st->sample, st->sp0, addr, ret);
}

static bool walk_end(struct state *st, enum verdict verdict, uint32_t binary)
{
	st->w->verdict = verdict;
	st->w->binary = binary;
	return false;
}

/* The same, blaming the binary at `pc`. */
static bool walk_end_at(struct state *st, enum verdict verdict, uint64_t pc)
{
	return walk_end(st, verdict, code_binary(st->as, pc));
}

/* The walk needed a word that the copy does not hold: say why. */
static bool walk_out_of_stack(struct state *st, uint64_t addr, uint64_t pc)
{
	bool hopeless;

	if (st->other_stack || !stackcopy_is_beyond(st->sample, st->sp0, addr, &hopeless))
		return walk_end_at(st, VERDICT_BAD_CFA, pc);
	return hopeless ? walk_end_at(st, VERDICT_COPY_SMALL, pc)
			: walk_end(st, VERDICT_COPY_SMALL, BINARY_UNKNOWN);
}

static bool row_cfa(const struct state *st, const struct row *row, uint64_t *ret, uint64_t *ret_bad)
{
	uint64_t base = row->cfa == ROW_CFA_FP || row->cfa == ROW_CFA_FP_DEREF ? st->fp : st->sp;
	uint64_t addr = base + (int64_t)row->cfa_off;

	*ret_bad = addr;
	switch ((enum row_cfa)row->cfa) {
	case ROW_CFA_SP:
	case ROW_CFA_FP:
		*ret = addr;
		return true;
	case ROW_CFA_PLT:
		*ret = addr + ((st->ip & 15) >= row->more ? 8 : 0);
		return true;
	case ROW_CFA_SP_DEREF:
	case ROW_CFA_FP_DEREF:
		if (!stack_word(st, addr, ret))
			return false;
		*ret += row->more;
		return true;
	case ROW_NONE:
	case ROW_COMPLEX:
		break;
	}
	return false;
}

static uint64_t save_addr(const struct state *st, uint8_t kind, int32_t off, uint64_t cfa)
{
	uint64_t base = kind == ROW_AT_SP ? st->sp : kind == ROW_AT_FP ? st->fp : cfa;

	return base + (int64_t)off;
}

/* The caller's frame pointer. Not known is no failure: most code does not need it. */
static void step_fp(struct state *st, const struct row *row, uint64_t cfa)
{
	uint64_t addr = save_addr(st, row->fp, row->fp_off, cfa);

	switch ((enum row_save)row->fp) {
	case ROW_SAME:
		return;
	case ROW_IS_CFA:
		st->fp = addr;
		return;
	case ROW_UNDEFINED:
		st->fp_known = false;
		st->fp_at = 0;
		return;
	case ROW_AT_CFA:
	case ROW_AT_SP:
	case ROW_AT_FP:
		break;
	}
	if (addr < st->sp) {
		st->w->n_popped++; /* the slot was popped: the register holds the value already */
		return;
	}
	st->fp_known = stack_word(st, addr, &st->fp);
	st->fp_at = addr;
}

/* The return address by the row; false with the walk ended. */
static bool step_ra(struct state *st, const struct code_place *p, uint64_t cfa, uint64_t *ret)
{
	uint64_t addr = save_addr(st, p->row.ra, p->row.ra_off, cfa);

	switch ((enum row_save)p->row.ra) {
	case ROW_UNDEFINED:
		return walk_end(st, VERDICT_COMPLETE, BINARY_UNKNOWN);
	case ROW_SAME:
		if (!st->has_lr)
			return walk_end_at(st, VERDICT_BAD_CFA, p->pc);
		*ret = st->lr;
		return true;
	case ROW_IS_CFA:
		*ret = addr;
		return true;
	case ROW_AT_CFA:
	case ROW_AT_SP:
	case ROW_AT_FP:
		break;
	}
	if (addr < st->sp && st->has_lr) { /* aarch64 epilogue: the slot was popped */
		*ret = st->lr;
		st->w->n_popped++;
		return true;
	}
	return stack_word(st, addr, ret) || walk_out_of_stack(st, addr, p->pc);
}

/* Goes to the caller at (ip, sp); the frame pointer is set already. */
static bool step_to(struct state *st, uint64_t ip, uint64_t sp, uint8_t kind)
{
	ip &= st->arch->code_mask;
	if (!ip && bare_goes_on(st->code, st->as, st->sample, st->sp0, sp))
		return walk_end_at(st, VERDICT_BAD_CFA, st->w->frames[st->w->n - 1].pc);
	if (!ip) /* which a stack made by hand begins with */
		return walk_end(st, VERDICT_COMPLETE, BINARY_UNKNOWN);
	st->ip = ip;
	st->sp = sp;
	st->kind = kind;
	st->has_lr = false;
	return true;
}

static bool step_row(struct state *st, const struct code_place *p)
{
	uint64_t cfa = 0;
	uint64_t bad;
	uint64_t ra = 0;

	if (p->row.ra == ROW_UNDEFINED)
		return walk_end(st, VERDICT_COMPLETE, BINARY_UNKNOWN);
	if (!row_cfa(st, &p->row, &cfa, &bad))
		return walk_out_of_stack(st, bad, p->pc);
	/* A leaf of a link-register architecture may have no frame; then the address may stand
	   still once. A signal frame may lead to another stack. */
	bool first_leaf = cfa == st->sp && st->has_lr && p->row.ra == ROW_SAME;

	if (cfa <= st->sp && !first_leaf && !p->row.signal)
		return walk_end_at(st, VERDICT_BAD_CFA, p->pc);
	if (!step_ra(st, p, cfa, &ra))
		return false;
	step_fp(st, &p->row, cfa);
	if (p->row.signal && cfa <= st->sp) {
		step_to(st, ra, cfa, FRAME_AFTER_SIGNAL);
		if (st->w->n < WALK_MAX_FRAMES)
			st->w->frames[st->w->n++] =
				(struct walk_frame){ .pc = st->ip, .kind = FRAME_AFTER_SIGNAL };
		return walk_end_at(st, VERDICT_BAD_CFA, p->pc);
	}
	st->other_stack |= p->row.signal && stackcopy_is_other(st->sample, st->sp0, cfa);
	return step_to(st, ra, cfa, p->row.signal ? FRAME_AFTER_SIGNAL : FRAME_RETURN);
}

static bool is_mapped_return(const struct state *st, uint64_t ra)
{
	return bare_is_return(st->code, st->as, ra);
}

/* One step along the frame pointer: caller's fp at [fp], return address beside it. */
static bool step_by_fp(struct state *st, enum verdict otherwise, uint64_t pc)
{
	uint64_t ra;
	uint64_t fp;

	if (!st->fp_known || st->fp < st->sp)
		return walk_end_at(st, otherwise, pc);
	if (!stack_word(st, st->fp, &fp) || !stack_word(st, st->fp + 8, &ra))
		return stackcopy_is_near(st->sample, st->sp0, st->fp)
			       ? walk_end(st, VERDICT_COPY_SMALL, BINARY_UNKNOWN)
			       : walk_end_at(st, otherwise, pc);
	if (!is_mapped_return(st, ra & st->arch->code_mask))
		return walk_end_at(st, otherwise, pc);
	uint64_t sp = st->fp + 16;

	st->fp = fp;
	st->w->n_by_fp++;
	return step_to(st, ra, sp, FRAME_RETURN);
}

static bool row_needs_fp(const struct row *row)
{
	return row->cfa == ROW_CFA_FP || row->cfa == ROW_CFA_FP_DEREF;
}

/* Code in no file, not told of by a compiler's dump. */
static bool step_dumped(struct state *st, uint64_t pc)
{
	if (st->w->may_wait && code_waits_for_jit(st->code, st->as, pc, st->w->time_ns))
		return walk_end_at(st, VERDICT_NO_CFI_YET, pc);
	return step_by_fp(st, VERDICT_NO_CFI, pc);
}

/* What a compiler says of the code it made may be of other code by now, or wrong: the caller must
 * be one. */
static bool is_jit_step_good(const struct state *st, const struct row *row, bool stepped)
{
	if (!stepped)
		return (st->w->verdict == VERDICT_COPY_SMALL && st->w->binary == BINARY_UNKNOWN) ||
		       (st->w->verdict == VERDICT_COMPLETE && row->ra == ROW_UNDEFINED);
	return is_mapped_return(st, st->ip) ||
	       code_find_call(st->code, st->as, st->ip)->state == PLACE_WAITING;
}

/* By the dump's row. If that leads to no caller, it may be of code that was here before. */
static bool step_jit(struct state *st, const struct code_place *p)
{
	const struct state was = *st;
	struct code_place place = *p; /* it would not survive another look-up */

	place.row.signal = 0;
	if (!row_needs_fp(&place.row) || st->fp_known) {
		bool stepped = step_row(st, &place);

		if (is_jit_step_good(st, &place.row, stepped))
			return stepped;
	}
	*st = was;
	return step_dumped(st, place.pc);
}

static bool step_sigreturn(struct state *st)
{
	const struct arch_sigframe *f = &st->arch->sigframe;
	uint64_t ip, sp;

	if (!stack_word(st, st->sp + (uint64_t)f->ip, &ip) ||
	    !stack_word(st, st->sp + (uint64_t)f->sp, &sp))
		return walk_out_of_stack(st, st->sp + (uint64_t)f->ip, st->ip);
	st->fp_known = stack_word(st, st->sp + (uint64_t)f->fp, &st->fp);
	if (sp <= st->sp)
		return walk_end(st, VERDICT_BAD_CFA, BINARY_UNKNOWN);
	st->other_stack |= stackcopy_is_other(st->sample, st->sp0, sp);
	return step_to(st, ip, sp, FRAME_AFTER_SIGNAL);
}

/* At a sigreturn trampoline, or, inside of its system call, right behind it. */
static bool is_sigreturn(const struct state *st, unsigned int bare)
{
	unsigned int is = st->kind == FRAME_RETURN ? BARE_SIGRETURN_NEXT : BARE_SIGRETURN;

	return bare & (st->kind == FRAME_PC ? is | BARE_SIGRETURN_BEFORE : is);
}

/* One step to the caller that the code or the stack's words speak for; false if none does. */
static bool step_bare(struct state *st, uint64_t pc, struct bare_step *step)
{
	const struct bare bare = {
		.code = st->code,
		.exits = st->w->exits,
		.as = st->as,
		.sample = st->sample,
		.sp0 = st->sp0,
		.pc = pc,
		.next = st->ip,
		.binary = code_binary(st->as, pc),
		.sp = st->sp,
		.fp = st->fp,
		.fp_known = st->fp_known,
		.is_top = st->w->n == 1,
	};

	if (!bare_find(&bare, step))
		return false;
	st->w->n_no_cfi++;
	st->w->n_by_fp += step->by_fp;
	st->fp = step->fp;
	st->fp_known = step->fp_known;
	return step_to(st, step->ra, step->at + 8, FRAME_RETURN);
}

/* Code with a file but no CFI: hand-written assembly, a PLT, a process's first instructions. */
static bool step_no_cfi(struct state *st, uint64_t pc, unsigned int bare)
{
	struct bare_step step = { 0 };

	if (is_sigreturn(st, bare))
		return step_sigreturn(st);
	if (bare & BARE_ENTRY)
		return walk_end(st, VERDICT_COMPLETE, BINARY_UNKNOWN);
	if (st->arch->perf_lr < 0 && step_bare(st, pc, &step))
		return true;
	if (step.beyond)
		return walk_out_of_stack(st, step.at, pc);
	if (st->has_lr && is_mapped_return(st, st->lr & st->arch->code_mask))
		return step_to(st, st->lr, st->sp, FRAME_RETURN);
	return step_by_fp(st, VERDICT_NO_CFI, pc);
}

/* A call through a bad pointer, its caller on top of the stack; or a word that was no caller. */
static bool step_unmapped(struct state *st)
{
	uint64_t ra;

	if (st->w->n > 1 && st->kind == FRAME_RETURN) {
		st->w->n--;
		return walk_end_at(st, VERDICT_BAD_CFA, st->w->frames[st->w->n - 1].pc);
	}
	if (st->w->n == 1 && st->has_lr && is_mapped_return(st, st->lr & st->arch->code_mask))
		return step_to(st, st->lr, st->sp, FRAME_RETURN);
	if (st->w->n == 1 && stack_word(st, st->sp, &ra) && is_mapped_return(st, ra))
		return step_to(st, ra, st->sp + 8, FRAME_RETURN);
	return walk_end(st, VERDICT_NO_CFI, BINARY_UNKNOWN);
}

static const struct code_place *walk_place(struct state *st)
{
	const struct code_place *p = st->kind == FRAME_RETURN
					     ? code_find_call(st->code, st->as, st->ip)
					     : code_find(st->code, st->as, st->ip);

	if (st->kind != FRAME_RETURN || p->row.cfa != ROW_NONE ||
	    !code_is_entered(st->code, st->as, st->ip))
		return p;
	st->w->frames[st->w->n - 1].kind = st->kind = FRAME_AFTER_SIGNAL;
	return code_find(st->code, st->as, st->ip);
}

/* One frame outward. False when the walk is over; *complex if it is libunwind's. */
static bool walk_step(struct state *st, bool *complex)
{
	const struct code_place *p = walk_place(st);
	uint64_t at = p->pc;

	switch ((enum place_state)p->state) {
	case PLACE_UNMAPPED:
		return step_unmapped(st);
	case PLACE_WAITING:
		return walk_end_at(st, VERDICT_NO_CFI_YET, at);
	case PLACE_ANON:
	case PLACE_NO_FILE:
		return step_by_fp(st, VERDICT_NO_CFI, at);
	case PLACE_JIT:
		return step_jit(st, p);
	case PLACE_DUMPED:
		return step_dumped(st, at);
	case PLACE_CODE:
		break;
	}
	if (p->context_end) {
		st->w->frames[st->w->n - 1].kind = FRAME_AFTER_SIGNAL; /* no call to look for */
		return walk_end(st, VERDICT_COMPLETE, BINARY_UNKNOWN);
	}
	if (p->switched)
		return walk_end_at(st, VERDICT_BAD_CFA, at);
	if (p->row.cfa == ROW_NONE)
		return step_no_cfi(st, at, p->bare);
	if (p->row.cfa == ROW_COMPLEX) {
		*complex = true;
		return false;
	}
	if (row_needs_fp(&p->row) && !st->fp_known)
		return walk_out_of_stack(st, st->fp_at, at);
	return step_row(st, p);
}

static void walk_push(struct state *st)
{
	st->w->frames[st->w->n++] = (struct walk_frame){ .pc = st->ip, .kind = st->kind };
}

static void walk_plain(struct state *st)
{
	struct plain p = {
		.ip = st->ip,
		.sp = st->sp,
		.fp = st->fp,
		.sp0 = st->sp0,
		.fp_known = st->fp_known,
		.returned = st->kind == FRAME_RETURN,
	};

	/* Where a leaf's return address may be in a link register, its row does not say all. */
	if (st->has_lr || !plain_steps(&p, st->w, st->code, st->as, st->sample))
		return;
	st->ip = p.ip;
	st->sp = p.sp;
	st->fp = p.fp;
	st->fp_known = p.fp_known;
	st->kind = FRAME_RETURN;
}

/* Outward from the frame last pushed. False if it came to a row that is libunwind's. */
static bool walk_on(struct state *st)
{
	struct walk *w = st->w;
	bool complex = false;

	for (walk_plain(st); walk_step(st, &complex); walk_plain(st)) {
		if (w->n == WALK_MAX_FRAMES) {
			walk_end(st, VERDICT_DEPTH_LIMIT, BINARY_UNKNOWN);
			break;
		}
		walk_push(st);
	}
	w->reach = st->sp - st->sp0;
	w->end_fp = st->fp;
	w->end_fp_known = st->fp_known;
	w->n_complex += complex;
	return !complex;
}

bool walk_rows(struct walk *w, struct code *code, const struct addrspace *as,
	       const struct raw_sample *s)
{
	const struct arch *arch = code_arch(code);
	struct state st = { .w = w,
			    .code = code,
			    .arch = arch,
			    .as = as,
			    .sample = s,
			    .fp_known = true,
			    .kind = FRAME_PC };

	w->n = 0;
	w->reach = 0;
	w->binary = BINARY_UNKNOWN;
	if (!arch_sample_reg(s, arch->perf_ip, &st.ip) ||
	    !arch_sample_reg(s, arch->perf_sp, &st.sp) ||
	    !arch_sample_reg(s, arch->perf_fp, &st.fp)) {
		walk_end(&st, VERDICT_NO_STACK, BINARY_UNKNOWN);
		return true;
	}
	st.has_lr = arch->perf_lr >= 0 && arch_sample_reg(s, (unsigned int)arch->perf_lr, &st.lr);
	st.sp0 = st.sp;
	walk_push(&st);
	return walk_on(&st);
}

bool walk_resume(struct walk *w, struct code *code, const struct addrspace *as,
		 const struct raw_sample *s, const struct walk_regs *regs)
{
	const struct walk_frame *last = &w->frames[w->n - 1];
	struct state st = {
		.w = w,
		.code = code,
		.arch = code_arch(code),
		.as = as,
		.sample = s,
		.ip = last->pc,
		.sp = regs->sp,
		.fp = regs->fp,
		.fp_known = regs->fp_known,
		.other_stack = regs->other_stack,
		.kind = last->kind,
	};

	w->binary = BINARY_UNKNOWN;
	arch_sample_reg(s, st.arch->perf_sp, &st.sp0);
	return walk_on(&st);
}
