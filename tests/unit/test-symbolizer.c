/* Unit tests of the symbolizer on ELF files written here: which symbol covers a place, and what
 * stands in where none does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "symbol-scene.h"

static void test_sized_symbols_cover_their_range(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "second", 0x140, 0x20);
	func(&s, "first", 0x100, 0x20);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0xff), "[prog]");
	assert_string_equal(name_at(&s, 0x100), "first");
	assert_string_equal(name_at(&s, 0x11f), "first");
	assert_string_equal(name_at(&s, 0x120), "[prog]");
	assert_string_equal(name_at(&s, 0x140), "second");
	assert_string_equal(name_at(&s, 0x160), "[prog]");
	assert_int_equal(flags_at(&s, 0x100), NAME_FOUND);
	assert_int_equal(flags_at(&s, 0x120), 0);
	assert_true(symbolizer_status(s.symbolizer, s.binary)->opened);
	assert_true(symbolizer_status(s.symbolizer, s.binary)->has_symtab);
	assert_false(symbolizer_status(s.symbolizer, s.binary)->has_dynsym);
	assert_null(symbolizer_status(s.symbolizer, s.binary)->why);
	scene_end(&s);
}

static void test_nested_and_overlapping_symbols(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "outer", 0x100, 0x100);
	func(&s, "inner", 0x120, 0x10);
	func(&s, "crossing", 0x1f0, 0x20);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x11f), "outer");
	assert_string_equal(name_at(&s, 0x120), "inner");
	assert_string_equal(name_at(&s, 0x130), "outer");
	assert_string_equal(name_at(&s, 0x1ef), "outer");
	assert_string_equal(name_at(&s, 0x1f5), "crossing");
	assert_string_equal(name_at(&s, 0x20f), "crossing");
	assert_string_equal(name_at(&s, 0x210), "[prog]");
	scene_end(&s);
}

/* All places of one binary in one run, given in no order: one pass must name them as single runs
 * do. */
static void test_many_places_in_one_run(void **state)
{
	static const uint64_t at[] = { 0x210, 0x100, 0x130, 0x125, 0x100, 0x11f, 0x5 };
	static const char *const names[] = { "[prog]", "outer", "outer", "inner",
					     "outer",  "outer", "[prog]" };
	struct place places[7];
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "outer", 0x100, 0x100);
	func(&s, "inner", 0x120, 0x10);
	scene_file(&s);
	for (size_t i = 0; i < 7; i++)
		places[i] = (struct place){ s.binary, ELFPROG_TEXT_OFF + at[i] };
	assert_null(symbolizer_run_places(s.symbolizer, places, 7));
	assert_int_equal(s.data.names.entries.n, 6);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(entry_name(&s, names_find(&s.data.names, s.binary,
							      ELFPROG_TEXT_OFF + at[i])),
				    names[i]);
	scene_end(&s);
}

static void test_size_zero_reaches_to_the_next(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "asm_a", 0x100, 0);
	func(&s, "asm_b", 0x140, 0);
	func(&s, "sized", 0x180, 0x20);
	/* A label within a function names nothing. */
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = "label", .at = 0x188 });
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x13f), "asm_a");
	assert_string_equal(name_at(&s, 0x140), "asm_b");
	assert_string_equal(name_at(&s, 0x17f), "asm_b");
	assert_string_equal(name_at(&s, 0x190), "sized");
	assert_string_equal(name_at(&s, 0x1a0), "[prog]");
	scene_end(&s);
}

static void test_size_zero_stays_in_its_fde(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "asm_a", 0x100, 0);
	elfprog_fde(&s.elf, 0x100, 0x20);
	elfprog_fde(&s.elf, 0x130, 0x20);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x11f), "asm_a");
	assert_string_equal(name_at(&s, 0x120), "[prog]");
	assert_string_equal(name_at(&s, 0x130), "[prog+0x402130]");
	assert_string_equal(name_at(&s, 0x14f), "[prog+0x402130]");
	scene_end(&s);
}

static void test_stripped_file_is_named_by_fde(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	elfprog_fde(&s.elf, 0x100, 0x40);
	elfprog_fde(&s.elf, 0x140, 0x40);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x100), "[prog+0x402100]");
	assert_string_equal(name_at(&s, 0x13f), "[prog+0x402100]");
	assert_string_equal(name_at(&s, 0x140), "[prog+0x402140]");
	assert_string_equal(name_at(&s, 0x200), "[prog]");
	/* Outside of every segment. */
	assert_string_equal(entry_name(&s, entry_at(&s, 0x900000)), "[prog]");
	assert_int_equal(flags_at(&s, 0x110), 0);
	scene_end(&s);
}

static void alias(struct scene *s, const char *name, unsigned char bind, unsigned char type)
{
	elfprog_symbol(
		&s->elf,
		&(struct elfprog_sym){
			.name = name, .at = 0x100, .size = 0x20, .bind = bind, .type = type });
}

/* Whatever the order in the table, the same one is chosen. */
static void test_choice_among_aliases(void **state)
{
	static const struct elfprog_sym ranking[] = {
		{ .name = "_global", .bind = STB_GLOBAL, .type = STT_FUNC },
		{ .name = "_global2", .bind = STB_GLOBAL, .type = STT_FUNC },
		{ .name = "_global3", .bind = STB_GLOBAL, .type = STT_FUNC },
		{ .name = "__glob", .bind = STB_GLOBAL, .type = STT_GNU_IFUNC },
		{ .name = "glabel", .bind = STB_GLOBAL, .type = STT_NOTYPE },
		{ .name = "w", .bind = STB_WEAK, .type = STT_FUNC },
		{ .name = "l", .bind = STB_LOCAL, .type = STT_FUNC },
	};
	enum { N = sizeof(ranking) / sizeof(ranking[0]) };

	(void)state;
	for (size_t best = 0; best < N; best++) {
		for (unsigned int reversed = 0; reversed < 2; reversed++) {
			struct scene s;

			scene_begin(&s);
			for (size_t i = best; i < N; i++) {
				const struct elfprog_sym *r =
					&ranking[reversed ? N - 1 - (i - best) : i];

				alias(&s, r->name, r->bind, r->type);
			}
			scene_file(&s);
			assert_string_equal(name_at(&s, 0x110), ranking[best].name);
			scene_end(&s);
		}
	}
}

static void test_shorter_alias_leaves_the_rest_to_the_longer(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "best", 0x100, 0x10);
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = "longer",
						      .at = 0x100,
						      .size = 0x20,
						      .bind = STB_LOCAL,
						      .type = STT_FUNC });
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x10f), "best");
	assert_string_equal(name_at(&s, 0x110), "longer");
	scene_end(&s);
}

static void test_what_is_no_function(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = "object",
						      .at = 0x100,
						      .size = 0x20,
						      .bind = STB_GLOBAL,
						      .type = STT_OBJECT });
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = "elsewhere",
						      .at = 0x100,
						      .size = 0x20,
						      .bind = STB_GLOBAL,
						      .type = STT_FUNC,
						      .shndx = ELFPROG_RODATA });
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = "absolute",
						      .at = 0x100,
						      .bind = STB_GLOBAL,
						      .shndx = SHN_ABS });
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = "$x", .at = 0x100 });
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = "$d.12", .at = 0x100 });
	elfprog_symbol(&s.elf, &(struct elfprog_sym){ .name = ".Lfoo", .at = 0x100 });
	func(&s, "", 0x100, 0x20);
	/* The end of the section is no place in it. */
	func(&s, "_etext", ELFPROG_TEXT_LEN, 0x20);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x100), "[prog]");
	assert_string_equal(name_at(&s, ELFPROG_TEXT_LEN - 1), "[prog]");
	scene_end(&s);
}

static void test_dynamic_and_versioned_names(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	elfprog_dynamic_symbol(&s.elf, &(struct elfprog_sym){ .name = "exported",
							      .at = 0x100,
							      .size = 0x20,
							      .bind = STB_GLOBAL,
							      .type = STT_FUNC });
	func(&s, "memcpy@GLIBC_2.2.5", 0x120, 0x20);
	func(&s, "memcpy2@@GLIBC_2.14", 0x140, 0x20);
	func(&s, "@start", 0x160, 0x20);
	func(&s, "odd@ name", 0x180, 0x20);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x100), "exported");
	assert_string_equal(name_at(&s, 0x120), "memcpy");
	assert_string_equal(name_at(&s, 0x140), "memcpy2");
	assert_string_equal(name_at(&s, 0x160), "@start");
	assert_string_equal(name_at(&s, 0x180), "odd@ name");
	assert_true(symbolizer_status(s.symbolizer, s.binary)->has_dynsym);
	scene_end(&s);
}

static void test_sizes_beyond_the_section_are_clipped(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "huge", 0x800, UINT64_MAX - 0x400000);
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x7ff), "[prog]");
	assert_string_equal(name_at(&s, ELFPROG_TEXT_LEN - 1), "huge");
	scene_end(&s);
}

static void test_string_offsets_beyond_the_table(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "good", 0x100, 0x20);
	func(&s, "bad", 0x120, 0x20);
	s.elf.elf.syms.v[2].st_name = 0x7fffffff;
	/* And no NUL at the end of the last string. */
	s.elf.elf.symbol_names.len--;
	scene_file(&s);
	assert_string_equal(name_at(&s, 0x100), "good");
	assert_string_equal(name_at(&s, 0x120), "[prog]");
	scene_end(&s);
}

static void test_another_build_is_refused(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "main", 0x100, 0x20);
	buf_bytes(&s.elf.build_id, "\x11\x22\x33\x44\x55\x66\x77\x88", 8);
	_cleanup_close_ int fd = elfprog_fd(&s.elf);

	scene_add_binary(&s, &(struct binary){ .kind = BINARY_KIND_FILE,
					       .path = (char *)"/nonexistent/prog",
					       .build_id = { 0xaa, 0xbb },
					       .build_id_len = 2 });
	assert_string_equal(name_at(&s, 0x110), "[prog]");
	const struct symbol_status *status = symbolizer_status(s.symbolizer, s.binary);

	assert_false(status->opened);
	assert_string_equal(status->why, "no such file");
	scene_end(&s);

	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	scene_begin(&s);
	scene_add_binary(&s, &(struct binary){ .kind = BINARY_KIND_FILE,
					       .path = path,
					       .build_id = { 0xaa, 0xbb },
					       .build_id_len = 2 });
	name_at(&s, 0x110);
	status = symbolizer_status(s.symbolizer, s.binary);
	assert_false(status->opened);
	assert_string_equal(status->why,
			    "build-id differs: file 1122334455667788…, recording aabb…");
	assert_int_equal(s.diag.entries.n, 1);
	assert_int_equal(s.diag.entries.v[0].level, DIAG_WARNING);
	scene_end(&s);

	scene_begin(&s);
	scene_add_binary(&s, &(struct binary){
				     .kind = BINARY_KIND_FILE,
				     .path = path,
				     .build_id = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 },
				     .build_id_len = 8 });
	assert_string_equal(name_at(&s, 0x110), "main");
	scene_end(&s);
}

static void test_other_kinds(void **state)
{
	static const struct {
		enum binary_kind kind;
		const char *name;
	} kinds[] = {
		{ BINARY_KIND_UNKNOWN, "[unknown]" }, { BINARY_KIND_KERNEL, "[kernel]" },
		{ BINARY_KIND_VDSO, "[vdso]" },       { BINARY_KIND_ANON, "[anon]" },
		{ BINARY_KIND_TEXT, "[unknown]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct scene s;

		/* The recording names no boot, so neither kernel nor vdso are known. */
		scene_begin(&s);
		scene_add_binary(&s, &(struct binary){ .kind = kinds[i].kind, .path = (char *)"" });
		assert_string_equal(entry_name(&s, entry_at(&s, 0x1000)), kinds[i].name);
		scene_end(&s);
	}
}

static void test_stored_names_win(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "from_file", 0x100, 0x20);
	scene_file(&s);
	struct name_line line = { .function = intern_add(&s.data.names.strings, "stored") };

	names_set(&s.data.names, s.binary, ELFPROG_TEXT_OFF + 0x100, &line, 1, NAME_FOUND);
	assert_string_equal(name_at(&s, 0x100), "stored");
	assert_string_equal(name_at(&s, 0x101), "from_file");
	scene_end(&s);
}

/* The minus one for return addresses is applied, cut marks have no name. */
static void test_run_takes_keys_from_the_tree(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "caller", 0x100, 0x20);
	func(&s, "callee", 0x120, 0x20);
	scene_file(&s);
	uint32_t node = frametree_add(&s.data.tree, 0, s.binary, VERDICT_FP_END, FRAME_CUT);

	node = frametree_add(&s.data.tree, node, s.binary, ELFPROG_TEXT_OFF + 0x120, FRAME_RETURN);
	frametree_add(&s.data.tree, node, s.binary, ELFPROG_TEXT_OFF + 0x120, FRAME_PC);
	assert_null(symbolizer_run(s.symbolizer));
	assert_int_equal(s.data.names.entries.n, 2);
	assert_string_equal(name_at(&s, 0x11f), "caller");
	assert_string_equal(name_at(&s, 0x120), "callee");
	scene_end(&s);
}

/* Stops when the first binary is done. */
static bool stop_after_one(void *ctx, size_t done, size_t of, const char *what)
{
	size_t *calls = ctx;

	assert_int_equal(of, 2);
	assert_int_equal(done, *calls);
	assert_string_equal(what, done ? "prog" : "[unknown]");
	(*calls)++;
	return done;
}

static void test_progress_can_stop(void **state)
{
	struct scene s;
	size_t calls = 0;

	(void)state;
	scene_begin(&s);
	func(&s, "main", 0x100, 0x20);
	scene_file(&s);
	struct place places[] = { { s.binary, 1 }, { BINARY_UNKNOWN, 1 } };

	symbolizer_on_progress(s.symbolizer, stop_after_one, &calls);
	assert_null(symbolizer_run_places(s.symbolizer, places, 2));
	assert_int_equal(calls, 2);
	assert_int_equal(s.data.names.entries.n, 1);
	scene_end(&s);
}

static bool stop_at_half(void *ctx, size_t done, size_t of, const char *what)
{
	(void)ctx;
	assert_string_equal(what, "prog");
	return done >= of / 2;
}

/* A large file is not one step: what was named until then stays. */
static void test_progress_can_stop_within_a_file(void **state)
{
	enum { N = 0x400 };
	struct place places[N];
	struct scene s;

	(void)state;
	scene_begin(&s);
	func(&s, "main", 0x100, N);
	scene_file(&s);
	for (size_t i = 0; i < N; i++)
		places[i] = (struct place){ s.binary, ELFPROG_TEXT_OFF + 0x100 + i };
	symbolizer_on_progress(s.symbolizer, stop_at_half, NULL);
	assert_null(symbolizer_run_places(s.symbolizer, places, N));
	assert_int_equal(s.data.names.entries.n, N / 2);
	symbolizer_on_progress(s.symbolizer, NULL, NULL);
	assert_null(symbolizer_run_places(s.symbolizer, places, N));
	assert_int_equal(s.data.names.entries.n, N);
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sized_symbols_cover_their_range),
		cmocka_unit_test(test_nested_and_overlapping_symbols),
		cmocka_unit_test(test_many_places_in_one_run),
		cmocka_unit_test(test_size_zero_reaches_to_the_next),
		cmocka_unit_test(test_size_zero_stays_in_its_fde),
		cmocka_unit_test(test_stripped_file_is_named_by_fde),
		cmocka_unit_test(test_choice_among_aliases),
		cmocka_unit_test(test_shorter_alias_leaves_the_rest_to_the_longer),
		cmocka_unit_test(test_what_is_no_function),
		cmocka_unit_test(test_dynamic_and_versioned_names),
		cmocka_unit_test(test_sizes_beyond_the_section_are_clipped),
		cmocka_unit_test(test_string_offsets_beyond_the_table),
		cmocka_unit_test(test_another_build_is_refused),
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_stored_names_win),
		cmocka_unit_test(test_run_takes_keys_from_the_tree),
		cmocka_unit_test(test_progress_can_stop),
		cmocka_unit_test(test_progress_can_stop_within_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
