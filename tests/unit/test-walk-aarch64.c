/* The walker over AArch64 code: assembled by the cross compiler where there is one, walked on
 * literal stacks on whatever machine this is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "unwind/walk.h"

/* Four bytes an instruction, from 0x10000 on: the numbers below count them. */
static const char source[] =
	".globl _start\n.text\n"
	/* A leaf without a frame: the return address is in x30. */
	"a_leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
	/* Signs its return address, makes a frame, calls a_leaf. */
	"a_mid: .cfi_startproc\n .inst 0xd503233f\n .cfi_negate_ra_state\n"
	"stp x29, x30, [sp, #-32]!\n .cfi_def_cfa_offset 32\n"
	".cfi_offset 29, -32\n .cfi_offset 30, -24\n mov x29, sp\n bl a_leaf\n"
	"nop\n ldp x29, x30, [sp], #32\n .cfi_restore 30\n .cfi_restore 29\n .cfi_def_cfa_offset "
	"0\n"
	".inst 0xd50323bf\n .cfi_negate_ra_state\n ret\n .cfi_endproc\n"
	"_start: .cfi_startproc\n .cfi_undefined x30\n bl a_mid\n nop\n .cfi_endproc\n"
	/* Neither CFI nor a call before it. */
	"a_bare: nop\n nop\n";

enum {
	TEXT = 0x10000,
	A_LEAF = TEXT,
	A_MID_RA = TEXT + 6 * 4,
	A_MID_RET = TEXT + 9 * 4,
	A_START_RA = TEXT + 11 * 4,
	A_BARE = TEXT + 12 * 4,
	STACK = 0x700000,
};

static const uint64_t signature = UINT64_C(0x2a) << 56;

struct fixture {
	struct binaries binaries;
	struct addrspace as;
	struct code *code;
	struct walk walk;
	uint64_t regs[33];
	uint64_t words[64];
	struct raw_sample sample;
};

static bool assemble(char *path)
{
	_cleanup_free_ char *command = NULL;
	int fd = mkstemp(path);

	if (fd < 0)
		return false;
	close(fd);
	command = xasprintf("aarch64-linux-gnu-gcc -x assembler -nostdlib -static -Wl,-Ttext=%#x "
			    "-o %s - 2>/dev/null",
			    TEXT, path);
	FILE *p = popen(command, "w");

	if (!p)
		return false;
	fputs(source, p);
	return !pclose(p);
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	char path[] = "/tmp/singe-test-XXXXXX";
	struct elffile *file = NULL;
	uint64_t off = 0;

	if (!assemble(path))
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	unlink(path);
	assert_null(elffile_open(fd, &file));
	close(fd);
	assert_true(elffile_svma_to_off(file, TEXT, &off));
	binaries_init(&f->binaries);
	addrspace_init(&f->as);
	uint32_t id = binaries_add(&f->binaries, &(struct binary){ .kind = BINARY_KIND_FILE,
								   .path = (char *)"/a64" });
	addrspace_map(
		&f->as,
		&(struct mapping){ .start = TEXT, .end = TEXT + 4096, .pgoff = off, .binary = id });
	f->code = code_create(&f->binaries, &arch_aarch64);
	code_give_file(f->code, id, file);
	walk_init(&f->walk);
	f->sample = (struct raw_sample){ .regs_abi = 2,
					 .regs_mask = arch_aarch64.regs_mask,
					 .regs = f->regs,
					 .stack = (const uint8_t *)f->words,
					 .stack_len = sizeof(f->words),
					 .stack_asked = sizeof(f->words) };
	f->regs[31] = STACK;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	walk_deinit(&f->walk);
	code_destroy(f->code);
	addrspace_deinit(&f->as);
	binaries_deinit(&f->binaries);
	free(f);
	return 0;
}

static void test_leaf_keeps_its_caller_in_the_link_register(void **state)
{
	struct fixture *f = *state;

	f->regs[32] = A_LEAF;
	f->regs[30] = A_MID_RA;
	f->regs[29] = STACK;
	f->words[0] = 0;
	f->words[1] = A_START_RA | signature; /* as `paciasp` leaves it */
	assert_true(walk_rows(&f->walk, f->code, &f->as, &f->sample));
	assert_int_equal(f->walk.verdict, VERDICT_COMPLETE);
	assert_int_equal(f->walk.n, 3);
	assert_int_equal(f->walk.frames[1].pc, A_MID_RA);
	assert_int_equal(f->walk.frames[2].pc, A_START_RA);
}

static void test_epilogue_has_the_link_register_again(void **state)
{
	struct fixture *f = *state;

	f->regs[32] = A_MID_RET;
	f->regs[30] = A_START_RA;
	assert_true(walk_rows(&f->walk, f->code, &f->as, &f->sample));
	assert_int_equal(f->walk.verdict, VERDICT_COMPLETE);
	assert_int_equal(f->walk.n, 2);
	assert_int_equal(f->walk.frames[1].pc, A_START_RA);
}

static void test_link_register_is_used_once(void **state)
{
	struct fixture *f = *state;

	/* The leaf's caller would be in the leaf: its row has no saved return address. */
	f->regs[32] = A_LEAF;
	f->regs[30] = A_LEAF + 4;
	assert_true(walk_rows(&f->walk, f->code, &f->as, &f->sample));
	assert_int_equal(f->walk.verdict, VERDICT_BAD_CFA);
	assert_int_equal(f->walk.n, 2);
}

static void test_no_cfi_goes_by_the_link_register_behind_a_call(void **state)
{
	struct fixture *f = *state;

	f->regs[32] = A_BARE;
	f->regs[30] = A_START_RA;
	assert_true(walk_rows(&f->walk, f->code, &f->as, &f->sample));
	assert_int_equal(f->walk.verdict, VERDICT_COMPLETE);
	assert_int_equal(f->walk.n, 2);
	f->regs[30] = A_BARE; /* not behind a call */
	assert_true(walk_rows(&f->walk, f->code, &f->as, &f->sample));
	assert_int_equal(f->walk.verdict, VERDICT_NO_CFI);
}

#define WALK_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALK_TEST(test_leaf_keeps_its_caller_in_the_link_register),
		WALK_TEST(test_epilogue_has_the_link_register_again),
		WALK_TEST(test_link_register_is_used_once),
		WALK_TEST(test_no_cfi_goes_by_the_link_register_behind_a_call),
	};

	if (system("command -v aarch64-linux-gnu-gcc >/dev/null 2>&1")) {
		puts("skipped: no aarch64-linux-gnu-gcc (Debian: gcc-aarch64-linux-gnu)");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
