/* jitdump files written by hand: loads, moves, lines, reuse of addresses, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/jitwrite.h"
#include "symbol/jitbytes.h"

/* The flags are the header's last field. */
static void set_flags(struct buf *b, uint8_t flags)
{
	b->data[32] = flags;
}

static void put_code_at(struct buf *b, uint64_t time_ns, uint64_t start, uint64_t index,
			const char *name, const char *code)
{
	uint8_t bytes[0x100];

	memset(bytes, code ? *code : 0, sizeof(bytes));
	jitwrite_load(b, time_ns, start, sizeof(bytes), index, name, bytes,
		      code ? sizeof(bytes) : 0);
}

/* Without its bytes. */
static void put_load_at(struct buf *b, uint64_t time_ns, uint64_t start, uint64_t index,
			const char *name)
{
	put_code_at(b, time_ns, start, index, name, NULL);
}

static void put_load(struct buf *b, uint64_t start, uint64_t index, const char *name)
{
	put_load_at(b, 5, start, index, name);
}

static void put_move(struct buf *b, uint64_t from, uint64_t to, uint64_t index)
{
	jitwrite_move(b, 9, from, to, 0x100, index);
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

/* "a@5 b@9": what was there from when on. Valid until the next call. */
static const char *history(const struct jitdump *d, const struct jitdump_span *span, uint64_t addr)
{
	static char text[256];
	jitdump_changes changes = { 0 };
	size_t len = 0;

	*text = '\0';
	jitdump_find(d, &addr, 1, span, &changes);
	for (size_t i = 0; i < changes.n; i++) {
		const struct jitdump_change *c = &changes.v[i];

		assert_int_equal(c->addr, 0);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s@%d", i ? " " : "",
					d->code.v[c->code].name, (int)c->from_ns);
	}
	vec_deinit(&changes);
	return text;
}

static const struct jitdump_span whole_run = { 0, 1000 };

static void test_load_and_move(void **state)
{
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	put_load(&b, 0x1000, 1, "a");
	put_load(&b, 0x2000, 2, "b");
	put_move(&b, 0x1000, 0x3000, 1);
	struct jitdump d = dump_of(&b);

	assert_string_equal(history(&d, &whole_run, 0xfff), "");
	assert_string_equal(history(&d, &whole_run, 0x1000), "a@5");
	assert_string_equal(history(&d, &whole_run, 0x3000), "a@9");
	assert_string_equal(history(&d, &whole_run, 0x30ff), "a@9");
	assert_string_equal(history(&d, &whole_run, 0x3100), "");
	assert_string_equal(history(&d, &whole_run, 0x2001), "b@5");
	jitdump_deinit(&d);
	buf_deinit(&b);
}

/* The last code of that number at that place moves, and goes on moving. */
static void test_moves(void **state)
{
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	put_load_at(&b, 1, 0x1000, 1, "old");
	put_load_at(&b, 2, 0x1000, 1, "new");
	put_load_at(&b, 3, 0x1000, 2, "other");
	put_move(&b, 0x1000, 0x2000, 1);
	put_move(&b, 0x2000, 0x3000, 1);
	put_move(&b, 0x5000, 0x6000, 1);
	struct jitdump d = dump_of(&b);

	assert_string_equal(history(&d, &whole_run, 0x1000), "old@1 new@2 other@3");
	assert_string_equal(history(&d, &whole_run, 0x2000), "new@9");
	assert_string_equal(history(&d, &whole_run, 0x3000), "new@9");
	assert_string_equal(history(&d, &whole_run, 0x6000), "");
	jitdump_deinit(&d);
	buf_deinit(&b);
}

/* One address at two times is two functions. */
static void test_reuse(void **state)
{
	const struct jitdump_span late = { 20, 1000 }, early = { 0, 19 };
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	put_load_at(&b, 10, 0x1000, 1, "old");
	put_load_at(&b, 20, 0x1080, 2, "new");
	put_load_at(&b, 40, 0x1000, 3, "last"); /* out of order, as threads write */
	put_load_at(&b, 30, 0x1000, 4, "third");
	put_load_at(&b, 30, 0x1000, 5, "same time");
	struct jitdump d = dump_of(&b);

	assert_string_equal(history(&d, &whole_run, 0x1000), "old@10 same time@30 last@40");
	assert_string_equal(history(&d, &whole_run, 0x1080), "old@10 new@20 same time@30 last@40");
	assert_string_equal(history(&d, &whole_run, 0x1100), "new@20");
	/* What was there before the span ends with what was there when it began. */
	assert_string_equal(history(&d, &late, 0x1080), "new@20 same time@30 last@40");
	assert_string_equal(history(&d, &early, 0x1080), "old@10");
	assert_string_equal(history(&d, &early, 0x1100), "");
	/* Without times the file's order is all there is. */
	assert_string_equal(history(&d, NULL, 0x1000), "same time@30");
	jitdump_deinit(&d);
	buf_deinit(&b);
}

/* However often an address is used: the latest stay. */
static void test_many_changes(void **state)
{
	enum { N = 3 * JITDUMP_CHANGES_MAX };
	const uint64_t addrs[] = { 0x1000, 0x1001, 0x2000 };
	jitdump_changes changes = { 0 };
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	for (unsigned int i = 0; i < N; i++)
		put_load_at(&b, i, 0x1000, i, i % 2 ? "odd" : "even");
	struct jitdump d = dump_of(&b);

	jitdump_find(&d, addrs, 3, &(struct jitdump_span){ 0, N }, &changes);
	assert_int_equal(changes.n, 2 * JITDUMP_CHANGES_MAX);
	for (uint32_t i = 0; i < changes.n; i++) {
		assert_int_equal(changes.v[i].addr, i / JITDUMP_CHANGES_MAX);
		assert_int_equal(changes.v[i].from_ns,
				 N - JITDUMP_CHANGES_MAX + i % JITDUMP_CHANGES_MAX);
	}
	vec_deinit(&changes);
	jitdump_deinit(&d);
	buf_deinit(&b);
}

static void test_clocks(void **state)
{
	const struct jitdump_span span = { 10, 20 };
	const uint64_t day = 86400000000000;
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	put_load_at(&b, 21 + 2 * day, 0x1000, 1, "far");
	struct jitdump d = dump_of(&b);

	assert_false(jitdump_has_times(&d, &span));
	jitdump_deinit(&d);
	put_load_at(&b, 20 + day / 2, 0x1000, 1, "later");
	d = dump_of(&b);
	assert_true(jitdump_has_times(&d, &span));
	jitdump_deinit(&d);
	set_flags(&b, 1);
	d = dump_of(&b);
	assert_false(jitdump_has_times(&d, &span));
	jitdump_deinit(&d);
	buf_deinit(&b);
}

/* The line, and the file's first letter in front of it: "f7". Valid until the next call. */
static const char *line_at(const struct jitdump *d, uint64_t addr)
{
	static char text[32];
	jitdump_changes changes = { 0 };

	jitdump_find(d, &addr, 1, &whole_run, &changes);
	assert_int_equal(changes.n, 1);
	const struct jitdump_line *line = jitdump_line(d, &d->code.v[changes.v[0].code], addr);

	vec_deinit(&changes);
	if (!line)
		return "none";
	snprintf(text, sizeof(text), "%c%u", line->file[0], line->line);
	return text;
}

/* `shift` is V8's. */
static void check_lines(uint64_t shift)
{
	struct buf b = { 0 }, body = { 0 };

	jitwrite_header(&b);
	buf_u64(&body, 0x1000);
	buf_u64(&body, 5);
	put_line(&body, 0x1000 + shift, 7, "f.js");
	put_line(&body, 0x1010 + shift, 9, "g.js");
	put_line(&body, 0x1020 + shift, 11, "\xeb\x01");
	put_line(&body, 0x1040 + shift, 14, "h.js");
	put_line(&body, 0x1030 + shift, 13, "\xff"); /* the file before; not in order */
	jitwrite_record(&b, 2, 1, &body);
	put_load(&b, 0x1000, 1, "a");
	put_load(&b, 0x2000, 2, "without");
	struct jitdump d = dump_of(&b);

	assert_string_equal(line_at(&d, 0x1000), "f7");
	assert_string_equal(line_at(&d, 0x100f), "f7");
	assert_string_equal(line_at(&d, 0x1010), "g9");
	assert_string_equal(line_at(&d, 0x1020), "none");
	assert_string_equal(line_at(&d, 0x1030), "h13");
	assert_string_equal(line_at(&d, 0x10ff), "h14");
	assert_string_equal(line_at(&d, 0x2000), "none");
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
	jitwrite_header(&b);
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

static char code_at(const struct jitdump *d, uint64_t addr, const char *name)
{
	const struct jitdump_code *code;
	_cleanup_err_ struct err *err = jitbytes_find(d, addr, name, &code);

	return err ? 0 : (char)code->bytes[addr - code->start];
}

/* The bytes of one function of several at an address; none where they are not all there, or differ.
 */
static void test_code(void **state)
{
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	put_code_at(&b, 1, 0x1000, 1, "a", "A");
	put_code_at(&b, 2, 0x1000, 2, "b", "B");
	put_move(&b, 0x1000, 0x3000, 2);
	put_load(&b, 0x1000, 3, "without");
	put_code_at(&b, 3, 0x5000, 4, "twice", "X");
	put_code_at(&b, 4, 0x5000, 5, "twice", "Y");
	put_code_at(&b, 5, 0x6000, 6, "same", "S");
	put_code_at(&b, 6, 0x6000, 7, "same", "S");
	struct jitdump d = dump_of(&b);

	assert_int_equal(code_at(&d, 0x1000, "a"), 'A');
	assert_int_equal(code_at(&d, 0x10ff, "b"), 'B');
	assert_int_equal(code_at(&d, 0x3010, "b"), 'B');
	assert_int_equal(code_at(&d, 0x1100, "b"), 0);
	assert_int_equal(code_at(&d, 0x3010, "a"), 0);
	assert_int_equal(code_at(&d, 0x1000, "without"), 0);
	assert_int_equal(code_at(&d, 0x5000, "twice"), 0);
	assert_int_equal(code_at(&d, 0x6000, "same"), 'S');
	/* Whatever its name, if there was one. */
	assert_int_equal(code_at(&d, 0x3010, NULL), 'B');
	assert_int_equal(code_at(&d, 0x6000, NULL), 'S');
	assert_int_equal(code_at(&d, 0x1000, NULL), 0);
	jitdump_deinit(&d);
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
		cmocka_unit_test(test_load_and_move), cmocka_unit_test(test_moves),
		cmocka_unit_test(test_reuse),         cmocka_unit_test(test_many_changes),
		cmocka_unit_test(test_clocks),        cmocka_unit_test(test_lines),
		cmocka_unit_test(test_cut),           cmocka_unit_test(test_not_a_dump),
		cmocka_unit_test(test_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
