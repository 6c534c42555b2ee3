/* What the walker must know of an architecture: its registers by their three numberings (ours,
 * DWARF's, the kernel's in PERF_SAMPLE_REGS_USER) and a few habits of its code. One const struct an
 * architecture, one file each (arch_x86_64.c); arch_find() lists them. */
#ifndef UNWIND_ARCH_H
#define UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/rawevent.h"
#include "unwind/insn.h"

enum { ARCH_MAX_DWARF_REGS = 33 };

/* Where a sigreturn trampoline without CFI finds the interrupted registers: offsets from the stack
 * pointer with which it is entered. */
struct arch_sigframe {
	int32_t ip, sp, fp;
};

struct arch {
	const char *name;   /* as uname -m says it */
	uint16_t machine;   /* EM_* */
	uint64_t regs_mask; /* PERF_SAMPLE_REGS_USER to ask for */
	uint8_t perf_ip, perf_sp, perf_fp;
	int8_t perf_lr; /* -1: return addresses are always on the stack */
	uint8_t dwarf_sp, dwarf_fp, dwarf_ra;
	uint8_t n_dwarf_regs;
	/* DWARF number → the kernel's bit in the mask; -1: none. */
	int8_t perf_of_dwarf[ARCH_MAX_DWARF_REGS];
	uint64_t code_mask; /* bits of a return address that are address (not authentication) */
	struct arch_sigframe sigframe;
	/* True if the bytes at a pc are the trampoline that calls rt_sigreturn. */
	bool (*is_sigreturn)(const uint8_t *code, size_t len);
	/* NULL or, of a function's bytes: true if they are what the C library's makecontext()
	   leaves as return address: nothing called it, and a coroutine's stack ends there. */
	bool (*is_context_end)(const uint8_t *code, size_t len);
	/* NULL or, of the bytes that end at a return address: true if the stack pointer is loaded
	   or rounded down shortly before the call, so that the words above are not this call's:
	   Go's scheduler, and what it runs on a system stack. */
	bool (*switches_stack)(const uint8_t *code, size_t len);
	/* NULL or, of the bytes at a return address: true if they end the thread with what was
	   returned. */
	bool (*is_thread_end)(const uint8_t *code, size_t len);
	/* NULL or, of the bytes that end at a return address: true if they are a jump through a
	   register: nothing called it, and a coroutine's stack ends there. */
	bool (*is_after_jump)(const uint8_t *code, size_t len);
	/* True if the bytes that end at a return address can be a call; `len` bytes before it. */
	bool (*is_after_call)(const uint8_t *code, size_t len);
	/* Only needed where perf_lr is -1. Where that call goes, if it says so itself: through no
	   register and no memory. */
	bool (*call_target)(const uint8_t *code, size_t len, uint64_t ra, uint64_t *ret);
	/* True if a function's bytes seem to hold a jump out of it, indirect or to an address. */
	bool (*jumps_out)(const uint8_t *code, size_t len);
	/* NULL or, of the bytes at a pc: the instruction there. False if it is none, is cut off by
	   `len`, or is one that struct insn has no words for. */
	bool (*insn)(const uint8_t *code, size_t len, struct insn *ret);
	/* Not NULL if 32-bit code keeps its frame pointer in the same register, with return
	   addresses beside the frame pointers saved, in words of four bytes. True if the frame of
	   the code at `code + at` is not made yet or gone already by its instructions; then its
	   return address is *ret words above the stack pointer. */
	bool (*compat_no_frame)(const uint8_t *code, size_t at, size_t len, unsigned int *ret);
};

extern const struct arch arch_x86_64;
extern const struct arch arch_aarch64;

/* By ELF machine; NULL if singe does not know it. */
const struct arch *arch_find(uint16_t machine);
/* By what uname -m says; NULL likewise. */
const struct arch *arch_by_name(const char *name);
/* The one this program runs on; NULL if singe cannot unwind here. */
const struct arch *arch_native(void);

/* The kernel's register `perf_reg` in a sample; false if it is not there. */
bool arch_sample_reg(const struct raw_sample *s, unsigned int perf_reg, uint64_t *ret);

#endif
