/* The walker on literal stacks: code with known CFI is assembled into this program, a stack is an
 * array of words, and exact return addresses are expected. x86-64 only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef __x86_64__

#include <fcntl.h>
#include <link.h>
#include <stdio.h>

#include "unwind/remote.h"
#include "unwind/walk.h"

/* Every function is here for its CFI; none is run. Labels mark return addresses and pcs. */
__asm__(".text\n"
	/* CFA = rsp + 24, nothing saved. */
	"w_leaf: .cfi_startproc\n sub $16, %rsp\n .cfi_def_cfa_offset 24\n"
	"w_leaf_pc: nop\n add $16, %rsp\n .cfi_def_cfa_offset 8\n"
	"w_leaf_ret: ret\n .cfi_endproc\n"
	/* A frame-pointer function; calls w_leaf. */
	"w_mid: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n call w_leaf\n"
	"w_mid_ra: nop\n pop %rbp\n .cfi_def_cfa %rsp, 8\n"
	/* Compilers keep the rule for rbp here, though its slot is popped. */
	"w_mid_popped: ret\n .cfi_endproc\n"
	/* The outermost frame. */
	"w_start: .cfi_startproc\n .cfi_undefined %rip\n call w_mid\n"
	"w_start_ra: nop\n .cfi_endproc\n"
	/* No CFI at all, as lld's PLT. */
	"nop\n"
	"w_no_cfi: nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
	/* The sigreturn trampoline without CFI, as musl's. */
	"w_sigreturn: mov $15, %rax\n syscall\n"
	/* CFA does not grow. */
	"w_loop: .cfi_startproc\n .cfi_def_cfa_offset 0\n .cfi_offset %rip, 0\n"
	"w_loop_pc: nop\n nop\n .cfi_endproc\n"
	/* An array that no copy holds, and one that no stack does. */
	"w_huge: .cfi_startproc\n .cfi_def_cfa_offset 152720\n"
	"w_huge_pc: nop\n nop\n .cfi_endproc\n"
	"w_absurd: .cfi_startproc\n .cfi_def_cfa_offset 0x40000000\n"
	"w_absurd_pc: nop\n nop\n .cfi_endproc\n"
	/* Nothing but a return address. */
	"w_thin: .cfi_startproc\n call w_thin\n"
	"w_thin_ra: nop\n .cfi_endproc\n"
	/* An early exit: the state is remembered before it and restored behind it. */
	"w_exits: .cfi_startproc\n sub $16, %rsp\n .cfi_def_cfa_offset 24\n"
	"nop\n add $16, %rsp\n .cfi_remember_state\n .cfi_def_cfa_offset 8\n"
	"w_exits_ret: ret\n .cfi_restore_state\n"
	"w_exits_on: nop\n nop\n .cfi_endproc\n"
	/* CFA from a register that rows do not follow. */
	"w_complex: .cfi_startproc\n .cfi_def_cfa %r10, 8\n"
	"w_complex_pc: nop\n nop\n .cfi_endproc\n"
	/* glibc's __restore_rt: CFA = *(rsp+160), rbp at rsp+120, rip at rsp+168, signal frame. */
	"w_restore: .cfi_startproc\n .cfi_signal_frame\n"
	".cfi_escape 0x0f,4,0x77,0xa0,1,6\n .cfi_escape 0x10,6,3,0x77,0xf8,0\n"
	".cfi_escape 0x10,16,3,0x77,0xa8,1\n .cfi_escape 0x10,7,3,0x77,0xa0,1\n nop\n"
	"w_restore_pc: nop\n nop\n .cfi_endproc\n");

extern const char w_leaf_pc[], w_leaf_ret[], w_mid_ra[], w_mid_popped[], w_start_ra[], w_no_cfi[];
extern const char w_exits_ret[], w_exits_on[], w_sigreturn[], w_loop_pc[], w_thin_ra[],
	w_complex_pc[], w_restore_pc[], w_huge_pc[], w_absurd_pc[];

#define ADDR(label) ((uint64_t)(uintptr_t)(label))

/* Slot of r10 among the registers of regs_mask. */
enum { X86_64_R10 = 11 };
enum { JIT_START = 0x10000000, STACK = 0x7ffe0000 };

struct fixture {
	struct binaries binaries;
	struct addrspace as;
	struct code *code;
	struct walk walk;
	uint32_t self, jit;
	uint64_t words[9000]; /* the stack copied, first word at address STACK */
	uint64_t regs[24];
	struct raw_sample sample;
};

static int map_self(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct fixture *f = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		struct mapping m = { .binary = f->self, .pgoff = ph->p_offset };

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		m.start = info->dlpi_addr + ph->p_vaddr;
		m.end = m.start + ph->p_memsz;
		addrspace_map(&f->as, &m);
	}
	return 1; /* the first object is the program */
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct elffile *file = NULL;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	binaries_init(&f->binaries);
	addrspace_init(&f->as);
	f->self = binaries_add(&f->binaries, &(struct binary){ .kind = BINARY_KIND_FILE,
							       .path = (char *)"/self" });
	f->jit = binaries_add(&f->binaries, &(struct binary){ .kind = BINARY_KIND_ANON,
							      .path = (char *)"//anon" });
	dl_iterate_phdr(map_self, f);
	addrspace_map(&f->as, &(struct mapping){ .start = JIT_START,
						 .end = JIT_START + 4096,
						 .pgoff = JIT_START,
						 .binary = f->jit });
	assert_null(elffile_open(fd, &file));
	close(fd);
	f->code = code_create(&f->binaries, &arch_x86_64);
	code_give_file(f->code, f->self, file);
	walk_init(&f->walk);
	f->sample = (struct raw_sample){ .regs_abi = 2,
					 .regs_mask = arch_x86_64.regs_mask,
					 .regs = f->regs,
					 .stack = (const uint8_t *)f->words };
	f->regs[arch_x86_64.perf_sp] = STACK;
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

static void set_ip(struct fixture *f, const char *ip, uint64_t fp)
{
	f->regs[arch_x86_64.perf_ip] = ADDR(ip);
	f->regs[arch_x86_64.perf_fp] = fp;
}

/* `n` words were copied out of `asked`. */
static bool walk(struct fixture *f, size_t n, size_t asked)
{
	f->sample.stack_len = n * 8;
	f->sample.stack_asked = asked * 8;
	return walk_rows(&f->walk, f->code, &f->as, &f->sample);
}

static void expect(const struct fixture *f, enum verdict verdict, size_t n,
		   const struct walk_frame *frames)
{
	assert_int_equal(f->walk.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(f->walk.frames[i].pc, frames[i].pc);
		assert_int_equal(f->walk.frames[i].kind, frames[i].kind);
	}
	assert_int_equal(f->walk.verdict, verdict);
}

/* w_start → w_mid → w_leaf: words of a whole stack, STACK being w_leaf's after its `sub`. */
static void whole_stack(struct fixture *f)
{
	f->words[2] = ADDR(w_mid_ra);
	f->words[3] = 0x1234; /* w_start's rbp, saved by w_mid */
	f->words[4] = ADDR(w_start_ra);
	set_ip(f, w_leaf_pc, STACK + 24);
}

static void test_whole_stack(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	whole_stack(f);
	assert_true(walk(f, 16, 16));
	expect(f, VERDICT_COMPLETE, 3, want);
}

static void test_libunwind_agrees(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	assert_non_null(r);
	whole_stack(f);
	f->sample.stack_len = f->sample.stack_asked = 16 * 8;
	remote_walk(r, &f->walk, &f->as, &f->sample);
	expect(f, VERDICT_COMPLETE, 3, want);
	remote_destroy(r);
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
	set_ip(f, w_mid_popped, STACK + 32);
	assert_true(walk(f, 16, 16));
	expect(f, VERDICT_COMPLETE, 3, want);
	assert_int_equal(f->walk.n_popped, 1);
}

static void test_no_cfi_at_the_top(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_no_cfi), FRAME_PC },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	f->words[0] = ADDR(w_start_ra);
	set_ip(f, w_no_cfi, 0);
	assert_true(walk(f, 4, 4));
	expect(f, VERDICT_COMPLETE, 2, want);
	assert_int_equal(f->walk.n_no_cfi, 1);
}

static void test_no_cfi_and_no_call(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_no_cfi), FRAME_PC } };

	f->words[0] = ADDR(w_leaf_pc); /* code, but not behind a call */
	set_ip(f, w_no_cfi, 0);
	assert_true(walk(f, 4, 4));
	expect(f, VERDICT_NO_CFI, 1, want);
	assert_int_equal(f->walk.binary, f->self);
}

static void test_copy_too_small(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_leaf_pc), FRAME_PC },
					   { ADDR(w_mid_ra), FRAME_RETURN } };

	whole_stack(f);
	assert_true(walk(f, 4, 4));
	expect(f, VERDICT_COPY_SMALL, 2, want);
	assert_int_equal(f->walk.binary, BINARY_UNKNOWN);
	/* Less was copied than asked for: a larger copy would have been cut there too. */
	assert_true(walk(f, 4, 1024));
	expect(f, VERDICT_COPY_SMALL, 2, want);
	assert_int_equal(f->walk.binary, f->self);
	assert_true(walk(f, 0, 1024));
	expect(f, VERDICT_COPY_SMALL, 1, want);
}

/* A frame larger than the kernel copies; what was not written of it, it does not copy either. */
static void test_frame_larger_than_any_copy(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_huge_pc), FRAME_PC } };
	const size_t asked[] = { 512, 2048 };

	assert_non_null(r);
	set_ip(f, w_huge_pc, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(walk(f, 512, asked[i]));
		expect(f, VERDICT_COPY_SMALL, 1, want);
		assert_int_equal(f->walk.binary, f->self);
		remote_walk(r, &f->walk, &f->as, &f->sample);
		expect(f, VERDICT_COPY_SMALL, 1, want);
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
	set_ip(f, w_absurd_pc, 0);
	assert_true(walk(f, 512, 512));
	expect(f, VERDICT_BAD_CFA, 1, want);
	assert_int_equal(f->walk.binary, f->self);
	remote_walk(r, &f->walk, &f->as, &f->sample);
	expect(f, VERDICT_BAD_CFA, 1, want);
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
	whole_stack(f);
	assert_true(walk(f, 4, 4));
	walk_splice(&f->walk, f->code, &f->as, &f->sample, chain, 3);
	expect(f, VERDICT_COMPLETE, 4, want);
	/* Also where an unwritten page, and not the size asked for, ended the copy. */
	assert_true(walk(f, 4, 1024));
	walk_splice(&f->walk, f->code, &f->as, &f->sample, chain, 3);
	expect(f, VERDICT_COMPLETE, 4, want);
	/* A chain from another frame pointer is no continuation. */
	assert_true(walk(f, 4, 4));
	f->regs[arch_x86_64.perf_fp] = STACK;
	walk_splice(&f->walk, f->code, &f->as, &f->sample, chain, 3);
	assert_int_equal(f->walk.verdict, VERDICT_COPY_SMALL);
	assert_int_equal(f->walk.n, 2);
}

static void test_address_must_grow(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_loop_pc), FRAME_PC } };

	f->words[0] = ADDR(w_loop_pc);
	set_ip(f, w_loop_pc, 0);
	assert_true(walk(f, 4, 4));
	expect(f, VERDICT_BAD_CFA, 1, want);
}

static void test_depth_limit(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 9000; i++)
		f->words[i] = ADDR(w_thin_ra);
	set_ip(f, w_thin_ra, 0);
	assert_true(walk(f, 9000, 9000));
	assert_int_equal(f->walk.n, WALK_MAX_FRAMES);
	assert_int_equal(f->walk.verdict, VERDICT_DEPTH_LIMIT);
}

static void test_complex_row_is_libunwinds(void **state)
{
	struct fixture *f = *state;
	struct remote *r = remote_create(f->code);
	const struct walk_frame want[] = { { ADDR(w_complex_pc), FRAME_PC },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	set_ip(f, w_complex_pc, 0);
	f->words[1] = ADDR(w_start_ra);
	f->regs[X86_64_R10] = STACK + 8;
	assert_false(walk(f, 8, 8));
	remote_walk(r, &f->walk, &f->as, &f->sample);
	expect(f, VERDICT_COMPLETE, 2, want);
	remote_destroy(r);
}

/* A signal frame at STACK + 8 * `at` whose context has this pc, stack and frame pointer. */
static void signal_frame(struct fixture *f, size_t at, const char *pc, uint64_t sp, uint64_t fp)
{
	f->words[at + 15] = fp;
	f->words[at + 20] = sp;
	f->words[at + 21] = ADDR(pc);
}

static void test_through_a_signal_frame(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_restore_pc), FRAME_PC },
					   { ADDR(w_leaf_ret), FRAME_AFTER_SIGNAL },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	signal_frame(f, 0, w_leaf_ret, STACK + 8 * 100, 0);
	f->words[100] = ADDR(w_start_ra);
	set_ip(f, w_restore_pc, 0);
	assert_true(walk(f, 200, 200));
	expect(f, VERDICT_COMPLETE, 3, want);
}

static void test_through_an_unmarked_signal_frame(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_sigreturn), FRAME_PC },
					   { ADDR(w_leaf_ret), FRAME_AFTER_SIGNAL },
					   { ADDR(w_start_ra), FRAME_RETURN } };

	signal_frame(f, 0, w_leaf_ret, STACK + 8 * 100, 0);
	f->words[100] = ADDR(w_start_ra);
	set_ip(f, w_sigreturn, 0);
	assert_true(walk(f, 200, 200));
	expect(f, VERDICT_COMPLETE, 3, want);
}

static void test_alternate_stack_stops_with_the_interrupted_pc(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame want[] = { { ADDR(w_restore_pc), FRAME_PC },
					   { ADDR(w_leaf_ret), FRAME_AFTER_SIGNAL } };

	signal_frame(f, 0, w_leaf_ret, 0x1000, 0);
	set_ip(f, w_restore_pc, 0);
	assert_true(walk(f, 200, 200));
	expect(f, VERDICT_BAD_CFA, 2, want);
	signal_frame(f, 0, w_leaf_ret, STACK + ((uint64_t)1 << 40), 0);
	assert_true(walk(f, 200, 200));
	expect(f, VERDICT_BAD_CFA, 2, want);
	/* The copy ends where the alternate stack does; the other lies above it. */
	signal_frame(f, 0, w_leaf_ret, STACK + 8 * 400, 0);
	assert_true(walk(f, 200, 1024));
	expect(f, VERDICT_BAD_CFA, 2, want);
	set_ip(f, w_sigreturn, 0);
	assert_true(walk(f, 200, 1024));
	assert_int_equal(f->walk.verdict, VERDICT_BAD_CFA);
	/* Or the same stack goes on beyond the copy. */
	assert_true(walk(f, 200, 200));
	assert_int_equal(f->walk.verdict, VERDICT_COPY_SMALL);
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
	assert_true(walk(f, 16, 16));
	expect(f, VERDICT_COMPLETE, 3, want);
	assert_int_equal(f->walk.n_by_fp, 2);
}

static void test_restored_state_is_a_row_of_its_own(void **state)
{
	struct fixture *f = *state;
	const struct walk_frame behind[] = { { ADDR(w_exits_on), FRAME_PC },
					     { ADDR(w_start_ra), FRAME_RETURN } };
	const struct walk_frame before[] = { { ADDR(w_exits_ret), FRAME_PC },
					     { ADDR(w_start_ra), FRAME_RETURN } };

	f->words[2] = ADDR(w_start_ra);
	set_ip(f, w_exits_on, 0);
	assert_true(walk(f, 8, 8));
	expect(f, VERDICT_COMPLETE, 2, behind);
	f->words[0] = ADDR(w_start_ra);
	f->words[2] = 0;
	set_ip(f, w_exits_ret, 0);
	assert_true(walk(f, 8, 8));
	expect(f, VERDICT_COMPLETE, 2, before);
}

static void test_waits_for_a_file(void **state)
{
	struct fixture *f = *state;
	struct code *empty = code_create(&f->binaries, &arch_x86_64);

	whole_stack(f);
	f->sample.stack_len = f->sample.stack_asked = 128;
	assert_true(walk_rows(&f->walk, empty, &f->as, &f->sample));
	assert_int_equal(f->walk.verdict, VERDICT_NO_CFI_YET);
	assert_int_equal(f->walk.binary, f->self);
	code_destroy(empty);
}

static void test_after_call(void **state)
{
	static const uint8_t call_rel[] = { 0x90, 0x90, 0xe8, 1, 2, 3, 4 };
	static const uint8_t call_rax[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 };
	static const uint8_t call_mem[] = { 0xff, 0x15, 1, 2, 3, 4 };
	static const uint8_t jump_rax[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0 };

	uint64_t to;

	(void)state;
	assert_true(arch_x86_64.is_after_call(call_rel, sizeof(call_rel)));
	assert_true(arch_x86_64.is_after_call(call_rax, sizeof(call_rax)));
	assert_true(arch_x86_64.is_after_call(call_mem, sizeof(call_mem)));
	assert_false(arch_x86_64.is_after_call(jump_rax, sizeof(jump_rax)));
	assert_true(arch_x86_64.call_target(call_rel, sizeof(call_rel), 0x10000000, &to));
	assert_int_equal(to, 0x10000000 + 0x04030201);
	assert_false(arch_x86_64.call_target(call_mem, sizeof(call_mem), 0x10000000, &to));
	assert_true(arch_x86_64.jumps_out(jump_rax, sizeof(jump_rax)));
	assert_false(arch_x86_64.jumps_out(call_rel, sizeof(call_rel)));
}

#define WALK_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALK_TEST(test_whole_stack),
		WALK_TEST(test_libunwind_agrees),
		WALK_TEST(test_popped_register_is_kept),
		WALK_TEST(test_no_cfi_at_the_top),
		WALK_TEST(test_no_cfi_and_no_call),
		WALK_TEST(test_copy_too_small),
		WALK_TEST(test_frame_larger_than_any_copy),
		WALK_TEST(test_frame_larger_than_any_stack),
		WALK_TEST(test_splice_takes_the_tail),
		WALK_TEST(test_address_must_grow),
		WALK_TEST(test_depth_limit),
		WALK_TEST(test_complex_row_is_libunwinds),
		WALK_TEST(test_through_a_signal_frame),
		WALK_TEST(test_through_an_unmarked_signal_frame),
		WALK_TEST(test_alternate_stack_stops_with_the_interrupted_pc),
		WALK_TEST(test_jit_frames_go_by_frame_pointer),
		WALK_TEST(test_restored_state_is_a_row_of_its_own),
		WALK_TEST(test_waits_for_a_file),
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
