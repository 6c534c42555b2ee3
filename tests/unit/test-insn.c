/* x86-64 instructions: lengths and effects on the stack, from literal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/insn_x86_64.h"

enum { AX = 0, BX = 1, CX = 2, BP = 6, SP = 7, R11 = 19, R12 = 20, NONE = INSN_NO_REG };

struct example {
	const char *text, *bytes;
	size_t len;
	struct insn want; /* without len */
};

#define EXAMPLE(text, bytes, ...)                                                                  \
	{                                                                                          \
		text, bytes, sizeof(bytes) - 1,                                                    \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define PLAIN(text, bytes, k) EXAMPLE(text, bytes, .kind = (k), .dst = NONE, .base = NONE)

static const struct example examples[] = {
	PLAIN("nop", "\x90", INSN_OTHER),
	PLAIN("endbr64", "\xf3\x0f\x1e\xfa", INSN_OTHER),
	PLAIN("nopw 0x0(%rax,%rax,1)", "\x66\x0f\x1f\x84\0\0\0\0\0", INSN_OTHER),
	PLAIN("cmp %rdi,%rsp", "\x48\x39\xfc", INSN_OTHER),
	PLAIN("test $1,%dil", "\x40\xf6\xc7\x01", INSN_OTHER),
	PLAIN("testl $1,(%rdi)", "\xf7\x07\x01\0\0\0", INSN_OTHER),
	PLAIN("mov %rax,0x10(%rsp)", "\x48\x89\x44\x24\x10", INSN_OTHER),
	PLAIN("movdqa 0x10(%rsp),%xmm0", "\x66\x0f\x6f\x44\x24\x10", INSN_OTHER),
	PLAIN("pshufd $0xb1,%xmm0,%xmm1", "\x66\x0f\x70\xc8\xb1", INSN_OTHER),
	PLAIN("palignr $8,%xmm0,%xmm1", "\x66\x0f\x3a\x0f\xc8\x08", INSN_OTHER),
	PLAIN("vzeroupper", "\xc5\xf8\x77", INSN_OTHER),
	PLAIN("vmovdqa %ymm0,0x28(%rsp)", "\xc5\xfd\x7f\x44\x24\x28", INSN_OTHER),
	PLAIN("vpabsw %ymm0,%ymm0", "\xc4\xe2\x7d\x1d\xc0", INSN_OTHER),
	PLAIN("vpermq $0xd8,%ymm0,%ymm0", "\xc4\xe3\xfd\x00\xc0\xd8", INSN_OTHER),
	PLAIN("vpaddd %zmm1,%zmm2,%zmm3", "\x62\xf1\x6d\x48\xfe\xd9", INSN_OTHER),
	PLAIN("vpternlogd $0x96,(%rdi),%zmm2,%zmm3", "\x62\xf3\x6d\x48\x25\x1f\x96", INSN_OTHER),
	PLAIN("vpperm %xmm6,%xmm8,%xmm2,%xmm2", "\x8f\xe8\xe8\xa3\xd6\x80", INSN_OTHER),
	PLAIN("push %r12", "\x41\x54", INSN_PUSH),
	PLAIN("push $0x12345678", "\x68\x78\x56\x34\x12", INSN_PUSH),
	PLAIN("push 0x8(%rip)", "\xff\x35\x08\0\0\0", INSN_PUSH),
	PLAIN("call to what follows", "\xe8\0\0\0\0", INSN_PUSH),
	PLAIN("pop 0x8(%rdi)", "\x8f\x47\x08", INSN_POP),
	PLAIN("leave", "\xc9", INSN_LEAVE),
	PLAIN("call", "\xe8\x10\0\0\0", INSN_CALL),
	PLAIN("call *0x10(%rax)", "\xff\x50\x10", INSN_CALL),
	PLAIN("jmp *0x10(%rip)", "\xff\x25\x10\0\0\0", INSN_STUB),
	PLAIN("notrack jmp *%rax", "\x3e\xff\xe0", INSN_STOP),
	PLAIN("ud2", "\x0f\x0b", INSN_STOP),
	PLAIN("int3", "\xcc", INSN_STOP),
	PLAIN("ret", "\xc3", INSN_RETURN),
	PLAIN("repz ret", "\xf3\xc3", INSN_RETURN),
	EXAMPLE("pop %rbp", "\x5d", .kind = INSN_POP, .dst = BP, .base = NONE),
	EXAMPLE("pop %r12", "\x41\x5c", .kind = INSN_POP, .dst = R12, .base = NONE),
	EXAMPLE("jmp -2", "\xeb\xfe", .kind = INSN_JUMP, .dst = NONE, .base = NONE, .disp = -2),
	EXAMPLE("jmp 256", "\xe9\0\x01\0\0", .kind = INSN_JUMP, .dst = NONE, .base = NONE,
		.disp = 256),
	EXAMPLE("jne -16", "\x75\xf0", .kind = INSN_BRANCH, .dst = NONE, .base = NONE, .disp = -16),
	EXAMPLE("je 256", "\x0f\x84\0\x01\0\0", .kind = INSN_BRANCH, .dst = NONE, .base = NONE,
		.disp = 256),
	EXAMPLE("sub $24,%rsp", "\x48\x83\xec\x18", .kind = INSN_SET, .dst = SP, .base = SP,
		.disp = -24),
	EXAMPLE("add $0x1f88,%rsp", "\x48\x81\xc4\x88\x1f\0\0", .kind = INSN_SET, .dst = SP,
		.base = SP, .disp = 0x1f88),
	EXAMPLE("lea -8(%rsp),%rsp", "\x48\x8d\x64\x24\xf8", .kind = INSN_SET, .dst = SP,
		.base = SP, .disp = -8),
	EXAMPLE("lea -40(%rbp),%rsp", "\x48\x8d\x65\xd8", .kind = INSN_SET, .dst = SP, .base = BP,
		.disp = -40),
	EXAMPLE("mov %r11,%rsp", "\x4c\x89\xdc", .kind = INSN_SET, .dst = SP, .base = R11),
	EXAMPLE("mov %rcx,%rsp", "\x48\x8b\xe1", .kind = INSN_SET, .dst = SP, .base = CX),
	EXAMPLE("mov 0x60(%rsp),%rsp", "\x48\x8b\x64\x24\x60", .kind = INSN_LOAD, .dst = SP,
		.base = SP, .disp = 0x60),
	EXAMPLE("mov -8(%rbp),%rbx", "\x48\x8b\x5d\xf8", .kind = INSN_LOAD, .dst = BX, .base = BP,
		.disp = -8),
	EXAMPLE("mov (%r12),%rax", "\x49\x8b\x04\x24", .kind = INSN_LOAD, .dst = AX, .base = R12),
	EXAMPLE("mov (%rsp,%rax,8),%rsp", "\x48\x8b\x24\xc4", .kind = INSN_LOSE, .dst = SP,
		.base = NONE),
	EXAMPLE("mov 0x8(%rip),%rbp", "\x48\x8b\x2d\x08\0\0\0", .kind = INSN_LOSE, .dst = BP,
		.base = NONE),
	EXAMPLE("and $-32,%rsp", "\x48\x83\xe4\xe0", .kind = INSN_LOSE, .dst = SP, .base = NONE),
	EXAMPLE("sub %rax,%rsp", "\x48\x29\xc4", .kind = INSN_LOSE, .dst = SP, .base = NONE),
	EXAMPLE("mov $1,%ebp", "\xbd\x01\0\0\0", .kind = INSN_LOSE, .dst = BP, .base = NONE),
	EXAMPLE("movabs $1,%rbp", "\x48\xbd\x01\0\0\0\0\0\0\0", .kind = INSN_LOSE, .dst = BP,
		.base = NONE),
	EXAMPLE("cmove %rsp,%r12", "\x4c\x0f\x44\xe4", .kind = INSN_LOSE, .dst = R12, .base = NONE),
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *e = &examples[i];
		struct insn have;

		print_message("%s\n", e->text);
		assert_true(x86_insn((const uint8_t *)e->bytes, e->len, &have));
		assert_int_equal(have.len, e->len);
		assert_int_equal(have.kind, e->want.kind);
		assert_int_equal(have.dst, e->want.dst);
		assert_int_equal(have.base, e->want.base);
		assert_int_equal(have.disp, e->want.disp);
	}
}

static void test_cut_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		struct insn have;
		uint8_t bytes[15];

		for (size_t len = 0; len < examples[i].len; len++) {
			memcpy(bytes, examples[i].bytes, len);
			/* The prefixes of one may be another. */
			if (x86_insn(bytes, len, &have))
				assert_in_range(have.len, 1, len);
		}
	}
}

/* Not of 64-bit code, or that struct insn has no words for. */
static void test_refused(void **state)
{
	static const char *const refused[] = {
		"\x06\x90\x90", "\x60\x90\x90",
		"\xea\x90\x90", "\x66\x55\x90",
		"\xc8\x10\x00", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90",
	};
	struct insn have;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_false(x86_insn((const uint8_t *)refused[i], i < 5 ? 3 : 16, &have));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
