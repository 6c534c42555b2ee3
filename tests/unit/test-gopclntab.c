/* Functions, inlined calls, lines and rows for unwinding from the table of a program by Go, written
 * here by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/elfwrite.h"
#include "symbol/gopclntab.h"
#include "unwind/cfi.h"

enum {
	TEXT = 0x401000,
	TABLE = 0x500000,
	TREE = 0x600000,
	MODULE = 0x700000,
	FILE_OFF = 0x1000, /* of each, in the file: the address's third digit times this */
	LEN = 0x1000,
	FLAG_TOP_FRAME = 1,
	FLAG_ASM = 4,
};

struct go {
	uint32_t magic;
	bool no_module;
	bool pie; /* where the code is stands in a relocation */
	uint16_t machine;
	bool assembly; /* main.main */
	int64_t moved; /* of the stack pointer, in the middle of main.main; 0: 0x18 bytes */
	struct buf table, tree, module;
	struct elffile *file;
	struct gopclntab *g;
};

static bool is_120(const struct go *go)
{
	return go->magic == 0xfffffff1;
}

/* What holds for how many bytes; the first is the difference from -1. */
static uint32_t put_numbers(struct buf *out, size_t base, const int64_t (*runs)[2], size_t n)
{
	uint32_t at = (uint32_t)(out->len - base);
	int64_t last = -1;

	for (size_t i = 0; i < n; i++) {
		buf_zigzag(out, runs[i][0] - last);
		buf_uleb(out, (uint64_t)runs[i][1]);
		last = runs[i][0];
	}
	buf_u8(out, 0);
	return at;
}

/* `numbers`: of files, lines, calls inlined, the stack pointer. */
static void put_function(struct go *go, uint32_t start, uint32_t name, const uint32_t numbers[4],
			 uint32_t flags)
{
	struct buf *t = &go->table;

	buf_u32(t, start);
	buf_u32(t, name);
	buf_u32(t, 0);
	buf_u32(t, 0);
	buf_u32(t, numbers[3]);
	buf_u32(t, numbers[0]);
	buf_u32(t, numbers[1]);
	buf_u32(t, 3); /* PCDATA: the third says what is inlined */
	buf_u32(t, 1); /* where its unit's files begin */
	if (is_120(go))
		buf_u32(t, 0);
	buf_u32(t, 4U << 24 | flags << 8);
	buf_u32(t, 0);
	buf_u32(t, 0);
	buf_u32(t, numbers[2]);
	for (int i = 0; i < 3; i++)
		buf_u32(t, UINT32_MAX);
	buf_u32(t, numbers[2] ? 8 : UINT32_MAX); /* FUNCDATA: where the tree is */
}

static void set_u64(struct buf *b, size_t off, uint64_t v)
{
	memcpy(b->data + off, &v, sizeof(v));
}

/* main.main has 0x40 bytes, of which 0x10 are main.leaf's; then comes main.other. */
static void make_table(struct go *go)
{
	static const int64_t files[][2] = { { 0, 0x10 }, { 1, 0x10 }, { 0, 0x20 } };
	static const int64_t lines[][2] = { { 10, 0x10 }, { 5, 0x10 }, { 12, 0x20 } };
	static const int64_t inlined[][2] = { { -1, 0x10 }, { 0, 0x10 }, { -1, 0x20 } };
	const int64_t moved[][2] = { { 0, 4 }, { go->moved ?: 0x18, 0x38 }, { 0, 4 } };
	static const int64_t other_moved[][2] = { { 8, 0x40 } };
	static const int64_t other[][2] = { { 30, 0x40 } };
	static const int64_t other_file[][2] = { { 1, 0x40 } };
	struct buf *t = &go->table;

	buf_u32(t, go->magic);
	buf_u16(t, 0);
	buf_u8(t, 1);
	buf_u8(t, 8);
	buf_u64(t, 2);
	buf_u64(t, 2);
	buf_u64(t, go->pie ? 0 : TEXT);
	size_t offsets = t->len;

	for (int i = 0; i < 5; i++)
		buf_u64(t, 0);
	set_u64(t, offsets, t->len);
	buf_bytes(t, "main.main\0main.leaf\0main.other", 31);
	set_u64(t, offsets + 8, t->len);
	buf_u32(t, UINT32_MAX);
	buf_u32(t, 0);
	buf_u32(t, 8);
	set_u64(t, offsets + 16, t->len);
	buf_bytes(t, "main.go\0leaf.go", 16);
	size_t base = t->len;

	set_u64(t, offsets + 24, base);
	buf_u8(t, 0);
	uint32_t first[4] = { put_numbers(t, base, files, 3), put_numbers(t, base, lines, 3),
			      put_numbers(t, base, inlined, 3), put_numbers(t, base, moved, 3) };
	uint32_t second[4] = { put_numbers(t, base, other_file, 1), put_numbers(t, base, other, 1),
			       0, put_numbers(t, base, other_moved, 1) };

	set_u64(t, offsets + 32, t->len);
	buf_u32(t, 0);
	buf_u32(t, 20);
	buf_u32(t, 0x40);
	buf_u32(t, is_120(go) ? 20 + 72 : 20 + 68);
	buf_u32(t, 0x80);
	put_function(go, 0, 0, first, go->assembly ? FLAG_ASM : 0);
	put_function(go, 0x40, 20, second, FLAG_TOP_FRAME);
	buf_u32(&go->tree, 0);
	if (!is_120(go))
		buf_u64(&go->tree, 0);
	buf_u32(&go->tree, 10); /* main.leaf */
	buf_u32(&go->tree, 4);  /* called where line 10 is */
	buf_u32(&go->tree, 0);
	/* moduledata: what it says of the table, then where trees are. */
	static const unsigned int words[] = { 1, 4, 7, 10, 13 };

	for (int i = 0; i < 41; i++)
		buf_u64(&go->module, 0);
	set_u64(&go->module, 0, TABLE);
	for (size_t i = 0; i < 5; i++) {
		uint64_t off;

		memcpy(&off, t->data + offsets + 8 * i, sizeof(off));
		set_u64(&go->module, (size_t)8 * words[i], TABLE + off);
	}
	set_u64(&go->module, (size_t)8 * (is_120(go) ? 40 : 38), TREE);
}

static void go_begin(struct go *go)
{
	struct elfwrite e;
	Elf64_Rela rela = { TABLE + 24, R_X86_64_RELATIVE, TEXT };
	struct err *err;

	if (!go->table.len)
		make_table(go);
	elfwrite_init(&e, true, ET_EXEC, go->machine ?: EM_X86_64);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, FILE_OFF, TEXT, LEN);
	elfwrite_section(&e, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, FILE_OFF, LEN);
	elfwrite_segment(&e, PT_LOAD, PF_R, 2 * FILE_OFF, TREE, LEN);
	elfwrite_section(&e, go->pie ? ".data.rel.ro.gopclntab" : ".gopclntab", SHT_PROGBITS,
			 SHF_ALLOC, TABLE, 3 * FILE_OFF, go->table.len);
	elfwrite_section(&e, ".noptrdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, MODULE,
			 4 * FILE_OFF, go->no_module ? 0 : go->module.len);
	uint16_t relas = elfwrite_section(&e, ".rela.dyn", SHT_RELA, SHF_ALLOC, 0, 5 * FILE_OFF,
					  sizeof(rela));

	e.shdrs.v[relas].sh_entsize = sizeof(rela);
	elfwrite_bytes(&e, FILE_OFF + LEN - 1, "", 1);
	elfwrite_bytes(&e, 2 * FILE_OFF + 8, go->tree.data, go->tree.len);
	elfwrite_bytes(&e, 3 * FILE_OFF, go->table.data, go->table.len);
	elfwrite_bytes(&e, 4 * FILE_OFF, go->module.data, go->module.len);
	elfwrite_bytes(&e, 5 * FILE_OFF, &rela, sizeof(rela));
	elfwrite_finish(&e);
	int fd = elfwrite_fd(&e);

	assert_true(fd >= 0);
	err = elffile_open(fd, &go->file);
	assert_null(err);
	close(fd);
	elfwrite_deinit(&e);
	go->g = gopclntab_open(go->file);
}

static void go_end(struct go *go)
{
	gopclntab_destroy(go->g);
	elffile_destroy(go->file);
	buf_deinit(&go->table);
	buf_deinit(&go->tree);
	buf_deinit(&go->module);
}

static void expect(const struct go *go, uint64_t svma, const char *want)
{
	struct debug_line chain[DEBUGINFO_MAX_CHAIN];
	struct buf have = { 0 };
	size_t n = gopclntab_find(go->g, svma, chain);

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *one = xasprintf("%s%s %s:%u", i ? ", " : "", chain[i].name,
						     chain[i].file ?: "?", chain[i].line);

		assert_null(chain[i].linkage);
		buf_bytes(&have, one, strlen(one));
	}
	buf_u8(&have, 0);
	assert_string_equal((char *)have.data, want);
	buf_deinit(&have);
}

static void expect_all(const struct go *go)
{
	assert_non_null(go->g);
	expect(go, TEXT, "main.main main.go:10");
	expect(go, TEXT + 0x0f, "main.main main.go:10");
	expect(go, TEXT + 0x10, "main.leaf leaf.go:5, main.main main.go:10");
	expect(go, TEXT + 0x1f, "main.leaf leaf.go:5, main.main main.go:10");
	expect(go, TEXT + 0x20, "main.main main.go:12");
	expect(go, TEXT + 0x40, "main.other leaf.go:30");
	expect(go, TEXT + 0x7f, "main.other leaf.go:30");
	expect(go, TEXT + 0x80, "");
	expect(go, TEXT - 1, "");
}

static void test_versions(void **state)
{
	static const uint32_t magics[] = { 0xfffffff0, 0xfffffff1 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct go go = { .magic = magics[i] };

		go_begin(&go);
		expect_all(&go);
		go_end(&go);
	}
}

static void test_another_version(void **state)
{
	struct go go = { .magic = 0xfffffffb };

	(void)state;
	go_begin(&go);
	assert_null(go.g);
	go_end(&go);
}

static void test_relocated(void **state)
{
	struct go go = { .magic = 0xfffffff1, .pie = true };

	(void)state;
	go_begin(&go);
	expect_all(&go);
	go_end(&go);
}

/* Something is inlined, and nobody knows what: its line is not that of the function around it. */
static void test_inlined_call_not_known(void **state)
{
	struct go go = { .magic = 0xfffffff1, .no_module = true };

	(void)state;
	go_begin(&go);
	assert_non_null(go.g);
	expect(&go, TEXT, "main.main main.go:10");
	expect(&go, TEXT + 0x10, "main.main ?:0");
	expect(&go, TEXT + 0x20, "main.main main.go:12");
	go_end(&go);
	go = (struct go){ .magic = 0xfffffff1 };
	make_table(&go);
	go.tree.data[4]++; /* into the middle of a name */
	go_begin(&go);
	expect(&go, TEXT + 0x10, "main.main ?:0");
	go_end(&go);
}

static void test_functions(void **state)
{
	struct go go = { .magic = 0xfffffff1 };
	struct go_function f;

	(void)state;
	go_begin(&go);
	assert_int_equal(gopclntab_n(go.g), 2);
	assert_true(gopclntab_get(go.g, 1, &f));
	assert_int_equal(f.start, TEXT + 0x40);
	assert_int_equal(f.end, TEXT + 0x80);
	assert_string_equal(f.name, "main.other");
	assert_false(gopclntab_get(go.g, 2, &f));
	go_end(&go);
}

static void expect_row(struct cfi *c, uint64_t svma, enum row_save fp, int32_t cfa_off,
		       enum row_save ra, int32_t ra_off)
{
	struct row row = cfi_row(c, svma);

	assert_int_equal(row.cfa, ROW_CFA_SP);
	assert_int_equal(row.cfa_off, cfa_off);
	assert_int_equal(row.fp, fp);
	assert_int_equal(row.ra, ra);
	if (ra == ROW_AT_CFA)
		assert_int_equal(row.ra_off, ra_off);
	assert_false(row.signal);
}

static void expect_no_row(struct cfi *c, uint64_t svma)
{
	assert_int_equal(cfi_row(c, svma).cfa, ROW_NONE);
}

/* The call pushed the return address; nothing called main.other. Below it is rbp, once the prologue
 * has had room to save it. */
static void test_rows(void **state)
{
	struct go go = { .magic = 0xfffffff1 };

	(void)state;
	go_begin(&go);
	struct cfi *c = cfi_create(go.file, &arch_x86_64);

	expect_row(c, TEXT, ROW_SAME, 8, ROW_AT_CFA, -8);
	expect_row(c, TEXT + 3, ROW_SAME, 8, ROW_AT_CFA, -8);
	expect_row(c, TEXT + 4, ROW_UNDEFINED, 0x20, ROW_AT_CFA, -8);
	expect_row(c, TEXT + 0xb, ROW_UNDEFINED, 0x20, ROW_AT_CFA, -8);
	assert_false(cfi_row(c, TEXT + 0xb).framed);
	expect_row(c, TEXT + 0xc, ROW_AT_CFA, 0x20, ROW_AT_CFA, -8);
	expect_row(c, TEXT + 0x3b, ROW_AT_CFA, 0x20, ROW_AT_CFA, -8);
	assert_int_equal(cfi_row(c, TEXT + 0x3b).fp_off, -16);
	assert_true(cfi_row(c, TEXT + 0x3b).framed);
	expect_row(c, TEXT + 0x3c, ROW_SAME, 8, ROW_AT_CFA, -8);
	assert_false(cfi_row(c, TEXT + 0x3c).framed);
	expect_row(c, TEXT + 0x40, ROW_UNDEFINED, 0x10, ROW_UNDEFINED, 0);
	assert_int_equal(cfi_n_rows(c), 5);
	expect_no_row(c, TEXT - 1);
	expect_no_row(c, TEXT + 0x80);
	cfi_destroy(c);
	go_end(&go);
}

/* What assembly does with rbp is not known. */
static void test_rows_of_assembly(void **state)
{
	struct go go = { .magic = 0xfffffff1, .assembly = true };

	(void)state;
	go_begin(&go);
	struct cfi *c = cfi_create(go.file, &arch_x86_64);

	expect_row(c, TEXT + 0x10, ROW_UNDEFINED, 0x20, ROW_AT_CFA, -8);
	assert_false(cfi_row(c, TEXT + 0x10).framed);
	cfi_destroy(c);
	go_end(&go);
}

/* The call left the return address in a register; a frame has it at its end. */
static void test_rows_with_link_register(void **state)
{
	struct go go = { .magic = 0xfffffff0, .machine = EM_AARCH64 };

	(void)state;
	go_begin(&go);
	struct cfi *c = cfi_create(go.file, &arch_aarch64);

	expect_row(c, TEXT, ROW_SAME, 0, ROW_SAME, 0);
	expect_row(c, TEXT + 4, ROW_UNDEFINED, 0x18, ROW_AT_CFA, -0x18);
	cfi_destroy(c);
	go_end(&go);
}

static void test_rows_that_cannot_be(void **state)
{
	static const int64_t moved[] = { -8, INT32_MAX, INT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		struct go go = { .magic = 0xfffffff1, .moved = moved[i] };

		go_begin(&go);
		struct cfi *c = cfi_create(go.file, &arch_x86_64);

		expect_row(c, TEXT, ROW_SAME, 8, ROW_AT_CFA, -8);
		expect_no_row(c, TEXT + 4);
		cfi_destroy(c);
		go_end(&go);
	}
}

/* Cut anywhere, or with any byte changed: other answers, or none, but no more than that. */
static void test_damage(void **state)
{
	struct go whole = { .magic = 0xfffffff1 };

	(void)state;
	go_begin(&whole);
	for (size_t i = 0; i < 2 * whole.table.len; i++) {
		struct go go = { .magic = 0xfffffff1 };
		struct debug_line chain[DEBUGINFO_MAX_CHAIN];
		struct go_function f;

		make_table(&go);
		if (i < go.table.len)
			go.table.data[i] ^= 0xff;
		else
			go.table.len = i - go.table.len;
		if (!go.table.len)
			buf_u8(&go.table, 0);
		go_begin(&go);
		struct cfi *c = cfi_create(go.file, &arch_x86_64);

		for (uint64_t at = TEXT; at < TEXT + 0x90; at += 4) {
			if (go.g)
				gopclntab_find(go.g, at, chain);
			cfi_row(c, at);
		}
		cfi_destroy(c);
		for (uint32_t k = 0; go.g && k < gopclntab_n(go.g) && k < 100; k++)
			gopclntab_get(go.g, k, &f);
		go_end(&go);
	}
	go_end(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_another_version),
		cmocka_unit_test(test_relocated),
		cmocka_unit_test(test_inlined_call_not_known),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_of_assembly),
		cmocka_unit_test(test_rows_with_link_register),
		cmocka_unit_test(test_rows_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
