/* jitdump files written by hand: loads, moves, lines, reuse of addresses, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/buf.h"
#include "symbol/jitdump.h"

static void put_header(struct buf *b)
{
	buf_u32(b, 0x4a695444);
	buf_u32(b, 1);
	buf_u32(b, 40);
	for (int i = 0; i < 7; i++)
		buf_u32(b, 0);
}

static void put_record(struct buf *b, uint32_t id, uint64_t time_ns, const struct buf *body)
{
	buf_u32(b, id);
	buf_u32(b, (uint32_t)(16 + body->len));
	buf_u64(b, time_ns);
	buf_bytes(b, body->data, body->len);
}

static void put_load(struct buf *b, uint64_t start, uint64_t index, const char *name)
{
	struct buf body = { 0 };

	buf_u64(&body, 0);
	buf_u64(&body, start);
	buf_u64(&body, start);
	buf_u64(&body, 0x100);
	buf_u64(&body, index);
	buf_cstr(&body, name);
	put_record(b, 0, 5, &body);
	buf_deinit(&body);
}

static void put_move(struct buf *b, uint64_t from, uint64_t to, uint64_t index)
{
	struct buf body = { 0 };

	buf_u64(&body, 0);
	buf_u64(&body, to);
	buf_u64(&body, from);
	buf_u64(&body, to);
	buf_u64(&body, 0x100);
	buf_u64(&body, index);
	put_record(b, 1, 9, &body);
	buf_deinit(&body);
}

static void put_line(struct buf *b, uint64_t addr, uint32_t line, const char *file)
{
	buf_u64(b, addr);
	buf_u32(b, line);
	buf_u32(b, 0);
	buf_cstr(b, file);
}

static struct jitdump dump_of(const struct buf *b)
{
	_cleanup_close_ int fd = memfd_create("dump", MFD_CLOEXEC);
	struct jitdump d;

	assert_int_equal(write(fd, b->data, b->len), b->len);
	assert_true(jitdump_is(fd));
	struct err *err = jitdump_read(fd, &d);

	assert_null(err);
	return d;
}

static const char *name_at(const struct jitdump *d, uint64_t addr)
{
	uint32_t found;

	jitdump_find(d, &addr, 1, &found);
	return found == JITDUMP_NONE      ? "none"
	       : found == JITDUMP_SEVERAL ? "several"
					  : d->code.v[found].name;
}

static void test_load_and_move(void **state)
{
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	put_load(&b, 0x1000, 1, "a");
	put_load(&b, 0x2000, 2, "b");
	put_move(&b, 0x1000, 0x3000, 1);
	struct jitdump d = dump_of(&b);

	assert_string_equal(name_at(&d, 0x1000), "a");
	assert_string_equal(name_at(&d, 0x30ff), "a");
	assert_string_equal(name_at(&d, 0x3100), "none");
	assert_string_equal(name_at(&d, 0x2001), "b");
	jitdump_deinit(&d);
	buf_deinit(&b);
}

/* One address at two times is two functions: no name is better than a wrong one. */
static void test_reuse(void **state)
{
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	put_load(&b, 0x1000, 1, "old");
	put_load(&b, 0x1080, 2, "new");
	put_load(&b, 0x4000, 3, "same");
	put_load(&b, 0x4000, 4, "same");
	struct jitdump d = dump_of(&b);

	assert_string_equal(name_at(&d, 0x1000), "old");
	assert_string_equal(name_at(&d, 0x1080), "several");
	assert_string_equal(name_at(&d, 0x1100), "new");
	assert_string_equal(name_at(&d, 0x4010), "same");
	jitdump_deinit(&d);
	buf_deinit(&b);
}

static uint32_t line_at(const struct jitdump *d, uint64_t addr)
{
	uint32_t found;

	jitdump_find(d, &addr, 1, &found);
	const struct jitdump_line *line = jitdump_line(d, &d->code.v[found], addr);

	return line ? line->line : 0;
}

/* `shift` is V8's. */
static void check_lines(uint64_t shift)
{
	struct buf b = { 0 }, body = { 0 };

	put_header(&b);
	buf_u64(&body, 0x1000);
	buf_u64(&body, 3);
	put_line(&body, 0x1000 + shift, 7, "f.js");
	put_line(&body, 0x1010 + shift, 9, "f.js");
	put_line(&body, 0x1020 + shift, 11, "\xeb\x01");
	put_record(&b, 2, 1, &body);
	put_load(&b, 0x1000, 1, "a");
	put_load(&b, 0x2000, 2, "without");
	struct jitdump d = dump_of(&b);

	assert_int_equal(line_at(&d, 0x1000), 7);
	assert_int_equal(line_at(&d, 0x100f), 7);
	assert_int_equal(line_at(&d, 0x1010), 9);
	assert_int_equal(line_at(&d, 0x1020), 0);
	assert_int_equal(line_at(&d, 0x2000), 0);
	jitdump_deinit(&d);
	buf_deinit(&b);
	buf_deinit(&body);
}

static void test_lines(void **state)
{
	(void)state;
	check_lines(0);
	check_lines(64);
}

/* Cut at every byte: what is whole stays. */
static void test_cut(void **state)
{
	struct buf b = { 0 };

	(void)state;
	put_header(&b);
	put_load(&b, 0x1000, 1, "a");
	size_t whole = b.len;

	put_load(&b, 0x2000, 2, "b");
	size_t all = b.len;

	for (b.len = 40; b.len < all; b.len++) {
		struct jitdump d = dump_of(&b);

		assert_int_equal(d.code.n, b.len >= whole);
		jitdump_deinit(&d);
	}
	buf_deinit(&b);
}

static void test_not_a_dump(void **state)
{
	_cleanup_close_ int fd = memfd_create("dump", MFD_CLOEXEC);
	struct jitdump d;

	(void)state;
	assert_int_equal(write(fd, "1000 10 a\n", 10), 10);
	assert_false(jitdump_is(fd));
	struct err *err = jitdump_read(fd, &d);

	assert_non_null(err);
	err_destroy(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_and_move), cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_lines),         cmocka_unit_test(test_cut),
		cmocka_unit_test(test_not_a_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
