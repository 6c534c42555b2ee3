/* Unit tests of disassembly: where a function begins and ends, and what stands at each address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/elfprog.h"
#include "symbol/disasm.h"

/* push %rbp; mov %rsp,%rbp; a byte that is no instruction in 64-bit code; pop %rbp; ret */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x06, 0x5d, 0xc3 };

static void need_capstone(void)
{
	_cleanup_err_ struct err *err = disasm_missing();

	if (!err)
		return;
	print_message("%s\n", err_msg(err));
	skip();
}

static struct elffile *open_program(struct elfprog *p)
{
	struct elffile *file = NULL;
	int fd;

	for (size_t at = 0; at < 0x200; at += 0x80)
		memcpy(p->text + at, code, sizeof(code));
	fd = elfprog_fd(p);
	assert_null(elffile_open(fd, &file));
	close(fd);
	return file;
}

static struct err *run(struct elffile *file, uint64_t off, struct disasm *ret)
{
	struct elfsyms syms;

	elfsyms_init(&syms, file);
	struct err *err = disasm_function(&syms, off, ret);

	elfsyms_deinit(&syms);
	return err;
}

static void expect_insn(const struct disasm *d, size_t i, uint64_t at, uint32_t len,
			const char *text)
{
	assert_true(i < d->v.n);
	assert_int_equal(d->v.v[i].off, ELFPROG_TEXT_OFF + at);
	assert_int_equal(d->v.v[i].svma, ELFPROG_TEXT_SVMA + at);
	assert_int_equal(d->v.v[i].len, len);
	assert_string_equal(disasm_text(d, &d->v.v[i]), text);
}

static void test_function_by_symbol(void **state)
{
	struct elfprog p;
	struct disasm d = { 0 };

	(void)state;
	need_capstone();
	elfprog_init(&p);
	elfprog_symbol(&p, &(struct elfprog_sym){ .name = "f",
						  .at = 0x80,
						  .size = sizeof(code),
						  .bind = STB_GLOBAL,
						  .type = STT_FUNC });
	CLEANUP(elffile_destroy) struct elffile *file = open_program(&p);

	/* From any of its addresses, the same. */
	assert_null(run(file, ELFPROG_TEXT_OFF + 0x86, &d));
	assert_int_equal(d.v.n, 5);
	expect_insn(&d, 0, 0x80, 1, "pushq %rbp");
	expect_insn(&d, 1, 0x81, 3, "movq %rsp, %rbp");
	expect_insn(&d, 2, 0x84, 1, ".byte 0x06");
	expect_insn(&d, 3, 0x85, 1, "popq %rbp");
	expect_insn(&d, 4, 0x86, 1, "retq");
	assert_false(d.cut);
	disasm_deinit(&d);
	elfprog_deinit(&p);
}

static void test_function_by_fde(void **state)
{
	struct elfprog p;
	struct disasm d = { 0 };

	(void)state;
	need_capstone();
	elfprog_init(&p);
	elfprog_fde(&p, 0x100, 4);
	CLEANUP(elffile_destroy) struct elffile *file = open_program(&p);

	assert_null(run(file, ELFPROG_TEXT_OFF + 0x102, &d));
	assert_int_equal(d.v.n, 2);
	expect_insn(&d, 1, 0x101, 3, "movq %rsp, %rbp");
	disasm_deinit(&d);
	elfprog_deinit(&p);
}

/* An unsized symbol does not swallow the function behind it. */
static void test_symbol_of_size_zero(void **state)
{
	struct elfprog p;
	struct disasm d = { 0 };

	(void)state;
	need_capstone();
	elfprog_init(&p);
	for (int i = 0; i < 2; i++)
		elfprog_symbol(&p, &(struct elfprog_sym){ .name = i ? "g" : "f",
							  .at = i ? 0x85 : 0x80,
							  .bind = STB_GLOBAL,
							  .type = STT_FUNC });
	CLEANUP(elffile_destroy) struct elffile *file = open_program(&p);

	assert_null(run(file, ELFPROG_TEXT_OFF + 0x80, &d));
	assert_int_equal(d.v.n, 3);
	expect_insn(&d, 2, 0x84, 1, ".byte 0x06");
	disasm_deinit(&d);
	elfprog_deinit(&p);
}

/* Numbers of the file's are no promise: what they claim may not be there. */
static void test_no_function_and_no_bytes(void **state)
{
	static const struct elfprog_sym huge = { .name = "f",
						 .at = 0x80,
						 .size = UINT64_MAX / 2,
						 .bind = STB_GLOBAL,
						 .type = STT_FUNC };
	struct elfprog p;
	struct disasm d = { 0 };

	(void)state;
	need_capstone();
	elfprog_init(&p);
	elfprog_symbol(&p, &huge);
	CLEANUP(elffile_destroy) struct elffile *file = open_program(&p);
	const uint64_t places[] = { ELFPROG_TEXT_OFF + 0x40, 1, UINT64_MAX };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct err *err = run(file, places[i], &d);

		assert_non_null(err);
		err_destroy(err);
		assert_int_equal(d.v.n, 0);
		disasm_deinit(&d);
	}
	/* The symbol ends with the file, whatever it says. */
	assert_null(run(file, ELFPROG_TEXT_OFF + 0x90, &d));
	assert_true(d.v.n);
	const struct disasm_insn *last = &d.v.v[d.v.n - 1];

	assert_int_equal(d.v.v[0].off, ELFPROG_TEXT_OFF + 0x80);
	assert_true(last->off + last->len <= ELFPROG_TEXT_OFF + ELFPROG_TEXT_LEN);
	disasm_deinit(&d);
	elfprog_deinit(&p);
}

/* Code in no file: its addresses are the only ones it has. */
static void test_bytes_in_memory(void **state)
{
	struct disasm d = { 0 };

	(void)state;
	need_capstone();
	assert_null(disasm_bytes(EM_X86_64, 0x7f0000001000, code, sizeof(code), &d));
	assert_int_equal(d.v.n, 5);
	assert_int_equal(d.v.v[1].off, 0x7f0000001001);
	assert_int_equal(d.v.v[1].svma, 0x7f0000001001);
	assert_string_equal(disasm_text(&d, &d.v.v[1]), "movq %rsp, %rbp");
	assert_string_equal(disasm_text(&d, &d.v.v[2]), ".byte 0x06");
	assert_false(d.cut);
	disasm_deinit(&d);
	d = (struct disasm){ 0 };
	struct err *err = disasm_bytes(EM_M32, 0, code, sizeof(code), &d);

	assert_non_null(err);
	err_destroy(err);
	disasm_deinit(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function_by_symbol),
		cmocka_unit_test(test_function_by_fde),
		cmocka_unit_test(test_symbol_of_size_zero),
		cmocka_unit_test(test_no_function_and_no_bytes),
		cmocka_unit_test(test_bytes_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
