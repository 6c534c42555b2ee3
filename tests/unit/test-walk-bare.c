/* Code without CFI, of which the instructions say where its caller is. */
#include "walk-scene.h"

#ifdef __x86_64__

#include "unwind/exits.h"

#define LABELS "b_pushes_pc, b_aligned_pc, b_by_rbx_pc, b_framed_pc, b_table_pc, b_tail_pc"
#define MORE_LABELS "b_dies_pc, b_dies_ra, b_loop_pc, b_fresh_pc, b_calls_ra, b_long_pc"
#define LOOPS "b_around_pc, b_many_pc, b_many_on"

/* None is run. */
__asm__(".text\n"
	".globl " LABELS ", " MORE_LABELS ", " LOOPS "\n"
	".hidden " LABELS ", " MORE_LABELS ", " LOOPS "\n"
	/* rbp is anything in it. */
	"nop\n"
	"b_pushes: push %rbx\n push %rbp\n sub $24, %rsp\n mov $1, %ebp\n"
	"b_pushes_pc: dec %ebp\n jne b_pushes_pc\n call *%rax\n"
	"b_calls_ra: add $24, %rsp\n pop %rbp\n pop %rbx\n ret\n"
	/* As x264's: an aligned frame, the old stack pointer kept in it, or in a register. */
	"b_aligned: mov %rsp, %rax\n sub $96, %rsp\n and $-32, %rsp\n mov %rax, 64(%rsp)\n"
	"b_aligned_pc: vpaddw %ymm6, %ymm2, %ymm4\n mov 64(%rsp), %rsp\n pop %rbx\n ret\n"
	"b_by_rbx: mov %rsp, %rbx\n and $-4096, %rsp\n"
	"b_by_rbx_pc: nop\n mov %rbx, %rsp\n mov (%rsp), %rbx\n add $96, %rsp\n ret\n"
	"b_framed: push %rbp\n mov %rsp, %rbp\n sub %rax, %rsp\n"
	"b_framed_pc: nop\n leave\n ret\n"
	/* The way on is only known where the branch is taken. */
	"b_table: push %rbx\n"
	"b_table_pc: test %eax, %eax\n je 1f\n jmp *%rax\n"
	"1: pop %rbx\n ret\n"
	/* Ends in another function, which has CFI. */
	"b_tail: push %rbp\n"
	"b_tail_pc: nop\n pop %rbp\n jmp b_with_cfi\n"
	/* The function called does not return; what follows is another. */
	"b_dies: push %rbx\n push %rbx\n"
	"b_dies_pc: nop\n call *%rax\n"
	"b_dies_ra:\n"
	"b_with_cfi: .cfi_startproc\n nop\n sub $8, %rsp\n .cfi_def_cfa_offset 16\n"
	"add $8, %rsp\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n"
	/* Never ends. */
	"b_loop_pc: nop\n jmp b_loop_pc\n"
	/* rbp will be saved, but is not yet. */
	"b_fresh_pc: push %rbp\n mov $1, %ebp\n pop %rbp\n ret\n"
	/* Longer than what is looked at at once. */
	"b_long: push %rbp\n"
	"b_long_pc: .rept 9000\n incl 8(%rdi)\n .endr\n pop %rbp\n ret\n"
	/* Never ends, and takes long to follow. */
	".p2align 5\n"
	"b_around_pc: .rept 9000\n incl 8(%rdi)\n .endr\n jmp b_around_pc\n"
	/* A way out, behind more branches than are followed. */
	".p2align 5\n"
	"b_many_pc: .rept 8\n jne 1f\n .endr\n .p2align 5\n"
	"b_many_on: jne 2f\n jmp b_many_pc\n"
	"1: jmp *%rax\n"
	"2: pop %rbx\n ret\n");

extern const char b_pushes_pc[], b_aligned_pc[], b_by_rbx_pc[], b_framed_pc[], b_table_pc[],
	b_tail_pc[];
extern const char b_dies_pc[], b_dies_ra[], b_loop_pc[], b_fresh_pc[], b_calls_ra[], b_long_pc[];
extern const char b_around_pc[], b_many_pc[], b_many_on[];

enum { SOME_FP = 0x1234 };

/* The stack of a program that came to `pc` through w_mid, whose return address is words[at]; the
 * words below are what earlier calls left there. */
static void set_up(struct fixture *f, const char *pc, size_t at)
{
	for (size_t i = 0; i < at; i++)
		f->words[i] = ADDR(w_bare_ra);
	f->words[at] = ADDR(w_mid_ra);
	f->words[at + 1] = SOME_FP;
	f->words[at + 2] = ADDR(w_start_ra);
	scene_set_ip(f, pc, 1);
}

static void expect_whole(struct fixture *f, const char *pc, size_t n_words)
{
	const struct walk_frame want[] = { { ADDR(pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	/* The second time from what was remembered. */
	for (int i = 0; i < 2; i++) {
		assert_true(scene_walk(f, n_words, n_words));
		scene_expect(f, VERDICT_COMPLETE, 3, want);
	}
}

static void test_saved_registers(void **state)
{
	struct fixture *f = *state;

	set_up(f, b_pushes_pc, 5);
	f->words[3] = STACK + 48; /* rbp of w_mid, which goes by it */
	expect_whole(f, b_pushes_pc, 8);
	assert_int_equal(f->walk.n_no_cfi, 2);
}

static void test_called_from_it(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_ret), FRAME_PC },
					   { ADDR(b_calls_ra), FRAME_RETURN },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	set_up(f, w_leaf_ret, 6);
	f->words[0] = ADDR(b_calls_ra);
	f->words[4] = STACK + 56;
	assert_true(scene_walk(f, 9, 9));
	scene_expect(f, VERDICT_COMPLETE, 4, want);
}

static void test_aligned_frame(void **state)
{
	struct fixture *f = *state;

	set_up(f, b_aligned_pc, 14);
	f->words[8] = STACK + 8 * 13;
	scene_set_ip(f, b_aligned_pc, STACK + 8 * 15);
	expect_whole(f, b_aligned_pc, 17);
}

static void test_stack_pointer_in_a_register(void **state)
{
	struct fixture *f = *state;

	set_up(f, b_by_rbx_pc, 20);
	f->regs[X86_64_RBX] = STACK + 64;
	scene_set_ip(f, b_by_rbx_pc, STACK + 8 * 21);
	expect_whole(f, b_by_rbx_pc, 23);
}

static void test_frame_pointer(void **state)
{
	struct fixture *f = *state;

	set_up(f, b_framed_pc, 4);
	f->words[3] = STACK + 40;
	scene_set_ip(f, b_framed_pc, STACK + 24);
	expect_whole(f, b_framed_pc, 7);
}

static void test_branch_is_taken_where_it_must(void **state)
{
	struct fixture *f = *state;

	set_up(f, b_table_pc, 1);
	scene_set_ip(f, b_table_pc, STACK + 16);
	expect_whole(f, b_table_pc, 4);
}

static void test_tail_call(void **state)
{
	struct fixture *f = *state;

	set_up(f, b_tail_pc, 1);
	f->words[0] = STACK + 16;
	expect_whole(f, b_tail_pc, 4);
}

static void test_not_saved_yet(void **state)
{
	struct fixture *f = *state;

	set_up(f, b_fresh_pc, 0);
	scene_set_ip(f, b_fresh_pc, STACK + 8);
	expect_whole(f, b_fresh_pc, 3);
}

/* No call is before the trampoline that a signal handler returns to. */
static void test_signal_handler(void **state)
{
	struct fixture *f = *state;
	const char *const trampolines[] = { w_restore_pc, w_sigreturn };

	for (size_t i = 0; i < 2; i++) {
		const struct walk_frame want[] = { { ADDR(b_pushes_pc), FRAME_PC },
						   { ADDR(trampolines[i]), FRAME_RETURN },
						   { ADDR(w_leaf_ret), FRAME_AFTER_SIGNAL },
						   { ADDR(w_start_ra), FRAME_RETURN } };

		set_up(f, b_pushes_pc, 5);
		f->words[5] = ADDR(trampolines[i]);
		scene_signal_frame(f, 6, w_leaf_ret, STACK + 8 * 100, 0);
		f->words[100] = ADDR(w_start_ra);
		assert_true(scene_walk(f, 200, 200));
		scene_expect(f, VERDICT_COMPLETE, 4, want);
	}
}

static void test_long_function(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 9000; i += 777) {
		const char *pc = b_long_pc + 3 * i;

		set_up(f, pc, 1);
		f->words[0] = STACK + 16;
		expect_whole(f, pc, 4);
	}
}

/* Nothing that follows such a call is this function's: its frame is not known. */
static void test_call_that_does_not_return(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(b_dies_pc), FRAME_PC } };

	set_up(f, b_dies_pc, 2);
	f->words[0] = f->words[1] = 0;
	assert_true(scene_walk(f, 5, 5));
	scene_expect(f, VERDICT_NO_CFI, 1, want);
}

static void test_endless_loop(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(b_loop_pc), FRAME_PC } };

	scene_set_ip(f, b_loop_pc, 1);
	assert_true(scene_walk(f, 4, 4));
	scene_expect(f, VERDICT_NO_CFI, 1, want);
}

/* The return address is known to be farther out: no word that was copied stands for it. */
static void test_beyond_the_copy(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(b_pushes_pc), FRAME_PC } };

	set_up(f, b_pushes_pc, 5);
	assert_true(scene_walk(f, 4, 4));
	scene_expect(f, VERDICT_COPY_SMALL, 1, want);
}

/* What is there is no return address. */
static void test_no_call_there(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(b_pushes_pc), FRAME_PC } };

	set_up(f, b_pushes_pc, 5);
	for (size_t i = 0; i <= 5; i++)
		f->words[i] = 7;
	assert_true(scene_walk(f, 8, 8));
	scene_expect(f, VERDICT_NO_CFI, 1, want);
}

static void test_exits(void **state)
{
	struct fixture *f = *state;
	struct exit_cache *x = exit_cache_create();
	const struct exits *e = exits_find(x, f->code, &f->as, ADDR(b_pushes_pc), false);

	assert_int_equal(e->n, 1);
	assert_int_equal(e->v[0].sp.kind, VALUE_REG);
	assert_int_equal(e->v[0].sp.off, 40);
	assert_int_equal(e->v[0].fp.kind, VALUE_WORD);
	assert_int_equal(e->v[0].fp.off, 24);
	e = exits_find(x, f->code, &f->as, ADDR(b_pushes_pc), true);
	assert_int_equal(e->n, 1);
	e = exits_find(x, f->code, &f->as, ADDR(b_aligned_pc), false);
	assert_int_equal(e->n, 1);
	assert_int_equal(e->v[0].sp.kind, VALUE_WORD);
	assert_int_equal(e->v[0].sp.off, 64);
	assert_int_equal(e->v[0].sp.add, 8);
	/* Past code in no file. */
	e = exits_find(x, f->code, &f->as, JIT_START, true);
	assert_int_equal(e->n, 0);
	exit_cache_destroy(x);
}

/* An endless loop is known to be one wherever it is entered; where a way was not followed, nothing
 * is known. */
static void test_exits_of_loops(void **state)
{
	struct fixture *f = *state;
	struct exit_cache *x = exit_cache_create();
	const struct exits *e = exits_find(x, f->code, &f->as, ADDR(b_around_pc) + 3, false);

	assert_int_equal(e->n, 0);
	assert_true(e->none);
	for (unsigned int i = 0; i < 5; i++) {
		e = exits_find(x, f->code, &f->as, ADDR(b_around_pc) + 96 * i, true);
		assert_int_equal(e->n, 0);
		assert_true(e->none);
	}
	e = exits_find(x, f->code, &f->as, ADDR(b_many_pc), false);
	assert_int_equal(e->n, 0);
	assert_false(e->none);
	e = exits_find(x, f->code, &f->as, ADDR(b_many_on), false);
	assert_int_equal(e->n, 1);
	exit_cache_destroy(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALK_TEST(test_saved_registers),
		WALK_TEST(test_called_from_it),
		WALK_TEST(test_aligned_frame),
		WALK_TEST(test_stack_pointer_in_a_register),
		WALK_TEST(test_frame_pointer),
		WALK_TEST(test_branch_is_taken_where_it_must),
		WALK_TEST(test_tail_call),
		WALK_TEST(test_not_saved_yet),
		WALK_TEST(test_signal_handler),
		WALK_TEST(test_long_function),
		WALK_TEST(test_call_that_does_not_return),
		WALK_TEST(test_endless_loop),
		WALK_TEST(test_beyond_the_copy),
		WALK_TEST(test_no_call_there),
		WALK_TEST(test_exits),
		WALK_TEST(test_exits_of_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void)
{
	puts("code on x86-64 only");
	return 77;
}

#endif
