/* Unit tests of src/output/svg on trees made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "output/svg.h"
#include "output/svg/drawing.h"
#include "output/svg/palette.h"
#include "output/svg/xmltext.h"
#include "support/handtree.h"

static const char *text_of(struct buf *b)
{
	buf_u8(b, 0);
	return (const char *)b->data;
}

#define assert_text(b, expected)                                                                   \
	do {                                                                                       \
		assert_string_equal(text_of(b), expected);                                         \
		buf_deinit(b);                                                                     \
	} while (0)

static void test_escape(void **state)
{
	struct buf b = { 0 };

	(void)state;
	xmltext_escape(&b, "h\x01\xff<&\"'>]]>", 11, 100);
	assert_text(&b, "h\xef\xbf\xbd\xef\xbf\xbd&lt;&amp;&quot;&#39;&gt;]]&gt;");
	b = (struct buf){ 0 };
	xmltext_escape(&b, "\xef\xbf\xbf\xed\xa0\x80", 6, 100);
	/* U+FFFF and half a surrogate pair: one for each byte. */
	assert_text(&b, "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd");
	b = (struct buf){ 0 };
	xmltext_escape(&b, "日本語", 9, 2);
	assert_text(&b, "日本…");
}

static void test_label_is_cut_between_characters(void **state)
{
	static const struct {
		const char *name, *label;
		size_t columns;
	} cases[] = {
		{ "malloc", "malloc", 6 }, { "malloc", "mall…", 5 }, { "日本語", "日本語", 6 },
		{ "日本語", "日本…", 5 },  { "日本語", "日…", 4 },   { "a<b>c", "a&lt;b…", 4 },
		{ "éééé", "éé…", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = { 0 };

		xmltext_label(&b, cases[i].name, strlen(cases[i].name), cases[i].columns);
		assert_text(&b, cases[i].label);
	}
}

static void test_numbers(void **state)
{
	struct buf b = { 0 };

	(void)state;
	xmltext_grouped(&b, 0);
	buf_u8(&b, ' ');
	xmltext_grouped(&b, 999);
	buf_u8(&b, ' ');
	xmltext_grouped(&b, 1000);
	buf_u8(&b, ' ');
	xmltext_grouped(&b, UINT64_MAX);
	assert_text(&b, "0 999 1,000 18,446,744,073,709,551,615");
	b = (struct buf){ 0 };
	xmltext_percent(&b, 1, 3);
	xmltext_percent(&b, 0, 0);
	xmltext_percent(&b, 1, 1000000);
	assert_text(&b, "33.33 %0.00 %&lt;0.01 %");
	b = (struct buf){ 0 };
	xmltext_px(&b, 1180);
	buf_u8(&b, ' ');
	xmltext_px(&b, 0.25);
	buf_u8(&b, ' ');
	xmltext_px(&b, 7.999);
	buf_u8(&b, ' ');
	xmltext_px(&b, 3.5);
	assert_text(&b, "1180 0.25 8 3.5");
}

/* main: 10 of its own, a 60, b 25, and c, d, e 2, 2 and 1. */
static void make_tree(struct handtree *h)
{
	handtree_init(h);
	uint32_t main_ = handtree_child(h, 0, "main", ORIGIN_USER);

	handtree_add(h, main_, 10);
	handtree_add(h, handtree_child(h, main_, "a", ORIGIN_LIBRARY), 60);
	handtree_add(h, handtree_child(h, main_, "b", ORIGIN_KERNEL), 25);
	handtree_add(h, handtree_child(h, main_, "c", ORIGIN_JIT), 2);
	handtree_add(h, handtree_child(h, main_, "d", ORIGIN_JIT), 2);
	handtree_add(h, handtree_child(h, main_, "e", ORIGIN_JIT), 1);
}

static void test_narrow_siblings_are_merged(void **state)
{
	static const struct drawn expected[] = {
		{ .node = 0, .depth = 0, .x = 0, .weight = 100 },
		{ .node = 1, .depth = 1, .x = 0, .weight = 100, .self = 10 },
		{ .node = 2, .depth = 2, .x = 0, .weight = 60, .self = 60 },
		{ .node = 3, .depth = 2, .x = 60, .weight = 25, .self = 25 },
		{ .node = 1, .depth = 2, .x = 85, .weight = 5, .merged = 3 },
	};
	struct handtree h;
	struct drawing d;

	(void)state;
	make_tree(&h);
	drawing_init(&d, &h.tree, 3);
	assert_int_equal(d.frames.n, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < d.frames.n; i++) {
		assert_int_equal(d.frames.v[i].node, expected[i].node);
		assert_int_equal(d.frames.v[i].depth, expected[i].depth);
		assert_int_equal(d.frames.v[i].x, expected[i].x);
		assert_int_equal(d.frames.v[i].weight, expected[i].weight);
		assert_int_equal(d.frames.v[i].self, expected[i].self);
		assert_int_equal(d.frames.v[i].merged, expected[i].merged);
	}
	assert_int_equal(d.pruned, 3);
	assert_int_equal(d.pruned_weight, 5);
	assert_false(d.capped);
	drawing_deinit(&d);
	drawing_init(&d, &h.tree, 0);
	assert_int_equal(d.frames.n, h.tree.nodes.n);
	assert_int_equal(d.pruned, 0);
	drawing_deinit(&d);
	handtree_deinit(&h);
}

/* Weights 1, 2, … N under one root: the heaviest are drawn, the rest is one merged frame. */
static void test_the_number_of_frames_is_bounded(void **state)
{
	enum { N = DRAWING_MAX_FRAMES + 5000 };
	struct handtree h;
	struct drawing d;
	uint64_t drawn = 0;

	(void)state;
	handtree_init(&h);
	/* Straight into the tree: handtree_child() looks for every name among its siblings. */
	for (uint32_t i = 1; i <= N; i++)
		vec_push(&h.tree.nodes,
			 ((struct callnode){ .next = i < N ? i + 1 : 0, .self = i, .total = i }));
	h.tree.nodes.v[0].first_child = 1;
	h.tree.nodes.v[0].total = (uint64_t)N * (N + 1) / 2;
	drawing_init(&d, &h.tree, 1);
	assert_true(d.capped);
	assert_in_range(d.frames.n, DRAWING_MAX_FRAMES / 2, DRAWING_MAX_FRAMES + 1);
	for (size_t i = 1; i < d.frames.n; i++)
		drawn += d.frames.v[i].weight;
	assert_int_equal(drawn, h.tree.nodes.v[0].total);
	assert_int_equal(d.pruned + (d.frames.n - 2), N);
	drawing_deinit(&d);
	/* All alike: none is more worth drawing than another. */
	for (uint32_t i = 1; i <= N; i++)
		h.tree.nodes.v[i].total = 1;
	h.tree.nodes.v[0].total = N;
	drawing_init(&d, &h.tree, 1);
	assert_int_equal(d.pruned, N);
	assert_int_equal(d.pruned_weight, N);
	assert_in_range(d.frames.n, 1, 2);
	drawing_deinit(&d);
	handtree_deinit(&h);
}

static char *write_svg(struct handtree *h, const struct output_context *ctx)
{
	struct output_context c = *ctx;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	c.tree = &h->tree;
	assert_null(svg_output.write(&c, f));
	fclose(f);
	assert_int_equal(strlen(text), len);
	return text;
}

/* The part between `from` and `to`; freed by the caller. */
static char *between(const char *text, const char *from, const char *to)
{
	const char *start = strstr(text, from);

	assert_non_null(start);
	start += strlen(from);
	const char *end = strstr(start, to);

	assert_non_null(end);
	return xstrndup(start, (size_t)(end - start));
}

static char *without_shades(char *frames)
{
	for (char *p = frames; (p = strstr(p, "<rect class=\"")); p++)
		if (p[14] != '"')
			p[14] = '?';
	return frames;
}

static void test_frames(void **state)
{
	static const struct svg_options options = {
		.width = 1020, .has_min_width = true, .min_width = 30, .font_size = 11
	};
	struct handtree h;

	(void)state;
	make_tree(&h);
	char *svg = write_svg(&h, &(struct output_context){ .options = &options });
	char *frames = without_shades(between(
		svg, "<g id=\"frames\" transform=\"translate(10 56)\">\n", "</g>\n<g id=\"foot\""));

	assert_string_equal(
		frames,
		"<g data-v=\"100 0\"><title>all\n100 samples · 100.00 %</title>"
		"<rect class=\"g?\" x=\"0\" y=\"32\" width=\"999.5\" height=\"15\"/>"
		"<text x=\"3\" y=\"43.5\">all</text></g>\n"
		"<g data-v=\"100 1\"><title>main\n100 samples · 100.00 % · self 10 (10.00 "
		"%)</title>"
		"<rect class=\"u?\" x=\"0\" y=\"16\" width=\"999.5\" height=\"15\"/>"
		"<text x=\"3\" y=\"27.5\">main</text></g>\n"
		"<g data-v=\"60 2\"><title>a\n60 samples · 60.00 % · self 60 (60.00 %)</title>"
		"<rect class=\"l?\" x=\"0\" y=\"0\" width=\"599.5\" height=\"15\"/>"
		"<text x=\"3\" y=\"11.5\">a</text></g>\n"
		"<g data-v=\"25 2\"><title>b\n25 samples · 25.00 % · self 25 (25.00 %)</title>"
		"<rect class=\"k?\" x=\"600\" y=\"0\" width=\"249.5\" height=\"15\"/>"
		"<text x=\"603\" y=\"11.5\">b</text></g>\n"
		"<g data-v=\"5 2\"><title>3 frames too narrow to draw\n5 samples · 5.00 %</title>"
		"<rect class=\"m\" x=\"850\" y=\"0\" width=\"49.5\" height=\"15\"/></g>\n");
	assert_non_null(strstr(svg, ">3 frames narrower than 30 px are not drawn (5.00 %)</text>"));
	free(frames);
	free(svg);
	handtree_deinit(&h);
}

static void test_icicle_has_its_root_at_the_top(void **state)
{
	static const struct svg_options options = { .inverted = true,
						    .count_name = "<lost> pages" };
	struct handtree h;

	(void)state;
	make_tree(&h);
	char *svg = write_svg(&h, &(struct output_context){ .options = &options,
							    .title = "a & b",
							    .subtitle = "]]>",
							    .min_percent = 50 });
	char *y = between(svg, "<rect class=\"g", "width");

	assert_non_null(strstr(y, " y=\"0\""));
	assert_non_null(strstr(svg, "<title>all\n100 &lt;lost&gt; pages · 100.00 %</title>"));
	assert_non_null(strstr(svg, "<title>a &amp; b</title>"));
	assert_non_null(strstr(svg, "<title>]]&gt;</title>]]&gt;</text>"));
	assert_non_null(strstr(svg, ">4 frames below 50 % are not drawn (30.00 %)</text>"));
	free(y);
	free(svg);
	handtree_deinit(&h);
}

static void test_empty_tree(void **state)
{
	struct handtree h;

	(void)state;
	handtree_init(&h);
	char *svg = write_svg(&h, &(struct output_context){ 0 });

	assert_non_null(strstr(svg, "<g data-v=\"0 0\"><title>all\n0 samples · 0.00 %</title>"));
	free(svg);
	handtree_deinit(&h);
}

static void test_options_out_of_range_are_refused(void **state)
{
	static const struct {
		struct svg_options options;
		const char *message;
	} cases[] = {
		{ { .colors = "pink" }, "colors 'pink' not known: origin, safe, hot or mono" },
		{ { .width = 100 }, "width 100 out of range: 200 to 100000" },
		{ { .has_min_width = true, .min_width = -1 },
		  "min-width -1 out of range: 0 to 100000" },
		{ { .font_size = 100 }, "font size 100 out of range: 6 to 40" },
	};
	struct handtree h;

	(void)state;
	make_tree(&h);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct output_context ctx = { .tree = &h.tree, .options = &cases[i].options };
		struct err *err = svg_output.write(&ctx, stderr);

		assert_non_null(err);
		assert_string_equal(err_msg(err), cases[i].message);
		err_destroy(err);
	}
	handtree_deinit(&h);
}

static void test_full_disk_is_an_error(void **state)
{
	_cleanup_fclose_ FILE *f = fopen("/dev/full", "w");
	struct handtree h;

	(void)state;
	if (!f)
		skip();
	make_tree(&h);
	struct err *err = svg_output.write(&(struct output_context){ .tree = &h.tree }, f);

	assert_non_null(err);
	assert_int_equal(err_errno(err), 28);
	err_destroy(err);
	handtree_deinit(&h);
}

static void test_a_name_keeps_its_colour(void **state)
{
	char a[3], b[3], c[3];

	(void)state;
	palette_class(ORIGIN_KERNEL, "schedule", a);
	palette_class(ORIGIN_KERNEL, "schedule", b);
	palette_class(ORIGIN_JIT, "schedule", c);
	assert_string_equal(a, b);
	assert_int_equal(a[0], 'k');
	assert_int_equal(c[0], 'j');
	assert_int_equal(a[1], c[1]);
	assert_null(palette_find("orange"));
	assert_true(palette_has_legend(palette_find("safe")));
	assert_false(palette_has_legend(palette_find("mono")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_label_is_cut_between_characters),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_narrow_siblings_are_merged),
		cmocka_unit_test(test_the_number_of_frames_is_bounded),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_icicle_has_its_root_at_the_top),
		cmocka_unit_test(test_empty_tree),
		cmocka_unit_test(test_options_out_of_range_are_refused),
		cmocka_unit_test(test_full_disk_is_an_error),
		cmocka_unit_test(test_a_name_keeps_its_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
