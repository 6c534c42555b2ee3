/* x86-64. DWARF numbers: System V ABI, AMD64 supplement, figure 3.36. The kernel's:
 * arch/x86/include/uapi/asm/perf_regs.h. */
#include "unwind/arch.h"

#include <elf.h>
#include <string.h>

#include "unwind/insn_x86_64.h"

/* From asm/perf_regs.h, which exists only where x86 is built for. */
enum {
	X86_AX,
	X86_BX,
	X86_CX,
	X86_DX,
	X86_SI,
	X86_DI,
	X86_BP,
	X86_SP,
	X86_IP,
	X86_R8 = 16,
	X86_R9,
	X86_R10,
	X86_R11,
	X86_R12,
	X86_R13,
	X86_R14,
	X86_R15,
};

/* mov $15, %rax; syscall (glibc, musl), or mov $15, %eax; syscall (Go). */
static bool x86_is_sigreturn(const uint8_t *code, size_t len)
{
	static const uint8_t rax[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t eax[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	return (len >= sizeof(rax) && !memcmp(code, rax, sizeof(rax))) ||
	       (len >= sizeof(eax) && !memcmp(code, eax, sizeof(eax)));
}

/* glibc's __start_context: mov %rbx, %rsp; mov (%rsp), %rdi. With a shadow stack, code to take that
 * down comes first. */
static bool x86_is_context_end(const uint8_t *code, size_t len)
{
	static const uint8_t insns[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24 };

	return memmem(code, len, insns, sizeof(insns));
}

/* mov REG, %rsp or mov DISP8(REG), %rsp, ending at `end`. */
static bool x86_loads_sp(const uint8_t *end)
{
	enum { REG_TO_SP = 0xc4, REG_TO_SP_BITS = 0xc7, MEM_TO_SP = 0x60, SIB = 4 };

	return ((end[-3] == 0x48 || end[-3] == 0x4c) && end[-2] == 0x89 &&
		(end[-1] & REG_TO_SP_BITS) == REG_TO_SP) ||
	       ((end[-4] == 0x48 || end[-4] == 0x49) && end[-3] == 0x8b &&
		(end[-2] & 0xf8) == MEM_TO_SP && (end[-2] & 0x07) != SIB);
}

/* and $-16, %rsp, with neither a return nor padding (int3) behind it: how far %rsp went down only
 * the code itself knows. Go's runtime.asmcgocall. */
static bool x86_rounds_sp(const uint8_t *code, size_t len)
{
	static const uint8_t insn[] = { 0x48, 0x83, 0xe4, 0xf0 };

	for (size_t at = len; at >= sizeof(insn); at--) {
		if (!memcmp(code + at - sizeof(insn), insn, sizeof(insn)))
			return true;
		if (code[at - 1] == 0xc3 || code[at - 1] == 0xcc)
			return false;
	}
	return false;
}

/* Then moves of registers, of words they point at, and pushes; then the call through a register. */
static bool x86_switches_stack(const uint8_t *code, size_t len)
{
	enum { MOST_BETWEEN = 3, LOAD = 4, MOV = 3 };
	size_t at = len;

	if (at < 3 || code[at - 2] != 0xff || (code[at - 1] & 0xf8) != 0xd0)
		return false;
	at -= code[at - 3] == 0x41 ? 3 : 2;
	if (x86_rounds_sp(code, at))
		return true;
	for (int i = 0; i <= MOST_BETWEEN && at >= LOAD; i++) {
		if (x86_loads_sp(code + at))
			return true;
		if ((code[at - 1] & 0xf8) == 0x50)
			at--;
		else if ((code[at - 3] & 0xf8) == 0x48 &&
			 (code[at - 2] == 0x89 || code[at - 2] == 0x8b))
			at -= MOV;
		else
			return false;
	}
	return false;
}

/* musl's __clone: mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall (60 is exit). */
static bool x86_is_thread_end(const uint8_t *code, size_t len)
{
	static const uint8_t insns[] = { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05 };

	return len >= sizeof(insns) && !memcmp(code, insns, sizeof(insns));
}

/* FF /4 with a register. */
static bool x86_is_after_jump(const uint8_t *code, size_t len)
{
	return len >= 2 && code[len - 2] == 0xff && (code[len - 1] & 0xf8) == 0xe0;
}

/* A call is of 2 bytes (FF /2 through a register) to 8 (a REX prefix, SIB and 4 bytes more). One to
 * what follows it, musl's start, is one here, too. */
static bool x86_is_after_call(const uint8_t *code, size_t len)
{
	struct insn insn;

	if (len >= 5 && code[len - 5] == 0xe8)
		return true;
	for (size_t n = 2; n <= 8 && n <= len; n++) {
		if (x86_insn(code + len - n, n, &insn) && insn.len == n && insn.kind == INSN_CALL)
			return true;
	}
	return false;
}

static bool x86_call_target(const uint8_t *code, size_t len, uint64_t ra, uint64_t *ret)
{
	int32_t rel;

	if (len < 5 || code[len - 5] != 0xe8)
		return false;
	memcpy(&rel, code + len - sizeof(rel), sizeof(rel));
	*ret = ra + (uint64_t)(int64_t)rel;
	return true;
}

static bool x86_jumps_out(const uint8_t *code, size_t len)
{
	int32_t rel;

	for (size_t i = 0; i + 1 < len; i++) {
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x20) /* FF /4 */
			return true;
		if (code[i] != 0xe9 || len - i < 5)
			continue;
		memcpy(&rel, code + i + 1, sizeof(rel));
		if ((uint64_t)((int64_t)(i + 5) + rel) >= len)
			return true;
	}
	return false;
}

/* push %ebp (55); mov %esp, %ebp (89 e5 or 8b ec); …; ret (c3, or c2 with an operand). */
static bool x86_compat_no_frame(const uint8_t *code, size_t at, size_t len, unsigned int *ret)
{
	*ret = 0;
	if (at < len && (code[at] == 0xc3 || code[at] == 0xc2))
		return true;
	size_t mov = at < len && code[at] == 0x55 ? at + 1 : at;

	if (mov + 1 >= len || !((code[mov] == 0x89 && code[mov + 1] == 0xe5) ||
				(code[mov] == 0x8b && code[mov + 1] == 0xec)))
		return false;
	*ret = mov == at;
	return mov > at || (at && code[at - 1] == 0x55);
}

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.machine = EM_X86_64,
	.regs_mask = 0xff01ff,
	.perf_ip = X86_IP,
	.perf_sp = X86_SP,
	.perf_fp = X86_BP,
	.perf_lr = -1,
	.dwarf_sp = 7,
	.dwarf_fp = 6,
	.dwarf_ra = 16,
	.n_dwarf_regs = 17,
	.perf_of_dwarf = { X86_AX, X86_DX, X86_CX, X86_BX, X86_SI, X86_DI, X86_BP, X86_SP, X86_R8,
			   X86_R9, X86_R10, X86_R11, X86_R12, X86_R13, X86_R14, X86_R15, X86_IP },
	.code_mask = UINT64_MAX,
	/* struct rt_sigframe after pretcode: uc_mcontext begins at 40; gregs RBP 10, RSP 15, RIP 16
	   (sys/ucontext.h). */
	.sigframe = { .ip = 168, .sp = 160, .fp = 120 },
	.is_sigreturn = x86_is_sigreturn,
	.is_context_end = x86_is_context_end,
	.switches_stack = x86_switches_stack,
	.is_after_jump = x86_is_after_jump,
	.is_thread_end = x86_is_thread_end,
	.is_after_call = x86_is_after_call,
	.call_target = x86_call_target,
	.jumps_out = x86_jumps_out,
	.insn = x86_insn,
	.compat_no_frame = x86_compat_no_frame,
};
