/* What an instruction does to the registers that lead to a caller, and where control goes next: as
 * much as it takes to follow code without CFI to its return. An architecture's decoder fills it
 * (arch.h). Registers are numbered as the kernel does in PERF_SAMPLE_REGS_USER. */
#ifndef UNWIND_INSN_H
#define UNWIND_INSN_H

#include <stdint.h>

enum { INSN_N_REGS = 24, INSN_NO_REG = 0xff };

enum insn_kind {
	INSN_OTHER,  /* nothing that matters here */
	INSN_SET,    /* dst = base + disp */
	INSN_LOAD,   /* dst = *(base + disp) */
	INSN_LOSE,   /* dst = who knows what */
	INSN_PUSH,   /* a word */
	INSN_POP,    /* a word to dst, which may be INSN_NO_REG */
	INSN_LEAVE,  /* sp = fp, then a word is popped to fp */
	INSN_CALL,   /* comes back with the stack as it was */
	INSN_JUMP,   /* by disp from the instruction's end */
	INSN_BRANCH, /* the same, or on */
	INSN_STUB,   /* a jump through a word at a fixed place: to another function */
	INSN_RETURN,
	INSN_STOP, /* control does not go on from here, or who knows where */
};

struct insn {
	uint8_t len;
	uint8_t kind; /* enum insn_kind */
	uint8_t dst, base;
	int32_t disp;
};

#endif
