/* Unit tests of src/base on literal data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/codec.h"
#include "base/cursor.h"
#include "base/diag.h"
#include "base/intern.h"

static void test_uleb_round_trip(void **state)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX };
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		buf_uleb(&b, values[i]);
	struct cursor c = cursor(b.data, b.len);

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(cursor_uleb(&c), values[i]);
	assert_false(c.failed);
	assert_int_equal(cursor_left(&c), 0);
	buf_deinit(&b);
}

static void test_uleb_hostile(void **state)
{
	static const uint8_t unended[] = { 0x80, 0x80 };
	static const uint8_t too_long[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
					    0xff, 0xff, 0xff, 0xff, 0x02 };
	struct cursor c = cursor(unended, sizeof(unended));

	(void)state;
	assert_int_equal(cursor_uleb(&c), 0);
	assert_true(c.failed);
	c = cursor(too_long, sizeof(too_long));
	assert_int_equal(cursor_uleb(&c), 0);
	assert_true(c.failed);
}

static void test_cursor_never_passes_the_end(void **state)
{
	static const uint8_t bytes[] = { 3, 'a', 'b', 'c', 9, 'x' };
	struct cursor c = cursor(bytes, sizeof(bytes));
	struct cursor sub = cursor_sub(&c);

	(void)state;
	assert_int_equal(cursor_left(&sub), 3);
	sub = cursor_sub(&c);
	assert_true(c.failed);
	assert_true(sub.failed);
	assert_int_equal(cursor_u32(&c), 0);
	c = cursor(bytes, sizeof(bytes));
	assert_null(cursor_cstr(&c));
	assert_null(cursor_bytes(&c, UINT64_MAX));
}

static void test_zigzag(void **state)
{
	(void)state;
	assert_int_equal(zigzag_encode(-1), 1);
	assert_int_equal(zigzag_decode(zigzag_encode(INT64_MIN)), INT64_MIN);
	assert_int_equal(zigzag_decode(zigzag_encode(INT64_MAX)), INT64_MAX);
}

static void test_table_finds_every_entry(void **state)
{
	enum { N = 10000 };
	struct table t = { 0 };

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		table_add(&t, hash_u64(i / 2), i);
	for (uint32_t i = 0; i < N / 2; i++) {
		unsigned int found = 0;

		for (struct table_probe p = table_probe(&t, hash_u64(i)); table_next(&t, &p);)
			found += p.value / 2 == i;
		assert_int_equal(found, 2);
	}
	table_clear(&t);
	struct table_probe p = table_probe(&t, hash_u64(1));
	assert_false(table_next(&t, &p));
	table_deinit(&t);
}

static void test_intern(void **state)
{
	struct intern in;

	(void)state;
	intern_init(&in);
	assert_int_equal(intern_add(&in, ""), 0);
	uint32_t a = intern_add(&in, "main");
	assert_int_equal(intern_add_len(&in, "mainly", 4), a);
	assert_int_not_equal(intern_add(&in, "mainly"), a);
	assert_string_equal(intern_str(&in, a), "main");
	intern_deinit(&in);
}

static void test_codec_round_trip(void **state)
{
	struct codec_ctx *ctx = codec_ctx_create();
	struct buf raw = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_uleb(&raw, i % 7);
	for (enum codec codec = CODEC_NONE; codec <= CODEC_ZSTD; codec++) {
		struct buf out = { 0 };
		uint8_t back[1000];

		if (!codec_available(codec))
			continue;
		assert_null(codec_compress(ctx, codec, &raw, &out));
		assert_null(codec_expand(ctx, codec, cursor(out.data, out.len), back, raw.len));
		assert_memory_equal(back, raw.data, raw.len);
		struct err *err =
			codec_expand(ctx, codec, cursor(out.data, out.len), back, raw.len - 1);
		assert_non_null(err);
		err_destroy(err);
		buf_deinit(&out);
	}
	assert_int_equal(codec_crc32("123456789", 9), 0xcbf43926);
	buf_deinit(&raw);
	codec_ctx_destroy(ctx);
}

static void test_err_keeps_errno_and_offset(void **state)
{
	uint64_t offset = 0;
	struct err *err = err_wrap(err_sys(13, "open %s", "x"), "cannot attach");

	(void)state;
	assert_int_equal(err_errno(err), 13);
	assert_string_equal(err_msg(err), "cannot attach: open x: Permission denied");
	assert_false(err_offset(err, &offset));
	err_destroy(err);
	err = err_at(77, "bad length");
	assert_true(err_offset(err, &offset));
	assert_int_equal(offset, 77);
	err_destroy(err);
}

static void test_diag_counts_by_cause(void **state)
{
	struct diag d = { 0 };

	(void)state;
	diag_add(&d, DIAG_WARNING, "open a", "cannot open %s", "a");
	diag_add(&d, DIAG_WARNING, "open a", "cannot open %s", "a");
	diag_err(&d, DIAG_NOTE, "other", err_new("b"));
	assert_int_equal(d.entries.n, 2);
	assert_int_equal(d.entries.v[0].count, 2);
	assert_string_equal(d.entries.v[0].text, "cannot open a");
	diag_deinit(&d);
}

/* The examples of the DWARF standard, section 7.6, and numbers that are longer than they need. */
static void test_sleb(void **state)
{
	static const struct {
		const char *bytes;
		int64_t value;
	} cases[] = {
		{ "\x02", 2 },
		{ "\x7e", -2 },
		{ "\xff\x00", 127 },
		{ "\x81\x7f", -127 },
		{ "\x80\x01", 128 },
		{ "\x80\x7f", -128 },
		{ "\x81\x01", 129 },
		{ "\xff\x7e", -129 },
		{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", INT64_MIN },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = strlen(cases[i].bytes) + (i == 2);
		struct cursor c = cursor(cases[i].bytes, len);

		assert_int_equal(cursor_sleb(&c), cases[i].value);
		assert_false(c.failed);
		assert_int_equal(cursor_left(&c), 0);
		c = cursor(cases[i].bytes, len - 1);
		cursor_sleb(&c);
		assert_true(c.failed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleb),
		cmocka_unit_test(test_uleb_round_trip),
		cmocka_unit_test(test_uleb_hostile),
		cmocka_unit_test(test_cursor_never_passes_the_end),
		cmocka_unit_test(test_zigzag),
		cmocka_unit_test(test_table_finds_every_entry),
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_codec_round_trip),
		cmocka_unit_test(test_err_keeps_errno_and_offset),
		cmocka_unit_test(test_diag_counts_by_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
