/* AArch64. DWARF numbers: DWARF for the Arm 64-bit Architecture, section 4.1. The kernel's:
 * arch/arm64/include/uapi/asm/perf_regs.h. */
#include "unwind/arch.h"

#include <elf.h>
#include <string.h>

enum { ARM64_X29 = 29, ARM64_LR = 30, ARM64_SP = 31, ARM64_PC = 32 };

/* mov x8, #139; svc #0. */
static bool arm64_is_sigreturn(const uint8_t *code, size_t len)
{
	static const uint8_t insns[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

	return len >= sizeof(insns) && !memcmp(code, insns, sizeof(insns));
}

/* BL: top six bits 100101. BLR and its authenticated forms: 1101011x 0011 1111 0000 … */
static bool arm64_is_after_call(const uint8_t *code, size_t len)
{
	if (len < 4)
		return false;
	const uint8_t *p = code + len - 4;
	uint32_t insn = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

	return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfefff000) == 0xd63f0000;
}

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.machine = EM_AARCH64,
	.regs_mask = (UINT64_C(1) << 33) - 1,
	.perf_ip = ARM64_PC,
	.perf_sp = ARM64_SP,
	.perf_fp = ARM64_X29,
	.perf_lr = ARM64_LR,
	.dwarf_sp = 31,
	.dwarf_fp = 29,
	.dwarf_ra = 30,
	.n_dwarf_regs = 33,
	.perf_of_dwarf = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
			   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
	/* User addresses have at most 52 bits; pointer authentication and tags live above (Arm ARM,
	   D8.8). With 48-bit addresses the bits between are zero. */
	.code_mask = (UINT64_C(1) << 52) - 1,
	/* struct rt_sigframe: siginfo is 128 bytes; ucontext's uc_mcontext begins 176 bytes in;
	   regs follow fault_address (asm/sigcontext.h). */
	.sigframe = { .ip = 128 + 176 + 8 + 32 * 8,
		      .sp = 128 + 176 + 8 + 31 * 8,
		      .fp = 128 + 176 + 8 + 29 * 8 },
	.is_sigreturn = arm64_is_sigreturn,
	.is_after_call = arm64_is_after_call,
};
