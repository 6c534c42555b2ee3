/* Unit tests of the folded output and of clean text: every line is one stack and one count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "output/folded.h"
#include "support/reporting.h"

#define BAD "\xef\xbf\xbd"

static void expect(struct memsource *m, enum group_by by, const struct output_context *ctx,
		   const char *lines)
{
	struct reporting r;

	reporting_init(&r, m, by, NULL);
	char *text = reporting_text(&r, &folded_output, *ctx);

	assert_string_equal(text, lines);
	free(text);
	reporting_deinit(&r);
}

static void test_names_that_are_no_words(void **state)
{
	static const struct {
		const char *name, *as_leaf, *inside;
	} cases[] = {
		{ "foo 5", "foo_5", "foo 5" },
		{ "foo 5.", "foo_5.", "foo 5." },
		{ "foo 5 6.25", "foo_5_6.25", "foo 5 6.25" },
		{ "foo ", "foo_", "foo " },
		{ "foo 5 ", "foo_5_", "foo 5 " },
		{ "foo\xc2\xa0"
		  "5",
		  "foo_5",
		  "foo\xc2\xa0"
		  "5" },
		{ "operator new(unsigned long)", "operator new(unsigned long)",
		  "operator new(unsigned long)" },
		{ "f 5x", "f 5x", "f 5x" },
		{ "12", "12", "12" },
		{ "a\nb 3", "a" BAD "b_3", "a" BAD "b 3" },
		{ "h\x01\xff<&\"'", "h" BAD BAD "<&\"'", "h" BAD BAD "<&\"'" },
	};
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_free_ char *leaf = xasprintf("main;%s", cases[i].name);
		_cleanup_free_ char *inside = xasprintf("%s;x", cases[i].name);
		_cleanup_free_ char *lines =
			xasprintf("main;%s 2\n%s;x 1\n", cases[i].as_leaf, cases[i].inside);
		_cleanup_free_ char *swapped =
			xasprintf("%s;x 1\nmain;%s 2\n", cases[i].inside, cases[i].as_leaf);

		m->samples.n = 0;
		memsource_add(m, 0, leaf, 2);
		memsource_add(m, 0, inside, 1);
		expect(m, GROUP_NONE, &(struct output_context){ 0 },
		       strcmp(cases[i].inside, "main") < 0 ? swapped : lines);
	}
}

static void test_group_names(void **state)
{
	static const struct {
		const char *comm, *line;
	} cases[] = {
		{ "a;b 12 [x]", "a:b_12_[x];main 1\n" },
		{ "", "[no_name];main 1\n" },
		{ "9 9", "9_9;main 1\n" },
		{ "x: y", "x:_y;main 1\n" },
		{ "caf\xc3", "caf" BAD ";main 1\n" }, /* cut at 15 bytes inside a character */
		{ "tab\there", "tab" BAD "here;main 1\n" },
	};
	struct memsource *m = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t t = memsource_thread(m, 1, 1, cases[i].comm, "p");

		m->samples.n = 0;
		memsource_add(m, t, "main", 1);
		expect(m, GROUP_COMM, &(struct output_context){ 0 }, cases[i].line);
	}
}

/* A function of app named `name`, below main: for names with ';' in them. */
static uint32_t named(struct memsource *m, const char *name, uint64_t off)
{
	struct name_line line = { .function = intern_add(&m->data.names.strings, name) };

	names_set(&m->data.names, m->app, off, &line, 1, NAME_FOUND);
	return frametree_add(&m->data.tree, memsource_stack(m, "main"), m->app, off, FRAME_PC);
}

static void test_equal_lines_merge(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_sample(m, (struct sample){ .node = named(m, "La;", 0x1000) });
	memsource_sample(m, (struct sample){ .node = named(m, "La:", 0x2000) });
	memsource_sample(m, (struct sample){ .node = named(m, "f 1", 0x3000) });
	memsource_sample(m, (struct sample){ .node = named(m, "f_1", 0x4000) });
	expect(m, GROUP_NONE, &(struct output_context){ 0 }, "main;La: 2\nmain;f_1 2\n");
}

static void test_sorted_bytewise(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "a", 1);
	memsource_add(m, 0, "a;c", 2);
	memsource_add(m, 0, "a-b;c", 3);
	memsource_add(m, 0, "a b;c", 4);
	memsource_add(m, 0, "a=b", 5);
	memsource_add(m, 0, "a;c;d", 6);
	/* ' ' < '-' < ';' < '=' and a line before its longer ones: LC_ALL=C sort of the stacks */
	expect(m, GROUP_NONE, &(struct output_context){ 0 },
	       "a 1\na b;c 4\na-b;c 3\na;c 2\na;c;d 6\na=b 5\n");
}

static void test_marks(void **state)
{
	static const struct folded_options all = { true, true, true };
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f>g;lib:h;k:read 1", 1);
	memsource_add(m, 0, "main;jit:loop", 1);
	expect(m, GROUP_NONE, &(struct output_context){ .options = &all },
	       "main;f;g_[i];h;read 1_[k] 1\nmain;loop_[j] 1\n");
	expect(m, GROUP_NONE, &(struct output_context){ 0 }, "main;f;g;h;read_1 1\nmain;loop 1\n");
}

static void test_pruning_keeps_sums(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;a", 90);
	memsource_add(m, 0, "main;b;x", 4);
	memsource_add(m, 0, "main;c;y", 3);
	memsource_add(m, 0, "main;c", 3);
	expect(m, GROUP_NONE, &(struct output_context){ .min_percent = 5 },
	       "main;[pruned] 4\nmain;a 90\nmain;c 3\nmain;c;[pruned] 3\n");
}

static void test_utf8(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain", "plain" },
		{ "\xe4\xb8\xad\xf0\x9f\x94\xa5", "\xe4\xb8\xad\xf0\x9f\x94\xa5" },
		{ "\xc0\x80", BAD BAD },                 /* overlong */
		{ "\xe0\x80\xaf", BAD BAD BAD },         /* overlong */
		{ "\xed\xa0\x80", BAD BAD BAD },         /* surrogate */
		{ "\xf4\x90\x80\x80", BAD BAD BAD BAD }, /* beyond U+10FFFF */
		{ "\xef\xbf\xbf", BAD BAD BAD },         /* U+FFFF */
		{ "\xc2\x85", BAD BAD },                 /* NEL, a control */
		{ "\xe4\xb8", BAD BAD },                 /* cut */
		{ "a\x1b[31m\x7f", "a" BAD "[31m" BAD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf b = { 0 };

		output_clean_utf8(&b, cases[i].in, strlen(cases[i].in));
		assert_int_equal(b.len, strlen(cases[i].out));
		assert_memory_equal(b.data, cases[i].out, b.len);
		buf_deinit(&b);
	}
}

static void test_subtitle(void **state)
{
	struct memsource *m = *state;
	struct reporting r;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_callgraph(m, "fp");
	memsource_add(m, 0, "_start;main", 1997);
	memsource_add(m, 0, "main", 3);
	m->data.totals.lost = 1234567;
	m->data.meta.clock_start_ns = 1000000000;
	m->data.totals.end_ns = 11000000000;
	reporting_init(&r, m, GROUP_COMM, NULL);
	char *text = output_subtitle(r.tree);

	assert_string_equal(text, "cpu-clock · 10.0 s · 2,000 samples · 1,234,567 lost · "
				  "99.8 % complete (end of frame-pointer chain in app 0.1 %)");
	free(text);
	reporting_deinit(&r);
}

static void test_find(void **state)
{
	(void)state;
	assert_ptr_equal(output_find("folded"), &folded_output);
	assert_null(output_find("nosuch"));
	assert_ptr_equal(output_by_suffix("out/x.folded"), &folded_output);
	assert_null(output_by_suffix(".folded"));
	assert_null(output_by_suffix("x.bin"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, memsource_setup, memsource_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_that_are_no_words),
		TEST(test_group_names),
		TEST(test_equal_lines_merge),
		TEST(test_sorted_bytewise),
		TEST(test_marks),
		TEST(test_pruning_keeps_sums),
		TEST(test_utf8),
		TEST(test_subtitle),
		TEST(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
