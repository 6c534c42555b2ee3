/* In: an ELF file's CFI, or the table of a Go program. Out: compact rows, one per range of code,
 * compiled when first needed. */
#include "unwind/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/table.h"
#include "base/vec.h"
#include "model/gotable.h"

struct cfi {
	const struct arch *arch;
	Dwarf_CFI *eh;    /* owned; NULL: no .eh_frame */
	Dwarf *dwarf;     /* owned; opened for .debug_frame only when .eh_frame has no answer */
	Dwarf_CFI *debug; /* owned by dwarf */
	bool tried_debug;
	struct gotable go;
	bool tried_go, has_go;
	struct elffile *file;
	VEC(struct row) rows;
	struct table by_pc;   /* address asked for → row */
	VEC(uint64_t) pcs;    /* [i]: address of entry i of by_pc */
	VEC(uint32_t) row_of; /* [i]: its row */
	/* End of a range → row. Not its start: after DW_CFA_restore_state libdw 0.188 gives the
	 * start of the range whose state was remembered. */
	struct table by_end;
	VEC(uint64_t) ends; /* [row] */
};

struct cfi *cfi_create(struct elffile *f, const struct arch *arch)
{
	struct cfi *c = xcalloc(1, sizeof(*c));

	c->arch = arch;
	c->file = f;
	if (elffile_is_64bit(f) && elffile_machine(f) == arch->machine)
		c->eh = dwarf_getcfi_elf(elffile_elf(f));
	else
		c->tried_debug = c->tried_go = true;
	return c;
}

void cfi_destroy(struct cfi *c)
{
	if (!c)
		return;
	if (c->eh)
		dwarf_cfi_end(c->eh);
	if (c->dwarf)
		dwarf_end(c->dwarf);
	vec_deinit(&c->rows);
	vec_deinit(&c->pcs);
	vec_deinit(&c->row_of);
	vec_deinit(&c->ends);
	table_deinit(&c->by_pc);
	table_deinit(&c->by_end);
	free(c);
}

uint32_t cfi_n_rows(const struct cfi *c)
{
	return (uint32_t)c->rows.n;
}

static bool fits(int64_t v, int32_t *ret)
{
	*ret = (int32_t)v;
	return *ret == v;
}

/* DW_OP_bregN and DW_OP_bregx as (register, offset). */
static bool op_breg(const Dwarf_Op *op, uint64_t *reg, int64_t *off)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*reg = op->atom - DW_OP_breg0;
		*off = (int64_t)op->number;
		return true;
	}
	if (op->atom != DW_OP_bregx)
		return false;
	*reg = op->number;
	*off = (int64_t)op->number2;
	return true;
}

/* The expression every x86-64 linker writes for its lazy .plt: sp + 8 + ((ip & 15) >= N) * 8. */
static bool row_plt(const Dwarf_Op *ops, size_t n, struct row *row)
{
	if (n != 8 || ops[1].atom != DW_OP_breg16 || ops[1].number || ops[2].atom != DW_OP_lit15 ||
	    ops[3].atom != DW_OP_and || ops[4].atom < DW_OP_lit0 || ops[4].atom > DW_OP_lit15 ||
	    ops[5].atom != DW_OP_ge || ops[6].atom != DW_OP_lit3 || ops[7].atom != DW_OP_shl)
		return false;
	row->cfa = ROW_CFA_PLT;
	row->more = ops[4].atom - DW_OP_lit0;
	return true;
}

/* What follows a base register: DEREF, and maybe a small number to add. */
static bool row_deref(const Dwarf_Op *ops, size_t n, struct row *row)
{
	enum { MOST = 63 };
	uint64_t more = 0;

	if (!n || ops[0].atom != DW_OP_deref)
		return false;
	if (n == 2 && ops[1].atom == DW_OP_plus_uconst)
		more = ops[1].number;
	else if (n == 3 && ops[1].atom >= DW_OP_lit0 && ops[1].atom <= DW_OP_lit31 &&
		 ops[2].atom == DW_OP_plus)
		more = ops[1].atom - DW_OP_lit0;
	else if (n != 1)
		return false;
	row->more = (uint8_t)more & MOST;
	return more <= MOST;
}

static void row_set_cfa(const struct cfi *c, Dwarf_Frame *frame, struct row *row)
{
	Dwarf_Op *ops = NULL;
	size_t n = 0;
	uint64_t reg;
	int64_t off;

	row->cfa = ROW_COMPLEX;
	if (dwarf_frame_cfa(frame, &ops, &n) || !n || !op_breg(&ops[0], &reg, &off) ||
	    !fits(off, &row->cfa_off))
		return;
	bool sp = reg == c->arch->dwarf_sp;

	if (!sp && reg != c->arch->dwarf_fp)
		return;
	if (n == 1)
		row->cfa = sp ? ROW_CFA_SP : ROW_CFA_FP;
	else if (row_deref(ops + 1, n - 1, row))
		row->cfa = sp ? ROW_CFA_SP_DEREF : ROW_CFA_FP_DEREF;
	else if (sp && n == 9 && ops[8].atom == DW_OP_plus && c->arch->machine == EM_X86_64)
		row_plt(ops, 8, row);
}

/* False if the rule is none of enum row_save. */
static bool row_save(const struct cfi *c, Dwarf_Frame *frame, unsigned int reg, uint8_t *kind,
		     int32_t *ret_off)
{
	Dwarf_Op mem[3];
	Dwarf_Op *ops = NULL;
	size_t n = 0;
	uint64_t base;
	int64_t off = 0;

	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &n))
		return false;
	if (!n) {
		*kind = ops ? ROW_UNDEFINED : ROW_SAME;
		return true;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	bool value = ops[n - 1].atom == DW_OP_stack_value;

	n -= value;
	if (n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst)) {
		*kind = value ? ROW_IS_CFA : ROW_AT_CFA;
		return fits(n == 2 ? (int64_t)ops[1].number : 0, ret_off);
	}
	if (n != 2 || value || !op_breg(&ops[1], &base, &off))
		return false;
	if (base != c->arch->dwarf_sp && base != c->arch->dwarf_fp)
		return false;
	*kind = base == c->arch->dwarf_sp ? ROW_AT_SP : ROW_AT_FP;
	return fits(off, ret_off);
}

/* The caller frees. */
static Dwarf_Frame *frame_of_eh(struct cfi *c, uint64_t svma)
{
	Dwarf_Frame *frame = NULL;

	return c->eh && !dwarf_cfi_addrframe(c->eh, svma, &frame) ? frame : NULL;
}

/* The caller frees. */
static Dwarf_Frame *frame_of_debug(struct cfi *c, uint64_t svma)
{
	Dwarf_Frame *frame = NULL;

	if (!c->tried_debug) {
		c->tried_debug = true;
		c->dwarf = dwarf_begin_elf(elffile_elf(c->file), DWARF_C_READ, NULL);
		c->debug = c->dwarf ? dwarf_getcfi(c->dwarf) : NULL;
	}
	return c->debug && !dwarf_cfi_addrframe(c->debug, svma, &frame) ? frame : NULL;
}

enum {
	GO_PROLOGUE = 8, /* x86-64: bytes from where a frame is made to where rbp is saved in it */
	GO_STEPS = 1 << 16, /* through a function's numbers: damaged ones have more */
};

/* How far Go's code has moved the stack pointer since its function was called is in the table that
 * its runtime unwinds by; the linker makes .debug_frame of it (cmd/link, dwarf.go: writeframes),
 * which stripping takes away. On x86-64, compiled functions with a frame save rbp at its outer end
 * and point it there (cmd/internal/obj/x86, obj6.go: preprocess); .debug_frame does not say so. */
static struct row row_of_go(struct cfi *c, uint64_t svma, uint64_t *ret_end)
{
	uint32_t steps_left = GO_STEPS;
	struct row row = { .cfa = ROW_NONE };
	struct gofunction f;
	uint64_t end, made;

	if (!c->tried_go) {
		c->tried_go = true;
		c->has_go = gotable_open(&c->go, c->file);
	}
	if (!c->has_go || !gotable_find(&c->go, svma, &f))
		return row;
	int32_t moved = gotable_number(&c->go, f.sp, svma - f.start, &steps_left, &end);
	int32_t pushed = c->arch->perf_lr < 0 ? 8 : 0; /* by the call */

	if (moved < 0 || moved > INT32_MAX - pushed)
		return row;
	*ret_end = f.start + end < f.end ? f.start + end : f.end;
	row.cfa = ROW_CFA_SP;
	row.cfa_off = moved + pushed;
	row.ra = f.outermost ? ROW_UNDEFINED : row.cfa_off ? ROW_AT_CFA : ROW_SAME;
	row.ra_off = pushed ? -pushed : -moved;
	row.fp = moved ? ROW_UNDEFINED : ROW_SAME;
	if (!moved || !pushed || f.assembly ||
	    gotable_number(&c->go, f.sp, 0, &steps_left, &made) > 0)
		return row;
	made += f.start + GO_PROLOGUE;
	if (svma < made) {
		*ret_end = made < *ret_end ? made : *ret_end;
		return row;
	}
	row.fp = ROW_AT_CFA;
	row.fp_off = row.ra_off - 8;
	row.framed = 1;
	return row;
}

static struct row row_compile(struct cfi *c, uint64_t svma, uint64_t *ret_end)
{
	struct row row = { .cfa = ROW_NONE };
	Dwarf_Frame *frame = frame_of_eh(c, svma);
	Dwarf_Addr start = svma;
	Dwarf_Addr end = svma;
	bool is_signal = false;

	*ret_end = svma + 1; /* without a row, each address stands for itself */
	if (!frame) {
		row = row_of_go(c, svma, ret_end);
		frame = row.cfa == ROW_NONE ? frame_of_debug(c, svma) : NULL;
	}
	if (!frame)
		return row;
	int ra = dwarf_frame_info(frame, &start, &end, &is_signal);

	if (ra >= 0 && ra < c->arch->n_dwarf_regs) {
		*ret_end = end;
		row.signal = is_signal;
		row_set_cfa(c, frame, &row);
		if (!row_save(c, frame, c->arch->dwarf_fp, &row.fp, &row.fp_off) ||
		    !row_save(c, frame, (unsigned int)ra, &row.ra, &row.ra_off))
			row.cfa = ROW_COMPLEX;
	}
	free(frame);
	return row;
}

static bool find_u64(const struct table *t, const uint64_t *keys, uint64_t key, uint32_t *ret)
{
	for (struct table_probe p = table_probe(t, hash_u64(key)); table_next(t, &p);) {
		if (keys[p.value] == key) {
			*ret = p.value;
			return true;
		}
	}
	return false;
}

struct row cfi_row(struct cfi *c, uint64_t svma)
{
	uint64_t end;
	uint32_t i;

	if (find_u64(&c->by_pc, c->pcs.v, svma, &i))
		return c->rows.v[c->row_of.v[i]];
	struct row row = row_compile(c, svma, &end);

	if (!find_u64(&c->by_end, c->ends.v, end, &i)) {
		i = (uint32_t)c->rows.n;
		vec_push(&c->rows, row);
		vec_push(&c->ends, end);
		table_add(&c->by_end, hash_u64(end), i);
	}
	table_add(&c->by_pc, hash_u64(svma), (uint32_t)c->pcs.n);
	vec_push(&c->pcs, svma);
	vec_push(&c->row_of, i);
	return c->rows.v[i];
}
