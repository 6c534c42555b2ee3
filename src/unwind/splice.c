/* In: a walk that ended with the copy, the kernel's chain. Out: the chain's tail on the walk. */
#include "unwind/splice.h"

#include "unwind/stackcopy.h"

/* The chain as the kernel made it, redone from the copy: entry i's frame pointer. The index of the
 * link `fp` in it, or 0. */
static size_t chain_link(const struct raw_sample *s, uint64_t sp, uint64_t fp0, uint64_t fp,
			 size_t n_chain)
{
	for (size_t i = 1; i < n_chain; i++) {
		if (fp0 == fp)
			return i;
		if (!stackcopy_word(s, sp, fp0, &fp0))
			return 0;
	}
	return 0;
}

/* True if the frame pointer leads from this code's frame to its caller's, by its row or, while it
 * calls, by what its compiler always does. */
static bool is_fp_row(const struct code_place *p, bool calls)
{
	if (p->state != PLACE_CODE && p->state != PLACE_JIT)
		return false;
	return (calls && p->row.framed) || (p->row.cfa == ROW_CFA_FP && p->row.cfa_off == 16 &&
					    p->row.ra == ROW_AT_CFA && p->row.ra_off == -8);
}

void splice_tail(struct walk *w, struct code *code, const struct addrspace *as,
		 const struct raw_sample *s, const uint64_t *chain, size_t n_chain)
{
	const struct arch *arch = code_arch(code);
	uint64_t sp, fp0;

	if (w->verdict != VERDICT_COPY_SMALL || !w->n || arch->perf_lr >= 0 || !w->end_fp_known ||
	    !arch_sample_reg(s, arch->perf_sp, &sp) || !arch_sample_reg(s, arch->perf_fp, &fp0))
		return;
	const struct walk_frame *last = &w->frames[w->n - 1];
	bool calls = last->kind == FRAME_RETURN;
	const struct code_place *p =
		calls ? code_find_call(code, as, last->pc) : code_find(code, as, last->pc);

	if (!is_fp_row(p, calls))
		return;
	for (size_t i = chain_link(s, sp, fp0, w->end_fp, n_chain); i && i < n_chain; i++) {
		if (w->n == WALK_MAX_FRAMES) {
			w->verdict = VERDICT_DEPTH_LIMIT;
			return;
		}
		w->frames[w->n++] = (struct walk_frame){ .pc = chain[i], .kind = FRAME_RETURN };
		w->n_spliced++;
		p = code_find_call(code, as, chain[i]);
		if (p->state == PLACE_CODE && p->row.cfa != ROW_NONE &&
		    p->row.ra == ROW_UNDEFINED) {
			w->verdict = VERDICT_COMPLETE;
			return;
		}
		if (!is_fp_row(p, true))
			return;
	}
}
