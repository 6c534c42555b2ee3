/* Unit tests of what code tells where symbols do not: start code, stubs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "symbol-scene.h"
#include "symbol/demangle.h"

static void test_start_code_by_name(void **state)
{
	static const char *const names[] = {
		"_start",
		"__libc_start_call_main",
		"start_thread",
		"clone3",
		"__clone",
		"__libc_start_main_impl",
		"clone@@GLIBC_2.2.5",
		"runtime.goexit.abi0",
		"runtime.mstart",
	};
	struct scene s;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		scene_begin(&s);
		func(&s, names[i], 0x100, 0x20);
		func(&s, "start", 0x120, 0x20);
		func(&s, "start_threads", 0x140, 0x20);
		scene_file(&s);
		assert_int_equal(flags_at(&s, 0x110), NAME_FOUND | NAME_START);
		assert_int_equal(flags_at(&s, 0x120), NAME_FOUND);
		assert_int_equal(flags_at(&s, 0x140), NAME_FOUND);
		scene_end(&s);
	}
}

static void put_code(struct scene *s, uint64_t at, const char *bytes, size_t len)
{
	memcpy(s->elf.text + at, bytes, len);
}

static void test_start_code_by_what_it_does(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.elf.elf.entry = ELFPROG_TEXT_SVMA + 0x10;
	elfprog_fde(&s.elf, 0, 0x40);
	func(&s, "exit", 0x800, 0x20);
	func(&s, "__libc_start_main@@GLIBC_2.34", 0x840, 0x20);
	/* call *%rax; mov %eax,%edi; call exit */
	elfprog_fde(&s.elf, 0x100, 0x40);
	put_code(&s, 0x110, "\xff\xd0\x89\xc7\xe8\xe7\x06\0\0", 9);
	/* The same, but another function is called. */
	elfprog_fde(&s.elf, 0x140, 0x40);
	put_code(&s, 0x150, "\xff\xd0\x89\xc7\xe8\xe7\x06\0\0", 9);
	/* call exit(what a direct call returned). */
	elfprog_fde(&s.elf, 0x180, 0x40);
	put_code(&s, 0x190, "\xe8\0\0\0\0\x89\xc7\xe8\x64\x06\0\0", 12);
	/* call *0x638(%rbx); mov %rax,%fs:0x628 */
	elfprog_fde(&s.elf, 0x1c0, 0x40);
	put_code(&s, 0x1d0, "\xff\x93\x38\x06\0\0\x64\x48\x89\x04\x25\x28\x06\0\0", 15);
	/* Stored elsewhere. */
	elfprog_fde(&s.elf, 0x200, 0x40);
	put_code(&s, 0x210, "\xff\x93\x38\x06\0\0\x64\x48\x89\x04\x25\x28\x01\0\0", 15);
	/* call *%rdx; mov %rax,%rdi; mov $60,%eax; syscall */
	elfprog_fde(&s.elf, 0x240, 0x40);
	put_code(&s, 0x250, "\xff\xd2\x48\x89\xc7\xb8\x3c\0\0\0\x0f\x05", 12);
	/* A pattern cut by the end of its function. */
	elfprog_fde(&s.elf, 0x280, 0x14);
	put_code(&s, 0x290, "\xff\xd2\x48\x89\xc7\xb8\x3c\0\0\0\x0f\x05", 12);
	scene_file(&s);
	assert_int_equal(flags_at(&s, 0x20), NAME_START);
	assert_string_equal(name_at(&s, 0x20), "[prog+0x402000]");
	assert_int_equal(flags_at(&s, 0x112), NAME_START);
	assert_int_equal(flags_at(&s, 0x152), 0);
	assert_int_equal(flags_at(&s, 0x195), 0);
	assert_int_equal(flags_at(&s, 0x1d5), NAME_START);
	assert_int_equal(flags_at(&s, 0x215), 0);
	assert_int_equal(flags_at(&s, 0x251), NAME_START);
	assert_int_equal(flags_at(&s, 0x291), 0);
	scene_end(&s);
}

static void test_stubs_by_the_slot_they_jump_through(void **state)
{
	/* endbr64; jmp *SLOT(%rip), 16 bytes each, at 0x402f00: the slots are 0x404000 and on. */
	static const char stubs[] = "\xf3\x0f\x1e\xfa\xff\x25\xf6\x10\0\0\x90\x90\x90\x90\x90\x90"
				    "\xff\x25\xf2\x10\0\0\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
				    "\xff\x25\xea\x10\0\0\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90";
	struct scene s;

	(void)state;
	scene_begin(&s);
	elfprog_import(&s.elf, "puts");
	elfprog_import(&s.elf, "_Z3foov");
	elfprog_jump_slot(&s.elf, 0x404008, 2);
	elfprog_jump_slot(&s.elf, 0x404000, 1);
	/* A symbol that the table does not have. */
	elfprog_jump_slot(&s.elf, 0x404010, 3);
	put_code(&s, 0xf00, stubs, sizeof(stubs) - 1);
	elfwrite_section(&s.elf.elf, ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			 ELFPROG_TEXT_SVMA + 0xf00, ELFPROG_TEXT_OFF + 0xf00, 0x30);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0xeff), "[prog]");
	assert_string_equal(name_at(&s, 0xf00), "puts@plt");
	assert_string_equal(name_at(&s, 0xf0f), "puts@plt");
	assert_string_equal(name_at(&s, 0xf10), demangle_available() ? "foo@plt" : "_Z3foov@plt");
	assert_string_equal(name_at(&s, 0xf20), "[prog]");
	assert_int_equal(flags_at(&s, 0xf00), NAME_FOUND);
	scene_end(&s);
}

static void test_stubs_of_ifuncs(void **state)
{
	/* jmp *0x404000(%rip); xchg %ax,%ax; and the same through the next slots. */
	static const char stubs[] = "\xff\x25\xfa\x10\0\0\x66\x90\xff\x25\xfa\x10\0\0\x66\x90"
				    "\xff\x25\xfa\x10\0\0\x66\x90";
	static const struct elfprog_sym syms[] = {
		{ "choose", 0x100, 16, STB_GLOBAL, STT_FUNC, 0 },
		{ "chosen", 0x100, 16, STB_GLOBAL, STT_GNU_IFUNC, 0 },
		{ "other", 0x200, 16, STB_GLOBAL, STT_GNU_IFUNC, 0 },
		{ "plain", 0x300, 16, STB_GLOBAL, STT_FUNC, 0 },
	};
	struct scene s;

	(void)state;
	scene_begin(&s);
	elfprog_import(&s.elf, "unused");
	for (size_t i = 0; i < 4; i++)
		elfprog_symbol(&s.elf, &syms[i]);
	for (uint64_t i = 0; i < 3; i++)
		elfprog_resolved_slot(&s.elf, 0x404000 + 8 * i,
				      ELFPROG_TEXT_SVMA + 0x100 * (i + 1));
	put_code(&s, 0xf00, stubs, sizeof(stubs) - 1);
	elfwrite_section(&s.elf.elf, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			 ELFPROG_TEXT_SVMA + 0xf00, ELFPROG_TEXT_OFF + 0xf00, sizeof(stubs) - 1);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0xf00), "chosen@plt");
	assert_string_equal(name_at(&s, 0xf07), "chosen@plt");
	assert_string_equal(name_at(&s, 0xf08), "other@plt");
	assert_string_equal(name_at(&s, 0xf10), "[prog]");
	scene_end(&s);
}

static void exported(struct scene *s, const char *name, uint64_t at)
{
	elfprog_dynamic_symbol(
		&s->elf, &(struct elfprog_sym){
				 .name = name, .at = at, .bind = STB_GLOBAL, .type = STT_FUNC });
}

/* Where local functions have lost their symbols, how far another reaches is anyone's guess, unless
 * unwind information says it. */
static void test_size_zero_in_a_stripped_file(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	exported(&s, "asm_a", 0x100);
	exported(&s, "asm_b", 0x140);
	exported(&s, "asm_c", 0x180);
	elfprog_fde(&s.elf, 0x180, 0x20);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x100), "asm_a");
	assert_string_equal(name_at(&s, 0x101), "[prog]");
	assert_string_equal(name_at(&s, 0x140), "asm_b");
	assert_string_equal(name_at(&s, 0x19f), "asm_c");
	assert_string_equal(name_at(&s, 0x1a0), "[prog]");
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size_zero_in_a_stripped_file),
		cmocka_unit_test(test_start_code_by_name),
		cmocka_unit_test(test_start_code_by_what_it_does),
		cmocka_unit_test(test_stubs_by_the_slot_they_jump_through),
		cmocka_unit_test(test_stubs_of_ifuncs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
