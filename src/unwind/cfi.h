/* Call frame information of one binary as compact rows. A row says, for a range of code, where the
 * caller's stack pointer, frame pointer and return address are. Compiled from .eh_frame, else the
 * table of functions of a Go program, else .debug_frame, the first time an address of the range is
 * asked for, then kept; through libdw's CFI reader where it is CFI. What a row cannot say is marked
 * ROW_COMPLEX and left to libunwind. */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "model/elffile.h"
#include "unwind/arch.h"

/* How the canonical frame address (DWARF 5, section 6.4) is found. */
enum row_cfa {
	ROW_NONE,         /* no row covers the address */
	ROW_COMPLEX,      /* an expression or register the compact form cannot hold */
	ROW_CFA_SP,       /* sp + off */
	ROW_CFA_FP,       /* fp + off */
	ROW_CFA_SP_DEREF, /* *(sp + off) + row.more */
	ROW_CFA_FP_DEREF, /* *(fp + off) + row.more */
	ROW_CFA_PLT,      /* sp + off, and 8 more once (pc & 15) >= row.more: x86-64's .plt */
};

/* Where a caller's register is. */
enum row_save {
	ROW_SAME,      /* still in the register */
	ROW_AT_CFA,    /* in memory at CFA + off */
	ROW_AT_SP,     /* in memory at this frame's sp + off */
	ROW_AT_FP,     /* in memory at this frame's fp + off */
	ROW_IS_CFA,    /* it is CFA + off */
	ROW_UNDEFINED, /* gone; for the return address: this is the outermost frame */
};

struct row {
	int32_t cfa_off, fp_off, ra_off;
	uint8_t cfa;        /* enum row_cfa */
	uint8_t fp, ra;     /* enum row_save */
	uint8_t more : 6;   /* enum row_cfa says of what */
	uint8_t signal : 1; /* the caller was interrupted, not calling */
	/* While this code calls, its frame pointer points to where the caller's is saved, below the
	   return address, though the row does without it. */
	uint8_t framed : 1;
};

struct cfi;

/* `f` must outlive it. Never fails: a file without usable information has no rows. */
struct cfi *cfi_create(struct elffile *f, const struct arch *arch);
void cfi_destroy(struct cfi *c);
/* The row for an as-linked address; row.cfa is ROW_NONE where there is none. */
struct row cfi_row(struct cfi *c, uint64_t svma);
/* Rows compiled so far. */
uint32_t cfi_n_rows(const struct cfi *c);

#endif
