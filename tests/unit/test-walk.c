/* The walker on literal stacks: exact return addresses are expected. */
#include "walk-scene.h"

#ifdef __x86_64__

#include <fcntl.h>
#include <unistd.h>

static void test_whole_stack(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	scene_whole_stack(f);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 3, want);
}

static void test_libunwind_agrees(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	assert_non_null(r);
	scene_whole_stack(f);
	f->sample.stack_len = f->sample.stack_asked = 16 * 8;
	remote_walk(r, &f->walk, &f->as, &f->sample);
	scene_expect(f, VERDICT_COMPLETE, 3, want);
	remote_destroy(r);
}

/* The first walk looks every place up, the later ones remember them: cut short or not, no word is
 * taken that was not copied. */
static void test_remembered_steps_are_the_same(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	scene_whole_stack(f);
	for (int again = 0; again < 3; again++) {
		for (size_t n = 1; n <= 6; n++) {
			size_t n_frames = n < 3 ? 1 : n < 5 ? 2 : 3;

			assert_true(scene_walk(f, n, n));
			scene_expect(f, n < 5 ? VERDICT_COPY_SMALL : VERDICT_COMPLETE, n_frames,
				     want);
		}
	}
}

/* A call remembers its last caller. */
static void test_one_call_has_many_callers(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_thin_ra), FRAME_RETURN },
					   { ADDR(w_thin_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	scene_set_ip(f, w_leaf_pc, 0);
	f->words[2] = ADDR(w_thin_ra);
	for (int again = 0; again < 3; again++) {
		f->words[3] = ADDR(w_thin_ra);
		f->words[4] = ADDR(w_start_ra);
		assert_true(scene_walk(f, 16, 16));
		scene_expect(f, VERDICT_COMPLETE, 4, want);
		f->words[3] = ADDR(w_start_ra);
		assert_true(scene_walk(f, 16, 16));
		scene_expect(f, VERDICT_COMPLETE, 3,
			     (const struct walk_frame[]){ want[0], want[1], want[3] });
		f->words[3] = f->words[4] = 0;
		assert_true(scene_walk(f, 16, 16));
		scene_expect(f, VERDICT_COMPLETE, 2, want);
	}
}

/* What is remembered is of an address space as it was. */
static void test_steps_of_other_mappings_are_forgotten(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC } };
	struct mapping over = { .binary = f->jit };

	scene_whole_stack(f);
	for (int again = 0; again < 3; again++)
		assert_true(scene_walk(f, 16, 16));
	assert_int_equal(f->walk.n, 3);
	over.start = over.pgoff = ADDR(w_leaf_pc) & ~UINT64_C(4095);
	over.end = over.start + 8192;
	addrspace_map(&f->as, &over);
	f->regs[arch_x86_64.perf_fp] = 0;
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_NO_CFI, 1, want);
}

static void test_popped_register_is_kept(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_mid_popped), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	/* w_mid, called by another w_mid whose frame pointer is in rbp again. */
	f->words[0] = ADDR(w_mid_ra);
	f->words[4] = 0;
	f->words[5] = ADDR(w_start_ra);
	scene_set_ip(f, w_mid_popped, STACK + 32);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 3, want);
	assert_int_equal(f->walk.n_popped, 1);
}

static void test_no_cfi_at_the_top(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_no_cfi), FRAME_PC },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	f->words[0] = ADDR(w_start_ra);
	scene_set_ip(f, w_no_cfi, 0);
	assert_true(scene_walk(f, 4, 4));
	scene_expect(f, VERDICT_COMPLETE, 2, want);
	assert_int_equal(f->walk.n_no_cfi, 1);
}

static void test_no_cfi_and_no_call(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_no_cfi), FRAME_PC } };

	f->words[0] = ADDR(w_leaf_pc); /* code, but not behind a call */
	scene_set_ip(f, w_no_cfi, 0);
	assert_true(scene_walk(f, 4, 4));
	scene_expect(f, VERDICT_NO_CFI, 1, want);
	assert_int_equal(f->walk.binary, f->self);
}

static void test_jit_frames_go_by_frame_pointer(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { JIT_START + 16, FRAME_PC },
					   { JIT_START + 64, FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	f->words[4] = STACK + 8 * 8;
	f->words[5] = JIT_START + 64;
	f->words[8] = 0;
	f->words[9] = ADDR(w_start_ra);
	f->regs[arch_x86_64.perf_ip] = JIT_START + 16;
	f->regs[arch_x86_64.perf_fp] = STACK + 8 * 4;
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 3, want);
	assert_int_equal(f->walk.n_by_fp, 2);
}

/* The same in a file that a runtime keeps its code in, and not in one that cannot be had. */
static void test_code_in_no_elf_file(void **state)
{
	struct fixture *f = *state;
	struct binary core = { .kind = BINARY_KIND_FILE, .path = (char *)"/lisp.core" };
	enum { START = 0x20000000 };
	const struct walk_frame want[] = { { START + 16, FRAME_PC },
					   { START + 64, FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };
	struct mapping m = { .start = START, .end = START + 4096 };

	m.binary = binaries_add(&f->binaries, &core);
	addrspace_map(&f->as, &m);
	f->words[4] = STACK + 8 * 8;
	f->words[5] = START + 64;
	f->words[9] = ADDR(w_start_ra);
	f->regs[arch_x86_64.perf_ip] = START + 16;
	f->regs[arch_x86_64.perf_fp] = STACK + 8 * 4;
	code_give_file(f->code, m.binary, NULL);
	code_set_no_elf(f->code, m.binary);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_COMPLETE, 3, want);

	core.path = (char *)"/gone.so";
	m.binary = binaries_add(&f->binaries, &core);
	addrspace_map(&f->as, &m);
	code_give_file(f->code, m.binary, NULL);
	assert_true(scene_walk(f, 16, 16));
	scene_expect(f, VERDICT_NO_CFI, 1, want);
}

static void test_restored_state_is_a_row_of_its_own(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame behind[] = { { ADDR(w_exits_on), FRAME_PC },
					     { ADDR(w_start_ra), FRAME_RETURN } };
	const struct walk_frame before[] = { { ADDR(w_exits_ret), FRAME_PC },
					     { ADDR(w_start_ra), FRAME_RETURN } };

	f->words[2] = ADDR(w_start_ra);
	scene_set_ip(f, w_exits_on, 0);
	assert_true(scene_walk(f, 8, 8));
	scene_expect(f, VERDICT_COMPLETE, 2, behind);
	f->words[0] = ADDR(w_start_ra);
	f->words[2] = 0;
	scene_set_ip(f, w_exits_ret, 0);
	assert_true(scene_walk(f, 8, 8));
	scene_expect(f, VERDICT_COMPLETE, 2, before);
}

static void test_waits_for_a_file(void **state)
{
	struct fixture *f = *state;
	struct code *empty = code_create(&f->binaries, &arch_x86_64);

	scene_whole_stack(f);
	f->sample.stack_len = f->sample.stack_asked = 128;
	assert_true(walk_rows(&f->walk, empty, &f->as, &f->sample));
	assert_int_equal(f->walk.verdict, VERDICT_NO_CFI_YET);
	assert_int_equal(f->walk.binary, f->self);
	code_destroy(empty);
}

/* What is remembered of a call holds for its address space, and no longer than its file is waited
 * for. */
static void test_calls_are_remembered(void **state)
{
	struct fixture *f = *state;
	struct code *code = code_create(&f->binaries, &arch_x86_64);
	struct addrspace other = { 0 };
	struct elffile *file = NULL;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(code_call(code, &f->as, ADDR(w_start_ra))->kind, CALL_NONE);
	assert_null(elffile_open(fd, &file));
	close(fd);
	code_give_file(code, f->self, file);
	for (int i = 0; i < 2; i++) {
		const struct code_call *call = code_call(code, &f->as, ADDR(w_start_ra));

		assert_int_equal(call->kind, CALL_CLOSED);
		assert_int_equal(call->to_binary, f->self);
		assert_int_equal(code_call(code, &f->as, ADDR(w_bare_ra))->kind, CALL_BARE);
		assert_int_equal(code_call(code, &f->as, ADDR(w_leaf_pc))->kind, CALL_NONE);
		assert_int_equal(code_call(code, &f->as, STACK)->kind, CALL_NONE);
		assert_int_equal(code_call(code, &f->as, JIT_START + 8)->kind, CALL_UNKNOWN);
		assert_int_equal(code_call(code, &other, ADDR(w_start_ra))->kind, CALL_NONE);
	}
	addrspace_map(&other, &(struct mapping){ .start = ADDR(w_start_ra) & ~UINT64_C(4095),
						 .end = (ADDR(w_start_ra) & ~UINT64_C(4095)) + 4096,
						 .binary = f->jit });
	assert_int_equal(code_call(code, &other, ADDR(w_start_ra))->kind, CALL_UNKNOWN);
	addrspace_deinit(&other);
	code_destroy(code);
}

static void test_after_call(void **state)
{
	static const uint8_t call_rel[] = { 0x90, 0x90, 0xe8, 1, 2, 3, 4 };
	static const uint8_t call_rax[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 };
	static const uint8_t call_mem[] = { 0xff, 0x15, 1, 2, 3, 4 };
	static const uint8_t jump_rax[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0 };
	static const uint8_t call_sib[] = { 0x41, 0xff, 0x94, 0xc4, 1, 2, 3, 4 };
	static const uint8_t call_earlier[] = { 0x90, 0xff, 0xd0, 0x90, 0x90, 0x90, 0x90 };
	static const uint8_t call_next[] = { 0xe8, 0, 0, 0, 0 };
	uint64_t to;

	(void)state;
	assert_true(arch_x86_64.is_after_call(call_rel, sizeof(call_rel)));
	assert_true(arch_x86_64.is_after_call(call_rax, sizeof(call_rax)));
	assert_true(arch_x86_64.is_after_call(call_mem, sizeof(call_mem)));
	assert_true(arch_x86_64.is_after_call(call_sib, sizeof(call_sib)));
	assert_false(arch_x86_64.is_after_call(call_earlier, sizeof(call_earlier)));
	assert_true(arch_x86_64.is_after_call(call_next, sizeof(call_next)));
	assert_false(arch_x86_64.is_after_call(jump_rax, sizeof(jump_rax)));
	assert_true(arch_x86_64.call_target(call_rel, sizeof(call_rel), 0x10000000, &to));
	assert_int_equal(to, 0x10000000 + 0x04030201);
	assert_false(arch_x86_64.call_target(call_mem, sizeof(call_mem), 0x10000000, &to));
	assert_true(arch_x86_64.jumps_out(jump_rax, sizeof(jump_rax)));
	assert_false(arch_x86_64.jumps_out(call_rel, sizeof(call_rel)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALK_TEST(test_whole_stack),
		WALK_TEST(test_libunwind_agrees),
		WALK_TEST(test_remembered_steps_are_the_same),
		WALK_TEST(test_one_call_has_many_callers),
		WALK_TEST(test_steps_of_other_mappings_are_forgotten),
		WALK_TEST(test_popped_register_is_kept),
		WALK_TEST(test_no_cfi_at_the_top),
		WALK_TEST(test_no_cfi_and_no_call),
		WALK_TEST(test_jit_frames_go_by_frame_pointer),
		WALK_TEST(test_code_in_no_elf_file),
		WALK_TEST(test_restored_state_is_a_row_of_its_own),
		WALK_TEST(test_waits_for_a_file),
		WALK_TEST(test_calls_are_remembered),
		cmocka_unit_test(test_after_call),
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
