/* The walker on literal stacks: where it ends, and where another has to go on: libunwind, the
 * kernel's chain. */
#include "walk-scene.h"

#include "unwind/splice.h"

#ifdef __x86_64__

static void test_copy_too_small(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN } };

	scene_whole_stack(f);
	assert_true(scene_walk(f, 4, 4));
	scene_expect(f, VERDICT_COPY_SMALL, 2, want);
	assert_int_equal(f->walk.binary, BINARY_UNKNOWN);
	/* Less was copied than asked for: a larger copy would have been cut there too. */
	assert_true(scene_walk(f, 4, 1024));
	scene_expect(f, VERDICT_COPY_SMALL, 2, want);
	assert_int_equal(f->walk.binary, f->self);
	assert_true(scene_walk(f, 0, 1024));
	scene_expect(f, VERDICT_COPY_SMALL, 1, want);
}

/* A frame larger than the kernel copies; what was not written of it, it does not copy either. */
static void test_frame_larger_than_any_copy(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_huge_pc), FRAME_PC } };
	const size_t asked[] = { 512, 2048 };

	assert_non_null(r);
	scene_set_ip(f, w_huge_pc, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(scene_walk(f, 512, asked[i]));
		scene_expect(f, VERDICT_COPY_SMALL, 1, want);
		assert_int_equal(f->walk.binary, f->self);
		remote_walk(r, &f->walk, &f->as, &f->sample);
		scene_expect(f, VERDICT_COPY_SMALL, 1, want);
		assert_int_equal(f->walk.binary, f->self);
	}
	remote_destroy(r);
}

static void test_frame_larger_than_any_stack(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_absurd_pc), FRAME_PC } };

	assert_non_null(r);
	scene_set_ip(f, w_absurd_pc, 0);
	assert_true(scene_walk(f, 512, 512));
	scene_expect(f, VERDICT_BAD_CFA, 1, want);
	assert_int_equal(f->walk.binary, f->self);
	remote_walk(r, &f->walk, &f->as, &f->sample);
	scene_expect(f, VERDICT_BAD_CFA, 1, want);
	remote_destroy(r);
}

static void test_splice_takes_the_tail(void **state)
{
	struct fixture *f = *state;
	const uint64_t chain[] = { ADDR(w_leaf_pc), ADDR(w_mid_ra), ADDR(w_start_ra) };
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	/* The kernel's chain: rbp is w_mid's, so its first return address is w_mid's caller's. */
	scene_whole_stack(f);
	assert_true(scene_walk(f, 4, 4));
	splice_tail(&f->walk, f->code, &f->as, &f->sample, chain, 3);
	scene_expect(f, VERDICT_COMPLETE, 4, want);
	/* Also where an unwritten page, and not the size asked for, ended the copy. */
	assert_true(scene_walk(f, 4, 1024));
	splice_tail(&f->walk, f->code, &f->as, &f->sample, chain, 3);
	scene_expect(f, VERDICT_COMPLETE, 4, want);
	/* A chain from another frame pointer is no continuation. */
	assert_true(scene_walk(f, 4, 4));
	f->regs[arch_x86_64.perf_fp] = STACK;
	splice_tail(&f->walk, f->code, &f->as, &f->sample, chain, 3);
	assert_int_equal(f->walk.verdict, VERDICT_COPY_SMALL);
	assert_int_equal(f->walk.n, 2);
}

static void test_address_must_grow(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_loop_pc), FRAME_PC } };

	f->words[0] = ADDR(w_loop_pc);
	scene_set_ip(f, w_loop_pc, 0);
	assert_true(scene_walk(f, 4, 4));
	scene_expect(f, VERDICT_BAD_CFA, 1, want);
}

static void test_depth_limit(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 9000; i++)
		f->words[i] = ADDR(w_thin_ra);
	scene_set_ip(f, w_thin_ra, 0);
	assert_true(scene_walk(f, 9000, 9000));
	assert_int_equal(f->walk.n, WALK_MAX_FRAMES);
	assert_int_equal(f->walk.verdict, VERDICT_DEPTH_LIMIT);
}

static void test_complex_row_is_libunwinds(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_complex_pc), FRAME_PC },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	scene_set_ip(f, w_complex_pc, 0);
	f->words[1] = ADDR(w_start_ra);
	f->regs[X86_64_R10] = STACK + 8;
	assert_false(scene_walk(f, 8, 8));
	remote_walk(r, &f->walk, &f->as, &f->sample);
	scene_expect(f, VERDICT_COMPLETE, 2, want);
	remote_destroy(r);
}

/* libunwind steps over the complex row; code without CFI outward of it goes by the rules of rows.
 */
static void test_rows_go_on_behind_a_complex_row(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_by_rbx_ra), FRAME_RETURN },
					   { ADDR(w_mid_popped) + 1, FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };
	struct walk_regs regs;

	/* w_leaf was called by w_by_rbx, whose CFA is 16 above rbx; its caller popped rbp already.
	 */
	scene_set_ip(f, w_leaf_pc, 0x4321);
	f->words[2] = ADDR(w_by_rbx_ra);
	f->regs[X86_64_RBX] = STACK + 8 * 8;
	f->words[9] = ADDR(w_mid_popped) + 1;
	f->words[10] = ADDR(w_start_ra);
	assert_false(scene_walk(f, 16, 16));
	assert_int_equal(f->walk.n, 2);
	assert_true(remote_cross(r, &f->walk, &f->as, &f->sample, &regs));
	assert_int_equal(f->walk.n, 3);
	assert_int_equal(regs.sp, STACK + 8 * 10);
	assert_true(regs.fp_known);
	assert_int_equal(regs.fp, 0x4321);
	assert_true(walk_resume(&f->walk, f->code, &f->as, &f->sample, &regs));
	scene_expect(f, VERDICT_COMPLETE, 4, want);
	assert_int_equal(f->walk.n_popped, 1);
	/* Frames that are not libunwind's are none to go on from. */
	f->walk.frames[0].pc++;
	f->walk.n = 2;
	assert_false(remote_cross(r, &f->walk, &f->as, &f->sample, &regs));
	remote_destroy(r);
}

/* libunwind does not come through code without CFI, of which rows went by the frame pointer. */
static void test_frames_inward_of_a_complex_row_are_kept(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { JIT_START + 16, FRAME_PC },
					   { JIT_START + 64, FRAME_RETURN },
					   { ADDR(w_by_rbx_ra), FRAME_RETURN } };
	struct walk_regs regs;

	f->words[4] = STACK + 8 * 8;
	f->words[5] = JIT_START + 64;
	f->words[9] = ADDR(w_by_rbx_ra);
	f->regs[arch_x86_64.perf_ip] = JIT_START + 16;
	f->regs[arch_x86_64.perf_fp] = STACK + 8 * 4;
	assert_false(scene_walk(f, 16, 16));
	assert_false(remote_cross(r, &f->walk, &f->as, &f->sample, &regs));
	scene_expect(f, VERDICT_NO_CFI, 3, want);
	assert_int_equal(f->walk.binary, f->jit);
	remote_destroy(r);
}

static void test_cfa_in_memory(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_deref_ra), FRAME_RETURN },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	f->words[2] = ADDR(w_deref_ra);
	f->words[4] = STACK + 8 * 6;
	f->words[6] = STACK + 8 * 9; /* w_mid's rbp, two words below the CFA */
	f->words[7] = ADDR(w_mid_ra);
	f->words[10] = ADDR(w_start_ra);
	scene_set_ip(f, w_leaf_pc, STACK + 8 * 4);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 4, want);
}

static void test_through_a_signal_frame(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_restore_pc), FRAME_PC },
					   { ADDR(w_leaf_ret), FRAME_AFTER_SIGNAL },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	scene_signal_frame(f, 0, w_leaf_ret, STACK + 8 * 100, 0);
	f->words[100] = ADDR(w_start_ra);
	scene_set_ip(f, w_restore_pc, 0);
	assert_true(scene_walk(f, 200, 200));
	scene_expect(f, VERDICT_COMPLETE, 3, want);
}

static void test_through_an_unmarked_signal_frame(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_sigreturn), FRAME_PC },
					   { ADDR(w_leaf_ret), FRAME_AFTER_SIGNAL },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	scene_signal_frame(f, 0, w_leaf_ret, STACK + 8 * 100, 0);
	f->words[100] = ADDR(w_start_ra);
	scene_set_ip(f, w_sigreturn, 0);
	assert_true(scene_walk(f, 200, 200));
	scene_expect(f, VERDICT_COMPLETE, 3, want);
}

static void test_alternate_stack_stops_with_the_interrupted_pc(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_restore_pc), FRAME_PC },
					   { ADDR(w_leaf_ret), FRAME_AFTER_SIGNAL } };

	scene_signal_frame(f, 0, w_leaf_ret, 0x1000, 0);
	scene_set_ip(f, w_restore_pc, 0);
	assert_true(scene_walk(f, 200, 200));
	scene_expect(f, VERDICT_BAD_CFA, 2, want);
	scene_signal_frame(f, 0, w_leaf_ret, STACK + ((uint64_t)1 << 40), 0);
	assert_true(scene_walk(f, 200, 200));
	scene_expect(f, VERDICT_BAD_CFA, 2, want);
	/* The copy ends where the alternate stack does; the other lies above it. */
	scene_signal_frame(f, 0, w_leaf_ret, STACK + 8 * 400, 0);
	assert_true(scene_walk(f, 200, 1024));
	scene_expect(f, VERDICT_BAD_CFA, 2, want);
	scene_set_ip(f, w_sigreturn, 0);
	assert_true(scene_walk(f, 200, 1024));
	assert_int_equal(f->walk.verdict, VERDICT_BAD_CFA);
	/* Or the same stack goes on beyond the copy. */
	assert_true(scene_walk(f, 200, 200));
	assert_int_equal(f->walk.verdict, VERDICT_COPY_SMALL);
}

/* What lies above a call on another stack was left there by others, and is nobody's caller. */
static void test_call_on_another_stack(void **state)
{
	struct fixture *f = *state;
	const char *const switched[] = { w_mcall_ra, w_systemstack_ra, w_asmcgocall_ra };
	const char *const own[] = { w_calls_ra, w_framed_ra, w_rounds_far_ra };

	for (size_t i = 0; i < 3; i++) {
		const struct walk_frame cut[] = { { ADDR(w_leaf_pc), FRAME_PC },
						  { ADDR(switched[i]), FRAME_RETURN } };
		const struct walk_frame whole[] = { { ADDR(w_leaf_pc), FRAME_PC },
						    { ADDR(own[i]), FRAME_RETURN },
						    { ADDR(w_start_ra), FRAME_RETURN } };

		scene_set_ip(f, w_leaf_pc, STACK + 8 * 8);
		for (size_t k = 3; k < 16; k++)
			f->words[k] = ADDR(w_start_ra);
		f->words[2] = ADDR(switched[i]);
		assert_true(scene_walk(f, 16, 16));
		scene_expect(f, VERDICT_BAD_CFA, 2, cut);
		assert_int_equal(f->walk.binary, f->self);
		f->words[2] = ADDR(own[i]);
		assert_true(scene_walk(f, 16, 16));
		scene_expect(f, VERDICT_COMPLETE, 3, whole);
	}
	f->words[2] = ADDR(w_clone_ra);
	assert_true(scene_walk(f, 16, 16));
	assert_int_equal(f->walk.verdict, VERDICT_COMPLETE);
}

/* Its row is that of the address, and not of what happens to be before it. */
static void test_return_address_put_by_hand(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_switch), FRAME_AFTER_SIGNAL },
					   { ADDR(w_thin_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	f->words[2] = ADDR(w_switch);
	f->words[3] = ADDR(w_thin_ra);
	f->words[4] = ADDR(w_start_ra);
	scene_set_ip(f, w_leaf_pc, 0);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 4, want);
}

static void test_end_of_a_fiber(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_fiber_end), FRAME_AFTER_SIGNAL } };

	f->words[2] = ADDR(w_fiber_end);
	f->words[3] = ADDR(w_start_ra);
	scene_set_ip(f, w_leaf_pc, STACK + 8 * 2);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 2, want);
}

/* As in musl, none of whose code has CFI: what called main() has no caller but the start. */
static void test_start_without_cfi(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_no_cfi) + 2, FRAME_RETURN },
					   { ADDR(w_thread_end), FRAME_AFTER_SIGNAL } };

	f->words[2] = ADDR(w_no_cfi) + 2;
	for (size_t i = 3; i < 16; i++)
		f->words[i] = i % 2 ? i : STACK + 8 * i;
	f->words[9] = ADDR(w_thread_end);
	scene_set_ip(f, w_leaf_pc, 0);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 3, want);
	/* Of another's return address before it the caller may be the caller. */
	f->words[5] = ADDR(w_mid_ra);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_NO_CFI, 2, want);
	f->words[5] = ADDR(w_start_ra);
	f->words[9] = 0;
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_NO_CFI, 2, want);
}

/* Where a stack was made by hand, nothing is above; CFI that is wrong finds a 0 anywhere. */
static void test_zero_is_the_end_only_at_the_end(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_thin_ra), FRAME_RETURN } };

	scene_set_ip(f, w_leaf_pc, 0);
	f->words[2] = ADDR(w_thin_ra);
	f->words[4] = STACK + 8 * 12;
	f->words[5] = 5;
	assert_true(scene_walk(f, 6, 6));
	scene_expect(f, VERDICT_COMPLETE, 2, want);
	f->words[9] = ADDR(w_start_ra);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_BAD_CFA, 2, want);
	assert_int_equal(f->walk.binary, f->self);
}

/* CFI that is wrong for a few instructions leads to words that are no return addresses. */
static void test_no_caller_where_no_code_is(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_thin_ra), FRAME_RETURN } };
	const uint64_t words[] = { 5, STACK + 16, UINT64_MAX };

	scene_set_ip(f, w_leaf_pc, 0);
	f->words[2] = ADDR(w_thin_ra);
	for (size_t i = 0; i < 3; i++) {
		f->words[3] = words[i];
		assert_true(scene_walk(f, 16, 16));
		scene_expect(f, VERDICT_BAD_CFA, 2, want);
		assert_int_equal(f->walk.binary, f->self);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALK_TEST(test_call_on_another_stack),
		WALK_TEST(test_return_address_put_by_hand),
		WALK_TEST(test_end_of_a_fiber),
		WALK_TEST(test_zero_is_the_end_only_at_the_end),
		WALK_TEST(test_start_without_cfi),
		WALK_TEST(test_no_caller_where_no_code_is),
		WALK_TEST(test_copy_too_small),
		WALK_TEST(test_frame_larger_than_any_copy),
		WALK_TEST(test_frame_larger_than_any_stack),
		WALK_TEST(test_splice_takes_the_tail),
		WALK_TEST(test_address_must_grow),
		WALK_TEST(test_depth_limit),
		WALK_TEST(test_complex_row_is_libunwinds),
		WALK_TEST(test_rows_go_on_behind_a_complex_row),
		WALK_TEST(test_frames_inward_of_a_complex_row_are_kept),
		WALK_TEST(test_cfa_in_memory),
		WALK_TEST(test_through_a_signal_frame),
		WALK_TEST(test_through_an_unmarked_signal_frame),
		WALK_TEST(test_alternate_stack_stops_with_the_interrupted_pc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void)
{
	puts("skipped: the literal stacks are x86-64's");
	return 77;
}

#endif
