/* In: the name of a symbol, or the bytes of a stripped function. Out: whether a stack may end
 * there.
 *
 * Distributions strip local symbols, so that the C library's __libc_start_call_main, start_thread
 * and clone3 have no names. They are known by what they do, and by nothing weaker:
 *  - the value that an indirect call returned goes straight into a call of exit(): main was called;
 *  - it goes straight into the exit system call: a thread's first function was called;
 *  - it is stored in the thread's own block, just before the slot the function was called from
 *    (glibc, nptl/pthread_create.c: THREAD_SETMEM (pd, result, …)).
 * x86-64 is decoded by bytes (Intel SDM vol. 2: FF /2 is an indirect near call), AArch64 by words
 * (Arm ARM C6: BLR, BL, MOVZ, SVC). */
#include "symbol/start.h"

#include <gelf.h>
#include <string.h>

enum { START_SCAN_MAX = 64 << 10 }; /* bytes of one function; glibc's are below 2 KiB */

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool start_is_name(const char *raw, const char *binary_name)
{
	static const char *const names[] = {
		"_start",
		"__start",
		"_dl_start_user",
		"__libc_start_call_main",
		"start_thread",
		"thread_start",
		"clone",
		"clone3",
		"__clone",
		"__clone3",
		"libc_start_main_stage2",
		"_start_c",
	};
	/* Go: runtime.goexit.abi0, runtime.mstart0, …; the entry point is _rt0_ARCH_OS. */
	static const char *const prefixes[] = {
		"__libc_start_main", "runtime.goexit", "runtime.mstart", "runtime.rt0_go", "_rt0_",
	};
	size_t len = elfsym_name_len(raw);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len == strlen(names[i]) && !strncmp(raw, names[i], len))
			return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (starts_with(raw, prefixes[i]))
			return true;
	/* musl calls what pthread_create() starts "start": too plain a name to trust elsewhere. */
	return !strcmp(raw, "start") &&
	       (starts_with(binary_name, "ld-musl-") || starts_with(binary_name, "libc.musl-"));
}

/* The bytes of one function. */
struct code {
	const struct elfsyms *syms;
	uint64_t svma;
	const uint8_t *p;
	size_t len;
};

static bool code_has(const struct code *c, size_t at, const void *bytes, size_t len)
{
	return at <= c->len && len <= c->len - at && !memcmp(c->p + at, bytes, len);
}

static bool code_i32(const struct code *c, size_t at, int32_t *ret)
{
	if (at > c->len || c->len - at < sizeof(*ret))
		return false;
	memcpy(ret, c->p + at, sizeof(*ret));
	return true;
}

/* Whether an indirect call ends at `at`: through a register, or through memory at register plus
 * displacement (then that goes into ret_disp). */
static bool x86_call_before(const struct code *c, size_t at, int32_t *ret_disp)
{
	*ret_disp = 0;
	if (at >= 2 && c->p[at - 2] == 0xff && (c->p[at - 1] & 0xf8) == 0xd0)
		return true;
	if (at >= 3 && c->p[at - 3] == 0xff && (c->p[at - 2] & 0xf8) == 0x50) {
		*ret_disp = (int8_t)c->p[at - 1];
		return true;
	}
	return at >= 6 && c->p[at - 6] == 0xff && (c->p[at - 5] & 0xf8) == 0x90 &&
	       code_i32(c, at - 4, ret_disp);
}

/* mov %eax,%edi; call exit */
static bool x86_exit_call(const struct code *c, size_t at)
{
	int32_t rel;

	if (!code_has(c, at, "\x89\xc7\xe8", 3) || !code_i32(c, at + 3, &rel))
		return false;
	return elfsyms_named(c->syms, c->svma + at + 7 + (uint64_t)(int64_t)rel, "exit");
}

/* mov %rax,%rdi or %eax,%edi; then $60 (exit) into eax; syscall */
static bool x86_exit_syscall(const struct code *c, size_t at)
{
	return code_has(c, at, "\x48\x89\xc7\xb8\x3c\0\0\0\x0f\x05", 10) ||
	       code_has(c, at, "\x89\xc7\xb8\x3c\0\0\0\x0f\x05", 9) ||
	       code_has(c, at, "\x89\xc7\x31\xc0\xb0\x3c\x0f\x05", 8);
}

/* mov %rax,%fs:RESULT, where the function was called from the slot at RESULT + 8 or + 16 of the
 * same block; there directly or by one jump. */
static bool x86_result_store(const struct code *c, size_t at, int32_t disp)
{
	int32_t rel, result;

	if (code_has(c, at, "\xe9", 1) && code_i32(c, at + 1, &rel)) {
		int64_t to = (int64_t)at + 5 + rel;

		if (to < 0 || (uint64_t)to >= c->len)
			return false;
		at = (size_t)to;
	} else if (code_has(c, at, "\xeb", 1) && c->len - at >= 2) {
		int64_t to = (int64_t)at + 2 + (int8_t)c->p[at + 1];

		if (to < 0 || (uint64_t)to >= c->len)
			return false;
		at = (size_t)to;
	}
	if (!code_has(c, at, "\x64\x48\x89\x04\x25", 5) || !code_i32(c, at + 5, &result))
		return false;
	return disp == (int64_t)result + 8 || disp == (int64_t)result + 16;
}

static bool x86_is_start(const struct code *c)
{
	for (size_t at = 2; at < c->len; at++) {
		int32_t disp;

		if (!x86_call_before(c, at, &disp))
			continue;
		if (x86_exit_call(c, at) || x86_exit_syscall(c, at) ||
		    (disp > 0 && x86_result_store(c, at, disp)))
			return true;
	}
	return false;
}

/* AArch64's C library keeps frame pointers, so its chains go on from start_thread to clone. */
static bool arm64_is_start(const struct code *c)
{
	for (size_t at = 4; at + 4 <= c->len; at += 4) {
		uint32_t call, next, after = 0;

		memcpy(&call, c->p + at - 4, 4);
		memcpy(&next, c->p + at, 4);
		if (c->len - at >= 8)
			memcpy(&after, c->p + at + 4, 4);
		if ((call & 0xfffffc1f) != 0xd63f0000) /* blr xN */
			continue;
		if (next == 0xd2800ba8 && after == 0xd4000001) /* mov x8, #93; svc #0 */
			return true;
		if (next >> 26 != 0x25) /* bl */
			continue;
		int64_t rel = (int64_t)(int32_t)(next << 6) >> 4;

		if (elfsyms_named(c->syms, c->svma + at + (uint64_t)rel, "exit"))
			return true;
	}
	return false;
}

static bool fde_of_entry(struct elffile *file, uint64_t start, uint64_t end)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(elffile_elf(file), &ehdr) && ehdr.e_entry >= start &&
	       ehdr.e_entry < end;
}

bool start_is_code(const struct elfsyms *syms, uint64_t start, uint64_t end)
{
	if (start >= end)
		return false;
	if (fde_of_entry(syms->file, start, end))
		return true;
	/* Only a C library has the code looked for; so may a static program without any symbol. */
	if (!(syms->is_libc || !syms->v.n) || end - start > START_SCAN_MAX)
		return false;
	struct code code = {
		.syms = syms,
		.svma = start,
		.p = elffile_bytes(syms->file, start, end - start),
		.len = (size_t)(end - start),
	};

	if (!code.p)
		return false;
	switch (elffile_machine(syms->file)) {
	case EM_X86_64:
		return x86_is_start(&code);
	case EM_AARCH64:
		return arm64_is_start(&code);
	}
	return false;
}

bool start_is_entry(const struct elfsyms *syms, uint64_t svma)
{
	/* glibc's dynamic loader begins with 61 bytes of assembly (sysdeps/x86_64/dl-machine.h,
	 * RTLD_START): mov %rsp,%rdi; call _dl_start … jmp *%r12. */
	enum { ENTRY_MAX = 80 };
	GElf_Ehdr ehdr;

	if (elffile_machine(syms->file) != EM_X86_64 ||
	    !gelf_getehdr(elffile_elf(syms->file), &ehdr) || svma < ehdr.e_entry ||
	    svma - ehdr.e_entry >= ENTRY_MAX)
		return false;
	const uint8_t *p = elffile_bytes(syms->file, ehdr.e_entry, ENTRY_MAX);

	if (!p || memcmp(p, "\x48\x89\xe7\xe8", 4))
		return false;
	const uint8_t *jump = memmem(p, ENTRY_MAX, "\x41\xff\xe4", 3);

	return jump && svma - ehdr.e_entry < (uint64_t)(jump - p) + 3;
}
