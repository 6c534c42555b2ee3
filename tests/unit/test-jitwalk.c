/* Stacks walked through code that a JIT compiler's dump tells of, on literal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/jitwrite.h"
#include "unwind/jitreader.h"
#include "unwind/walk.h"

enum { JIT = 0x10000000, STACK = 0x7ffe0000, PID = 7 };

/* A process with code in no file, and a stack in it. */
struct scene {
	struct binaries binaries;
	struct addrspace as;
	struct code *code;
	struct walk walk;
	struct jitreader reader;
	struct buf dump;
	uint64_t words[16];
	uint64_t regs[24];
	struct raw_sample sample;
};

static int set_up(void **state)
{
	struct scene *s = xcalloc(1, sizeof(*s));
	struct mapping m = { .start = JIT, .end = JIT + 4096, .pgoff = JIT };

	binaries_init(&s->binaries);
	addrspace_init(&s->as);
	m.binary = binaries_add(&s->binaries, &(struct binary){ .kind = BINARY_KIND_ANON,
								.pid = PID,
								.path = (char *)"[anon]" });
	addrspace_map(&s->as, &m);
	s->code = code_create(&s->binaries, &arch_x86_64);
	walk_init(&s->walk);
	s->sample = (struct raw_sample){ .regs_abi = 2,
					 .regs_mask = arch_x86_64.regs_mask,
					 .regs = s->regs,
					 .stack = (const uint8_t *)s->words,
					 .stack_len = sizeof(s->words),
					 .stack_asked = sizeof(s->words) };
	s->regs[arch_x86_64.perf_sp] = STACK;
	jitwrite_header(&s->dump);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	walk_deinit(&s->walk);
	code_destroy(s->code);
	jitreader_deinit(&s->reader);
	buf_deinit(&s->dump);
	addrspace_deinit(&s->as);
	binaries_deinit(&s->binaries);
	free(s);
	return 0;
}

/* What was put into the dump since the last time reaches the unwinder. */
static void give_dump(struct scene *s)
{
	struct cursor c = cursor(s->dump.data, s->dump.len);
	struct jitcode_batch batch;

	assert_null(jitreader_read(&s->reader, &c, &batch));
	assert_int_equal(cursor_left(&c), 0);
	s->dump.len = 0;
	code_add_jit(s->code, PID, 1, &batch);
}

static void expect_walk(struct scene *s, enum verdict verdict, size_t n, uint64_t caller)
{
	assert_true(walk_rows(&s->walk, s->code, &s->as, &s->sample));
	assert_int_equal(s->walk.verdict, verdict);
	assert_int_equal(s->walk.n, n);
	if (n > 1)
		assert_int_equal(s->walk.frames[1].pc, caller);
}

/* At JIT a leaf of 24 bytes of stack, called from JIT + 0x100; by rbp it would be JIT + 0x200. Both
 * of these are the outermost. */
static void put_leaf(struct scene *s)
{
	static const uint8_t outermost[] = { 0x07, 16 }; /* rip undefined */

	JITWRITE_CODE(&s->dump, JIT, 1, JITWRITE_SUB(24));
	jitwrite_code(&s->dump, JIT + 0x100, 2, outermost, sizeof(outermost));
	jitwrite_code(&s->dump, JIT + 0x200, 3, outermost, sizeof(outermost));
	s->words[3] = JIT + 0x110;
	s->words[6] = 0;
	s->words[7] = JIT + 0x210;
	s->regs[arch_x86_64.perf_ip] = JIT + 8;
	s->regs[arch_x86_64.perf_fp] = STACK + 6 * 8;
}

static void test_walks_by_the_dump(void **state)
{
	struct scene *s = *state;

	put_leaf(s);
	code_expect_jit(s->code, PID, 1);
	give_dump(s);
	expect_walk(s, VERDICT_COMPLETE, 2, JIT + 0x110);
	assert_int_equal(s->walk.n_by_fp, 0);
	code_drop_jit(s->code, PID, 1);
	expect_walk(s, VERDICT_NO_CFI, 2,
		    JIT + 0x210); /* by the frame pointer, as without a dump */
}

static void test_another_process_has_no_dump(void **state)
{
	struct scene *s = *state;
	struct jitcode_batch batch = { .may_unwind = true };

	put_leaf(s);
	code_expect_jit(s->code, PID + 1, 1);
	code_add_jit(s->code, PID + 1, 1, &batch);
	give_dump(s); /* not expected */
	s->walk.may_wait = true;
	expect_walk(s, VERDICT_NO_CFI, 2, JIT + 0x210);
}

/* Places are remembered; code that comes into one is not missed. */
static void test_code_is_replaced(void **state)
{
	struct scene *s = *state;

	put_leaf(s);
	code_expect_jit(s->code, PID, 1);
	give_dump(s);
	expect_walk(s, VERDICT_COMPLETE, 2, JIT + 0x110);
	JITWRITE_CODE(&s->dump, JIT, 4, JITWRITE_SUB(8));
	give_dump(s);
	s->words[1] = JIT + 0x210;
	expect_walk(s, VERDICT_COMPLETE, 2, JIT + 0x210);
}

/* The dump may be of other code by now: a step to where no code is is not taken. */
static void test_a_caller_must_be_code(void **state)
{
	struct scene *s = *state;

	put_leaf(s);
	code_expect_jit(s->code, PID, 1);
	give_dump(s);
	for (int i = 0; i < 2; i++) {
		s->words[3] = i ? 0 : 0x1234;
		expect_walk(s, VERDICT_COMPLETE, 2, JIT + 0x210);
		assert_int_equal(s->walk.n_by_fp, i + 1);
	}
}

static void test_waits_for_a_look(void **state)
{
	struct scene *s = *state;

	put_leaf(s);
	code_expect_jit(s->code, PID, 1);
	s->walk.time_ns = 1000;
	expect_walk(s, VERDICT_NO_CFI, 2, JIT + 0x210); /* may not wait */
	s->walk.may_wait = true;
	expect_walk(s, VERDICT_NO_CFI_YET, 1, 0);
	code_jit_told(s->code, PID, 1, 1000); /* a look that began no later */
	expect_walk(s, VERDICT_NO_CFI_YET, 1, 0);
	code_jit_told(s->code, PID, 1, 1001);
	expect_walk(s, VERDICT_NO_CFI, 2, JIT + 0x210);
	give_dump(s);
	expect_walk(s, VERDICT_COMPLETE, 2, JIT + 0x110);
}

/* A dump that says nothing of unwinding is not waited for. */
static void test_waits_for_no_frames(void **state)
{
	struct scene *s = *state;

	put_leaf(s);
	s->dump.len = 40;
	jitwrite_load(&s->dump, 5, JIT + 0x800, JITWRITE_CODE_LEN, 1, "f", NULL, 0);
	code_expect_jit(s->code, PID, 1);
	s->walk.may_wait = true;
	expect_walk(s, VERDICT_NO_CFI_YET, 1, 0);
	give_dump(s);
	expect_walk(s, VERDICT_NO_CFI, 2, JIT + 0x210);
}

#define SCENE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(test_walks_by_the_dump), SCENE(test_another_process_has_no_dump),
		SCENE(test_code_is_replaced),  SCENE(test_a_caller_must_be_code),
		SCENE(test_waits_for_a_look),  SCENE(test_waits_for_no_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
