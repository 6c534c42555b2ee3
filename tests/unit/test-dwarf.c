/* DWARF as bytes: values, abbreviations and line tables written out here; a mapped file that
 * shrinks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <dwarf.h>

#include "base/buf.h"
#include "symbol/abbrevs.h"
#include "symbol/filemap.h"
#include "symbol/linetable.h"

static const struct dwarf_encoding encoding = { .version = 5, .addr_len = 8, .off_len = 4 };

static void test_values(void **state)
{
	static const uint8_t bytes[] = {
		0xff,
		0x7f, /* udata 0x3fff */
		0x7f, /* sdata -1 */
		'a',
		0, /* string */
		2,
		9,
		9, /* exprloc */
		DW_FORM_data2,
		0x34,
		0x12, /* indirect */
		0x80,
		0x80,
		0x80,
		0x80,
		0x80,
		0x80,
		0x80,
		0x80,
		0x80,
		0x80,
		0, /* a long udata */
		7,
	};
	struct cursor c = cursor(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(dwarf_number(&c, &encoding, DW_FORM_udata, 0), 0x3fff);
	assert_int_equal((int64_t)dwarf_number(&c, &encoding, DW_FORM_sdata, 0), -1);
	assert_int_equal(dwarf_number(&c, &encoding, DW_FORM_implicit_const, 5), 5);
	assert_true(dwarf_skip_value(&c, &encoding, DW_FORM_string));
	assert_true(dwarf_skip_value(&c, &encoding, DW_FORM_exprloc));
	assert_true(dwarf_skip_value(&c, &encoding, DW_FORM_indirect));
	assert_true(dwarf_skip_value(&c, &encoding, DW_FORM_udata));
	assert_int_equal(dwarf_number(&c, &encoding, DW_FORM_data1, 0), 7);
	assert_int_equal(cursor_left(&c), 0);
	assert_false(dwarf_skip_value(&c, &encoding, DW_FORM_data1));
	c = cursor(bytes, sizeof(bytes));
	assert_false(dwarf_skip_value(&c, &encoding, 0x7777));
}

static void test_abbrevs(void **state)
{
	static const uint8_t bytes[] = {
		1,
		DW_TAG_subprogram,
		1,
		DW_AT_low_pc,
		DW_FORM_addr,
		DW_AT_sibling,
		DW_FORM_ref4,
		0,
		0,
		/* not in order */
		9,
		DW_TAG_variable,
		0,
		DW_AT_name,
		DW_FORM_string,
		0,
		0,
		/* the first of a code counts */
		9,
		DW_TAG_member,
		0,
		0,
		0,
		0,
		3,
		DW_TAG_member,
		0,
		0,
		0,
	};
	struct abbrevs a;

	(void)state;
	abbrevs_init(&a, cursor(bytes, sizeof(bytes)), encoding);
	const struct abbrev *found = abbrevs_find(&a, 9);

	assert_int_equal(found->tag, DW_TAG_variable);
	assert_int_equal(found->fixed_len, -1);
	found = abbrevs_find(&a, 1);
	assert_int_equal(found->tag, DW_TAG_subprogram);
	assert_int_equal(found->fixed_len, 12);
	assert_true(found->has_children && found->has_sibling);
	assert_null(abbrevs_find(&a, 0));
	assert_null(abbrevs_find(&a, 2));
	assert_null(abbrevs_find(&a, 3)); /* after the end */
	assert_int_equal(abbrevs_find(&a, 9)->tag, DW_TAG_variable);
	abbrevs_deinit(&a);
}

/* What both versions share, from minimum_instruction_length on; line_base -3, line_range 12. */
static void put_common(struct buf *b)
{
	static const uint8_t bytes[] = { 1, 1, 1, (uint8_t)-3, 12, 13, 0, 1, 1,
					 1, 1, 0, 0,           0,  1,  0, 0, 1 };

	buf_bytes(b, bytes, sizeof(bytes));
}

static void put_address(struct buf *b, uint64_t addr)
{
	buf_u8(b, 0);
	buf_u8(b, 9);
	buf_u8(b, DW_LNE_set_address);
	buf_u64(b, addr);
}

static void put_end(struct buf *b, uint8_t after)
{
	const uint8_t bytes[] = { DW_LNS_advance_pc, after, 0, 1, DW_LNE_end_sequence };

	buf_bytes(b, bytes, sizeof(bytes));
}

/* Opcode that advances the address by `pc` and the line by `line`, and adds a row. */
static uint8_t special(int pc, int line)
{
	return (uint8_t)(13 + pc * 12 + line + 3);
}

static void put_program(struct buf *b)
{
	put_address(b, 0x2000);
	buf_u8(b, special(0, 4));  /* 0x2000: line 5 */
	buf_u8(b, special(0, 1));  /* the same place: line 6 counts */
	buf_u8(b, special(4, -2)); /* 0x2004: line 4 */
	buf_u8(b, DW_LNS_set_file);
	buf_u8(b, 2);
	buf_u8(b, special(4, 0)); /* 0x2008: line 4 of file 2 */
	put_end(b, 8);
	put_address(b, 0); /* dropped */
	buf_u8(b, special(0, 0));
	put_end(b, 100);
	put_address(b, 0x1000); /* before the other */
	buf_u8(b, special(0, 8));
	put_address(b, 0xf00); /* backwards: a sequence of its own */
	buf_u8(b, special(0, 1));
	put_end(b, 0x10);
}

static struct buf finish(const struct buf *header, uint16_t version)
{
	struct buf all = { 0 }, program = { 0 };

	put_program(&program);
	buf_u32(&all, (uint32_t)(2 + (version == 5 ? 2 : 0) + 4 + header->len + program.len));
	buf_u16(&all, version);
	if (version == 5)
		buf_u16(&all, 8); /* address and segment selector */
	buf_u32(&all, (uint32_t)header->len);
	buf_bytes(&all, header->data, header->len);
	buf_bytes(&all, program.data, program.len);
	buf_deinit(&program);
	return all;
}

static struct buf table_4(void)
{
	static const char lists[] = "sub\0/abs\0\0a.c\0\0\0\0b.h\0\1\0\0c.h\0\2\0\0";
	struct buf header = { 0 };

	put_common(&header);
	buf_bytes(&header, lists, sizeof(lists));
	struct buf all = finish(&header, 4);

	buf_deinit(&header);
	return all;
}

static struct buf table_5(void)
{
	static const uint8_t lists[] = {
		1,
		DW_LNCT_path,
		DW_FORM_string,
		3,
		'/',
		'w',
		0,
		's',
		'u',
		'b',
		0,
		'/',
		'x',
		0,
		2,
		DW_LNCT_path,
		DW_FORM_line_strp,
		DW_LNCT_directory_index,
		DW_FORM_udata,
		3,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		4,
		0,
		0,
		0,
		1,
	};
	struct buf header = { 0 };

	put_common(&header);
	buf_bytes(&header, lists, sizeof(lists));
	struct buf all = finish(&header, 5);

	buf_deinit(&header);
	return all;
}

static struct linetable *table_of(const struct buf *b, struct dwarfsections *s)
{
	static const char strings[] = "a.c\0b.h";

	*s = (struct dwarfsections){ 0 };
	s->of[DWARF_LINE] = cursor(b->data, b->len);
	s->of[DWARF_LINE_STR] = cursor(strings, sizeof(strings));
	return linetable_create(s, 0, 8, "/w");
}

static void assert_at(struct linetable *t, uint64_t addr, uint32_t line, const char *path)
{
	uint64_t file;
	uint32_t found;

	assert_true(linetable_find(t, addr, &file, &found));
	assert_int_equal(found, line);
	assert_string_equal(linetable_file(t, file), path);
}

static void assert_nowhere(struct linetable *t, uint64_t addr)
{
	uint64_t file;
	uint32_t line;

	assert_false(linetable_find(t, addr, &file, &line));
}

static void assert_rows(struct linetable *t)
{
	assert_at(t, 0x2000, 6, "/w/a.c");
	assert_at(t, 0x2003, 6, "/w/a.c");
	assert_at(t, 0x2004, 4, "/w/a.c");
	assert_at(t, 0x2008, 4, "/w/sub/b.h");
	assert_at(t, 0x200f, 4, "/w/sub/b.h");
	assert_at(t, 0xf00, 10, "/w/a.c");
	assert_nowhere(t, 0x2010);
	assert_nowhere(t, 0x1fff);
	assert_nowhere(t, 0x10);
	assert_nowhere(t, 0xf10);
}

static void test_lines_4(void **state)
{
	struct buf b = table_4();
	struct dwarfsections s;
	struct linetable *t = table_of(&b, &s);

	(void)state;
	assert_rows(t);
	assert_string_equal(linetable_file(t, 3), "/abs/c.h");
	assert_null(linetable_file(t, 0));
	assert_null(linetable_file(t, 4));
	assert_ptr_equal(linetable_file(t, 1), linetable_file(t, 1));
	linetable_destroy(t);
	buf_deinit(&b);
}

static void test_lines_5(void **state)
{
	struct buf b = table_5();
	struct dwarfsections s;
	struct linetable *t = table_of(&b, &s);

	(void)state;
	assert_rows(t);
	assert_string_equal(linetable_file(t, 0), "/w/a.c");
	assert_null(linetable_file(t, UINT64_MAX));
	linetable_destroy(t);
	buf_deinit(&b);
}

/* Every cut and every byte turned: no crash, no endless loop. */
static void test_lines_damaged(void **state)
{
	struct buf b = table_5();
	struct dwarfsections s;
	size_t len = b.len;
	uint64_t file;
	uint32_t line;

	(void)state;
	for (size_t i = 0; i < 2 * len; i++) {
		uint8_t was = b.data[i % len];

		b.len = i < len ? i : len;
		b.data[i % len] = i < len ? was : (uint8_t)~was;
		struct linetable *t = table_of(&b, &s);

		if (linetable_find(t, 0x2004, &file, &line))
			linetable_file(t, file);
		linetable_destroy(t);
		b.data[i % len] = was;
	}
	buf_deinit(&b);
}

static void test_file_shrinks(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("shrinks", MFD_CLOEXEC);
	struct filemap *m, *other;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)(3 * page)), 0);
	assert_int_equal(pwrite(fd, "x", 1, (off_t)(2 * page)), 1);
	assert_null(filemap_open(fd, &m));
	assert_null(filemap_open(fd, &other));
	const volatile char *data = filemap_data(m);

	assert_int_equal(filemap_len(m), 3 * page);
	assert_int_equal(data[2 * page], 'x');
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	assert_int_equal(data[2 * page], 0);
	assert_int_equal(data[3 * page - 1], 0);
	filemap_close(m);
	assert_int_equal(((const volatile char *)filemap_data(other))[page], 0);
	filemap_close(other);
	assert_int_equal(ftruncate(fd, 0), 0);
	struct err *err = filemap_open(fd, &m);

	assert_non_null(err);
	err_destroy(err);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),        cmocka_unit_test(test_abbrevs),
		cmocka_unit_test(test_lines_4),       cmocka_unit_test(test_lines_5),
		cmocka_unit_test(test_lines_damaged), cmocka_unit_test(test_file_shrinks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
