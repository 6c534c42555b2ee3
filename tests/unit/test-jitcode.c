/* What a JIT compiler's dump says of unwinding, on literal bytes: rows by address, code that took
 * the place of other code, dumps read in pieces, damage; and stacks walked through it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/jitreader.h"
#include "unwind/walk.h"

enum { LOAD = 0, MOVE = 1, CLOSE = 3, UNWINDING = 4 };
enum { JIT = 0x10000000, STACK = 0x7ffe0000, PID = 7, CODE_LEN = 0x20 };

/* Behind an instruction of four bytes that makes room for N on the stack (DW_CFA_advance_loc,
 * DW_CFA_def_cfa_offset). */
#define SUB(n) 0x44, 0x0e, (n) + 8

static void put_header(struct buf *b)
{
	buf_u32(b, 0x4a695444);
	buf_u32(b, 1);
	buf_u32(b, 40);
	for (int i = 0; i < 7; i++)
		buf_u32(b, 0);
}

static void put_record(struct buf *b, uint32_t id, const struct buf *body)
{
	buf_u32(b, id);
	buf_u32(b, (uint32_t)(16 + body->len));
	buf_u64(b, 5);
	buf_bytes(b, body->data, body->len);
}

/* .eh_frame of one function: the return address is below the CFA, and the CFA 8 above the stack
 * pointer until the instructions say otherwise. Addresses count from where it lies behind the
 * code. */
static void put_frames(struct buf *b, uint64_t code_len, const uint8_t *insns, size_t n)
{
	static const uint8_t cie[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
				       /* def_cfa rsp+8; rip at cfa-8; nops */
				       0x0c, 7, 8, 0x90, 1, 0, 0 };
	size_t begin = b->len, behind = (code_len + 7) & ~(size_t)7, pad = -(size_t)(1 + n) & 3;

	buf_u32(b, 4 + sizeof(cie));
	buf_u32(b, 0);
	buf_bytes(b, cie, sizeof(cie));
	buf_u32(b, (uint32_t)(4 + 4 + 4 + 1 + n + pad));
	buf_u32(b, (uint32_t)(b->len - begin));
	buf_u32(b, (uint32_t) - (int32_t)(behind + (b->len - begin)));
	buf_u32(b, (uint32_t)code_len);
	buf_u8(b, 0);
	buf_bytes(b, insns, n);
	for (; pad; pad--)
		buf_u8(b, 0);
	buf_u32(b, 0);
}

static void put_unwinding(struct buf *b, const struct buf *frames)
{
	static const uint8_t hdr[20] = { 1, 0x1b, 3, 0x3b };
	struct buf body = { 0 };

	buf_u64(&body, frames->len + sizeof(hdr));
	buf_u64(&body, sizeof(hdr));
	buf_u64(&body, 0);
	buf_bytes(&body, frames->data, frames->len);
	buf_bytes(&body, hdr, sizeof(hdr));
	put_record(b, UNWINDING, &body);
	buf_deinit(&body);
}

static void put_load(struct buf *b, uint64_t start, uint64_t len, uint64_t index)
{
	struct buf body = { 0 };

	buf_u64(&body, 0);
	buf_u64(&body, start);
	buf_u64(&body, start);
	buf_u64(&body, len);
	buf_u64(&body, index);
	buf_cstr(&body, "f");
	buf_bytes(&body, "code", 4);
	put_record(b, LOAD, &body);
	buf_deinit(&body);
}

static void put_move(struct buf *b, uint64_t from, uint64_t to, uint64_t len, uint64_t index)
{
	struct buf body = { 0 };

	buf_u64(&body, 0);
	buf_u64(&body, to);
	buf_u64(&body, from);
	buf_u64(&body, to);
	buf_u64(&body, len);
	buf_u64(&body, index);
	put_record(b, MOVE, &body);
	buf_deinit(&body);
}

static void put_code(struct buf *b, uint64_t start, uint64_t index, const uint8_t *insns, size_t n)
{
	struct buf frames = { 0 };

	put_frames(&frames, CODE_LEN, insns, n);
	put_unwinding(b, &frames);
	put_load(b, start, CODE_LEN, index);
	buf_deinit(&frames);
}

#define PUT_CODE(b, start, index, ...)                                                             \
	do {                                                                                       \
		static const uint8_t insns_[] = { __VA_ARGS__ };                                   \
		put_code(b, start, index, insns_, sizeof(insns_));                                 \
	} while (0)

/* Everything in `b`, in pieces that end at these places and at its end. */
static struct jitcode *read_in_pieces(const struct buf *b, const size_t *ends, size_t n)
{
	struct jitcode *j = jitcode_create(&arch_x86_64);
	struct jitreader r = { 0 };
	size_t at = 0;

	for (size_t i = 0; i <= n; i++) {
		struct jitcode_batch batch;
		struct cursor c = cursor(b->data + at, (i < n ? ends[i] : b->len) - at);

		assert_null(jitreader_read(&r, &c, &batch));
		at += cursor_offset(&c);
		jitcode_take(j, &batch);
	}
	assert_int_equal(at, b->len);
	jitreader_deinit(&r);
	return j;
}

static struct jitcode *read_whole(const struct buf *b)
{
	return read_in_pieces(b, NULL, 0);
}

/* How far the CFA is above the stack pointer at an address; 0: nothing is known of its unwinding,
 * -1: nothing of its code. */
static int cfa_at(struct jitcode *j, uint64_t addr)
{
	struct row row;

	switch (jitcode_row(j, addr, &row)) {
	case JITCODE_UNKNOWN:
		return -1;
	case JITCODE_BARE:
		return 0;
	case JITCODE_ROW:
		break;
	}
	assert_int_equal(row.cfa, ROW_CFA_SP);
	assert_int_equal(row.ra, ROW_AT_CFA);
	assert_int_equal(row.ra_off, -8);
	return row.cfa_off;
}

static void test_rows_by_address(void **state)
{
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	PUT_CODE(&b, JIT, 1, SUB(24));
	PUT_CODE(&b, JIT + 0x1003, 2, SUB(56)); /* not aligned, nor is what is behind it */
	struct jitcode *j = read_whole(&b);

	assert_int_equal(cfa_at(j, JIT - 1), -1);
	assert_int_equal(cfa_at(j, JIT), 8);
	assert_int_equal(cfa_at(j, JIT + 3), 8);
	assert_int_equal(cfa_at(j, JIT + 4), 32);
	assert_int_equal(cfa_at(j, JIT + CODE_LEN - 1), 32);
	assert_int_equal(cfa_at(j, JIT + CODE_LEN), -1);
	assert_int_equal(cfa_at(j, JIT + 0x1003), 8);
	assert_int_equal(cfa_at(j, JIT + 0x1003 + CODE_LEN - 1), 64);
	jitcode_destroy(j);
	buf_deinit(&b);
}

/* What lies in the place of older code hides it, with or without unwinding information. */
static void test_newest_wins(void **state)
{
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	PUT_CODE(&b, JIT, 1, SUB(24));
	PUT_CODE(&b, JIT + CODE_LEN, 2, SUB(40));
	PUT_CODE(&b, JIT, 3, SUB(56));
	put_load(&b, JIT + CODE_LEN + 8, 8, 4);
	struct jitcode *j = read_whole(&b);

	assert_int_equal(cfa_at(j, JIT + 4), 64);
	assert_int_equal(cfa_at(j, JIT + CODE_LEN + 7), 48);
	assert_int_equal(cfa_at(j, JIT + CODE_LEN + 8), 0);
	assert_int_equal(cfa_at(j, JIT + CODE_LEN + 15), 0);
	assert_int_equal(cfa_at(j, JIT + CODE_LEN + 16), 48);
	jitcode_destroy(j);
	buf_deinit(&b);
}

static void test_moved_code(void **state)
{
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	PUT_CODE(&b, JIT, 1, SUB(24));
	put_move(&b, JIT, JIT + 0x100, CODE_LEN, 1);
	put_move(&b, JIT + 0x100, JIT + 0x200, CODE_LEN, 1);
	put_move(&b, JIT, JIT + 0x300, CODE_LEN, 9); /* of nothing there was */
	struct jitcode *j = read_whole(&b);

	assert_int_equal(cfa_at(j, JIT + 0x204), 32);
	assert_int_equal(cfa_at(j, JIT + 0x300), -1);
	jitcode_destroy(j);
	buf_deinit(&b);
}

/* A dump is written while it is read: whatever is there is taken, to the last whole record. */
static void test_pieces_are_the_whole(void **state)
{
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	PUT_CODE(&b, JIT, 1, SUB(24));
	PUT_CODE(&b, JIT + 0x10, 2, SUB(40));
	put_move(&b, JIT, JIT + 0x100, CODE_LEN, 1);
	for (size_t i = 1; i < b.len; i++) {
		const size_t ends[] = { i, i + (b.len - i) / 2 };
		struct jitcode *j = read_in_pieces(&b, ends, 2);

		assert_int_equal(cfa_at(j, JIT + 0x4), 32);
		assert_int_equal(cfa_at(j, JIT + 0x1f), 48);
		assert_int_equal(cfa_at(j, JIT + 0x104), 32);
		jitcode_destroy(j);
	}
	buf_deinit(&b);
}

/* Compilers say by a header alone that code keeps frame pointers. */
static void test_no_frames(void **state)
{
	struct buf b = { 0 }, none = { 0 };

	(void)state;
	put_header(&b);
	struct jitcode *j = read_whole(&b);

	assert_true(jitcode_may_unwind(j)); /* who knows */
	jitcode_destroy(j);
	put_unwinding(&b, &none);
	put_load(&b, JIT, CODE_LEN, 1);
	j = read_whole(&b);
	assert_int_equal(cfa_at(j, JIT), 0);
	assert_false(jitcode_may_unwind(j));
	jitcode_destroy(j);
	PUT_CODE(&b, JIT, 1, SUB(24));
	j = read_whole(&b);
	assert_true(jitcode_may_unwind(j));
	jitcode_destroy(j);
	buf_deinit(&b);
}

/* Of frames that are none, or are of other code, nothing is believed. */
static void test_damaged_frames(void **state)
{
	static const uint8_t insns[] = { SUB(24) };
	struct buf b = { 0 }, frames = { 0 };

	(void)state;
	put_header(&b);
	put_frames(&frames, CODE_LEN, insns, sizeof(insns));
	put_unwinding(&b, &frames);
	put_load(&b, JIT, 0x100, 1); /* far from what these count from */
	for (size_t i = 0; i < frames.len; i++)
		frames.data[i] ^= 0xff;
	put_unwinding(&b, &frames);
	put_load(&b, JIT + 0x100, CODE_LEN, 2);
	struct jitcode *j = read_whole(&b);

	assert_int_equal(cfa_at(j, JIT + 4), 0);
	assert_int_equal(cfa_at(j, JIT + 0x104), 0);
	jitcode_destroy(j);
	buf_deinit(&frames);
	buf_deinit(&b);
}

static void test_damaged_records(void **state)
{
	struct jitreader r = { 0 };
	struct jitcode_batch batch;
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	PUT_CODE(&b, JIT, 1, SUB(24));
	buf_u32(&b, LOAD);
	buf_u32(&b, 15); /* less than its own head */
	buf_u64(&b, 0);
	struct cursor c = cursor(b.data, b.len);
	struct err *err = jitreader_read(&r, &c, &batch);

	assert_string_equal(err_msg(err), "a record of 15 bytes");
	err_destroy(err);
	assert_true(r.closed);
	assert_int_equal(batch.pieces.n, 1); /* what came before is good */
	jitcode_batch_deinit(&batch);
	jitreader_deinit(&r);

	r = (struct jitreader){ 0 };
	b.data[4] = 2;
	c = cursor(b.data, b.len);
	err = jitreader_read(&r, &c, &batch);
	assert_string_equal(err_msg(err), "not a jitdump file of version 1");
	err_destroy(err);
	jitcode_batch_deinit(&batch);
	jitreader_deinit(&r);
	buf_deinit(&b);
}

static void test_close_is_the_end(void **state)
{
	struct jitreader r = { 0 };
	struct jitcode_batch batch;
	struct buf b = { 0 }, nothing = { 0 };

	(void)state;
	put_header(&b);
	put_record(&b, CLOSE, &nothing);
	put_load(&b, JIT, CODE_LEN, 1);
	struct cursor c = cursor(b.data, b.len);

	assert_null(jitreader_read(&r, &c, &batch));
	assert_true(r.closed);
	assert_int_equal(batch.entries.n, 0);
	jitcode_batch_deinit(&batch);
	jitreader_deinit(&r);
	buf_deinit(&b);
}

/* Batches that were not made for each other lead nowhere else. */
static void test_batch_of_another_reading(void **state)
{
	struct jitcode *j = jitcode_create(&arch_x86_64);
	struct jitcode_batch batch = { .number = 3, .may_unwind = true };
	struct jitcode_entry e = { .start = JIT, .end = JIT + 8, .batch = 2, .len = 50 };

	(void)state;
	vec_push(&batch.entries, e);
	jitcode_batch_order(&batch);
	jitcode_take(j, &batch);
	assert_int_equal(cfa_at(j, JIT), -1);
	vec_push(&batch.entries, e);
	jitcode_batch_order(&batch);
	jitcode_take(j, &batch);
	assert_int_equal(cfa_at(j, JIT), 0);
	jitcode_destroy(j);
}

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
	put_header(&s->dump);
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

	PUT_CODE(&s->dump, JIT, 1, SUB(24));
	put_code(&s->dump, JIT + 0x100, 2, outermost, sizeof(outermost));
	put_code(&s->dump, JIT + 0x200, 3, outermost, sizeof(outermost));
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
	PUT_CODE(&s->dump, JIT, 4, SUB(8));
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
	put_load(&s->dump, JIT + 0x800, CODE_LEN, 1);
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
		cmocka_unit_test(test_rows_by_address),
		cmocka_unit_test(test_newest_wins),
		cmocka_unit_test(test_moved_code),
		cmocka_unit_test(test_pieces_are_the_whole),
		cmocka_unit_test(test_no_frames),
		cmocka_unit_test(test_damaged_frames),
		cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_close_is_the_end),
		cmocka_unit_test(test_batch_of_another_reading),
		SCENE(test_walks_by_the_dump),
		SCENE(test_another_process_has_no_dump),
		SCENE(test_code_is_replaced),
		SCENE(test_a_caller_must_be_code),
		SCENE(test_waits_for_a_look),
		SCENE(test_waits_for_no_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
