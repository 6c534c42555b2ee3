/* What a JIT compiler's dump says of unwinding, on literal bytes: rows by address, code that took
 * the place of other code, dumps read in pieces, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/jitwrite.h"
#include "unwind/jitreader.h"

enum { JIT = 0x10000000 };

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
	jitwrite_header(&b);
	JITWRITE_CODE(&b, JIT, 1, JITWRITE_SUB(24));
	JITWRITE_CODE(&b, JIT + 0x1003, 2,
		      JITWRITE_SUB(56)); /* not aligned, nor is what is behind it */
	struct jitcode *j = read_whole(&b);

	assert_int_equal(cfa_at(j, JIT - 1), -1);
	assert_int_equal(cfa_at(j, JIT), 8);
	assert_int_equal(cfa_at(j, JIT + 3), 8);
	assert_int_equal(cfa_at(j, JIT + 4), 32);
	assert_int_equal(cfa_at(j, JIT + JITWRITE_CODE_LEN - 1), 32);
	assert_int_equal(cfa_at(j, JIT + JITWRITE_CODE_LEN), -1);
	assert_int_equal(cfa_at(j, JIT + 0x1003), 8);
	assert_int_equal(cfa_at(j, JIT + 0x1003 + JITWRITE_CODE_LEN - 1), 64);
	jitcode_destroy(j);
	buf_deinit(&b);
}

/* What lies in the place of older code hides it, with or without unwinding information. */
static void test_newest_wins(void **state)
{
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	JITWRITE_CODE(&b, JIT, 1, JITWRITE_SUB(24));
	JITWRITE_CODE(&b, JIT + JITWRITE_CODE_LEN, 2, JITWRITE_SUB(40));
	JITWRITE_CODE(&b, JIT, 3, JITWRITE_SUB(56));
	jitwrite_load(&b, 5, JIT + JITWRITE_CODE_LEN + 8, 8, 4, "f", NULL, 0);
	struct jitcode *j = read_whole(&b);

	assert_int_equal(cfa_at(j, JIT + 4), 64);
	assert_int_equal(cfa_at(j, JIT + JITWRITE_CODE_LEN + 7), 48);
	assert_int_equal(cfa_at(j, JIT + JITWRITE_CODE_LEN + 8), 0);
	assert_int_equal(cfa_at(j, JIT + JITWRITE_CODE_LEN + 15), 0);
	assert_int_equal(cfa_at(j, JIT + JITWRITE_CODE_LEN + 16), 48);
	jitcode_destroy(j);
	buf_deinit(&b);
}

static void test_moved_code(void **state)
{
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	JITWRITE_CODE(&b, JIT, 1, JITWRITE_SUB(24));
	jitwrite_move(&b, 5, JIT, JIT + 0x100, JITWRITE_CODE_LEN, 1);
	jitwrite_move(&b, 5, JIT + 0x100, JIT + 0x200, JITWRITE_CODE_LEN, 1);
	jitwrite_move(&b, 5, JIT, JIT + 0x300, JITWRITE_CODE_LEN, 9); /* of nothing there was */
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
	jitwrite_header(&b);
	JITWRITE_CODE(&b, JIT, 1, JITWRITE_SUB(24));
	JITWRITE_CODE(&b, JIT + 0x10, 2, JITWRITE_SUB(40));
	jitwrite_move(&b, 5, JIT, JIT + 0x100, JITWRITE_CODE_LEN, 1);
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
	jitwrite_header(&b);
	struct jitcode *j = read_whole(&b);

	assert_true(jitcode_may_unwind(j)); /* who knows */
	jitcode_destroy(j);
	jitwrite_unwinding(&b, &none);
	jitwrite_load(&b, 5, JIT, JITWRITE_CODE_LEN, 1, "f", NULL, 0);
	j = read_whole(&b);
	assert_int_equal(cfa_at(j, JIT), 0);
	assert_false(jitcode_may_unwind(j));
	jitcode_destroy(j);
	JITWRITE_CODE(&b, JIT, 1, JITWRITE_SUB(24));
	j = read_whole(&b);
	assert_true(jitcode_may_unwind(j));
	jitcode_destroy(j);
	buf_deinit(&b);
}

/* Of frames that are none, or are of other code, nothing is believed. */
static void test_damaged_frames(void **state)
{
	static const uint8_t insns[] = { JITWRITE_SUB(24) };
	struct buf b = { 0 }, frames = { 0 };

	(void)state;
	jitwrite_header(&b);
	jitwrite_frames(&frames, JITWRITE_CODE_LEN, insns, sizeof(insns));
	jitwrite_unwinding(&b, &frames);
	jitwrite_load(&b, 5, JIT, 0x100, 1, "f", NULL, 0); /* far from what these count from */
	for (size_t i = 0; i < frames.len; i++)
		frames.data[i] ^= 0xff;
	jitwrite_unwinding(&b, &frames);
	jitwrite_load(&b, 5, JIT + 0x100, JITWRITE_CODE_LEN, 2, "f", NULL, 0);
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
	jitwrite_header(&b);
	JITWRITE_CODE(&b, JIT, 1, JITWRITE_SUB(24));
	buf_u32(&b, JITWRITE_LOAD);
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
	jitwrite_header(&b);
	jitwrite_record(&b, JITWRITE_CLOSE, 5, &nothing);
	jitwrite_load(&b, 5, JIT, JITWRITE_CODE_LEN, 1, "f", NULL, 0);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
