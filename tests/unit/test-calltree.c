/* Unit tests of the call tree: stacks as text in, the tree as text out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "output/folded.h"
#include "support/reporting.h"

/* Holds folded lines against what is expected of the stacks in `m`. */
static void expect(struct memsource *m, enum group_by by, const struct calltree_options *opt,
		   const char *lines)
{
	static const struct folded_options marks = { .mark_inlined = true };
	struct reporting r;

	reporting_init(&r, m, by, opt);
	char *text =
		reporting_text(&r, &folded_output, (struct output_context){ .options = &marks });

	assert_string_equal(text, lines);
	free(text);
	reporting_deinit(&r);
}

static void test_stacks_merge_by_name(void **state)
{
	struct memsource *m = *state;
	uint32_t t = memsource_thread(m, 1, 1, "app", "app");
	uint32_t u = memsource_thread(m, 1, 2, "worker", "app");

	memsource_add(m, t, "main;f;k:read", 2);
	memsource_add(m, t, "main;f", 3);
	memsource_add(m, u, "main;f", 4);
	memsource_add(m, t, "main;lib:f", 1);
	expect(m, GROUP_COMM, NULL,
	       "app;main;f 4\n"
	       "app;main;f;read 2\n"
	       "worker;main;f 4\n");
	expect(m, GROUP_NONE, NULL, "main;f 8\nmain;f;read 2\n");
}

static void test_same_name_in_two_binaries_is_two_functions(void **state)
{
	struct memsource *m = *state;
	struct reporting r;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f", 1);
	memsource_add(m, 0, "main;lib:f", 1);
	reporting_init(&r, m, GROUP_NONE, NULL);
	const struct callnode *main_node = &r.tree->nodes.v[r.tree->nodes.v[0].first_child];
	const struct callnode *f = &r.tree->nodes.v[main_node->first_child];

	assert_string_equal(r.tree->funcs.v[f->func].name, "f");
	assert_int_equal(r.tree->funcs.v[f->func].origin, ORIGIN_USER);
	f = &r.tree->nodes.v[f->next];
	assert_string_equal(r.tree->funcs.v[f->func].name, "f");
	assert_int_equal(r.tree->funcs.v[f->func].origin, ORIGIN_LIBRARY);
	assert_int_equal(f->next, 0);
	assert_int_equal(r.tree->max_depth, 2);
	reporting_deinit(&r);
}

static void test_inlined_calls(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f>g>h;k:read", 2);
	memsource_add(m, 0, "main;f>g", 1);
	expect(m, GROUP_NONE, NULL, "main;f;g_[i] 1\nmain;f;g_[i];h_[i];read 2\n");
	expect(m, GROUP_NONE, &(struct calltree_options){ .no_inlines = true },
	       "main;f 1\nmain;f;read 2\n");
	expect(m, GROUP_NONE, &(struct calltree_options){ .reverse = true },
	       "g_[i];f;main 1\nread;h_[i];g_[i];f;main 2\n");
}

static void test_places_without_a_name(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;lib:?1;k:?", 1);
	memsource_add(m, 0, "main;lib:?2;jit:?", 1);
	expect(m, GROUP_NONE, NULL, "main;[libx.so.1];[anon] 1\nmain;[libx.so.1];[kernel] 1\n");
	expect(m, GROUP_NONE, &(struct calltree_options){ .addrs = true },
	       "main [app+0x10];[libx.so.1+0x20];[kernel+0x30] 1\n"
	       "main [app+0x10];[libx.so.1+0x40];[anon+0x30] 1\n");
}

static void test_cut_stacks_say_so(void **state)
{
	struct memsource *m = *state;
	struct reporting r;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_callgraph(m, "dwarf,16384");
	memsource_add(m, 0, "cut:1;main;f", 2);
	memsource_add(m, 0, "cut:3;lib:f", 5);
	memsource_add(m, 0, "main;f", 1);
	memsource_sample(m, (struct sample){ .node = 0 });
	expect(m, GROUP_COMM, NULL,
	       "app;[truncated];f 5\n"
	       "app;[truncated];main;f 2\n"
	       "app;[unknown] 1\n"
	       "app;main;f 1\n");
	expect(m, GROUP_COMM, &(struct calltree_options){ .reverse = true },
	       "app;[unknown] 1\n"
	       "app;f;[truncated] 5\n"
	       "app;f;main 1\n"
	       "app;f;main;[truncated] 2\n");
	reporting_init(&r, m, GROUP_COMM, NULL);
	assert_int_equal(r.tree->verdicts[VERDICT_COMPLETE], 1);
	assert_int_equal(r.tree->verdicts[VERDICT_COPY_SMALL], 2);
	assert_int_equal(r.tree->verdicts[VERDICT_NO_CFI], 5);
	assert_int_equal(r.tree->verdicts[VERDICT_NO_STACK], 1);
	assert_int_equal(r.tree->cuts.n, 3);
	assert_int_equal(r.tree->cuts.v[0].binary, m->lib);
	assert_int_equal(r.tree->cuts.v[0].verdict, VERDICT_NO_CFI);
	assert_int_equal(r.tree->cuts.v[0].samples, 5);
	reporting_deinit(&r);
}

static void test_frame_pointer_chains_must_reach_start_code(void **state)
{
	struct memsource *m = *state;
	struct reporting r;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_callgraph(m, "fp");
	memsource_add(m, 0, "_start;main;f", 6);
	memsource_add(m, 0, "lib:f;k:read", 3);
	memsource_add(m, 0, "k:softirq", 1);
	memsource_add(m, 0, "cut:2;main;f", 2);
	expect(m, GROUP_COMM, NULL,
	       "app;[truncated];f;read 3\n"
	       "app;[truncated];main;f 2\n"
	       "app;_start;main;f 6\n"
	       "app;softirq 1\n");
	reporting_init(&r, m, GROUP_COMM, NULL);
	assert_int_equal(r.tree->verdicts[VERDICT_COMPLETE], 7);
	assert_int_equal(r.tree->verdicts[VERDICT_FP_END], 3);
	assert_int_equal(r.tree->verdicts[VERDICT_DEPTH_LIMIT], 2);
	assert_int_equal(r.tree->cuts.v[0].binary, m->lib);
	reporting_deinit(&r);
}

static void test_symbol_and_hide(void **state)
{
	struct memsource *m = *state;
	struct frame_filter f = { 0 };
	struct calltree_options opt = { .frames = &f };

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f;g", 2);
	memsource_add(m, 0, "main;g", 4);
	memsource_add(m, 0, "main;f", 8);
	assert_null(frame_filter_set_symbol(&f, "^f$"));
	expect(m, GROUP_COMM, &opt, "app;main;f 8\napp;main;f;g 2\n");
	assert_null(frame_filter_set_hide(&f, "^main|g"));
	expect(m, GROUP_COMM, &opt, "app;f 10\n");
	frame_filter_deinit(&f);
	assert_null(frame_filter_set_hide(&f, "."));
	expect(m, GROUP_COMM, &opt, "app 14\n");
	expect(m, GROUP_NONE, &opt, "[no frames] 14\n");
	frame_filter_deinit(&f);
}

static void test_sums_and_order(void **state)
{
	struct memsource *m = *state;
	struct reporting r;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;z", 1);
	memsource_add(m, 0, "main;a;z", 2);
	memsource_add(m, 0, "main;\xc3\xa9", 3);
	memsource_add(m, 0, "main;A", 4);
	memsource_add(m, 0, "main", 5);
	reporting_init(&r, m, GROUP_COMM, NULL);
	const struct callnode *n = r.tree->nodes.v;
	static const char *const order[] = { "A", "a", "z", "\xc3\xa9" };
	static const uint64_t totals[] = { 4, 2, 1, 3 };

	assert_int_equal(n[0].total, 15);
	assert_int_equal(n[0].self, 0);
	uint32_t app = n[0].first_child;
	uint32_t main_node = n[app].first_child;

	assert_int_equal(n[main_node].total, 15);
	assert_int_equal(n[main_node].self_samples, 5);
	uint32_t at = n[main_node].first_child;

	for (int i = 0; i < 4; i++, at = n[at].next) {
		assert_string_equal(r.tree->funcs.v[n[at].func].name, order[i]);
		assert_int_equal(n[at].total, totals[i]);
		assert_int_equal(n[at].parent, main_node);
	}
	assert_int_equal(at, 0);
	reporting_deinit(&r);
}

static void test_many_children(void **state)
{
	enum { N = 40 };
	struct memsource *m = *state;
	struct buf lines = { 0 };

	memsource_thread(m, 1, 1, "app", "app");
	for (int i = 0; i < N; i++) {
		_cleanup_free_ char *stack = xasprintf("main;f%02d", i * 7 % N);
		_cleanup_free_ char *below = xasprintf("main;f%02d;g", i);

		memsource_add(m, 0, stack, 1);
		memsource_add(m, 0, below, 2);
		output_printf(&lines, "main;f%02d 1\nmain;f%02d;g 2\n", i, i);
	}
	buf_u8(&lines, 0);
	expect(m, GROUP_NONE, NULL, (const char *)lines.data);
	buf_deinit(&lines);
}

static void test_very_deep_stacks(void **state)
{
	enum { DEPTH = 20000 };
	struct memsource *m = *state;
	struct reporting r;
	uint32_t node = 0;

	memsource_thread(m, 1, 1, "app", "app");
	for (int i = 0; i < DEPTH; i++)
		node = frametree_add(&m->data.tree, node, m->app, 16, FRAME_RETURN);
	memsource_sample(m, (struct sample){ .node = node });
	for (int reverse = 0; reverse < 2; reverse++) {
		struct calltree_options opt = { .reverse = reverse };

		reporting_init(&r, m, GROUP_NONE, &opt);
		assert_int_equal(r.tree->max_depth, DEPTH);
		char *text = reporting_text(&r, &folded_output, (struct output_context){ 0 });

		assert_int_equal(strlen(text), DEPTH * strlen("[app];") + strlen("1\n"));
		free(text);
		for (size_t i = 0; outputs[i]; i++)
			free(reporting_text(&r, outputs[i], (struct output_context){ 0 }));
		reporting_deinit(&r);
	}
}

static void test_no_samples(void **state)
{
	struct reporting r;

	expect(*state, GROUP_COMM, NULL, "");
	reporting_init(&r, *state, GROUP_COMM, NULL);
	assert_int_equal(r.tree->nodes.n, 1);
	assert_true(output_complete_percent(r.tree) < 0);
	reporting_deinit(&r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, memsource_setup, memsource_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stacks_merge_by_name),
		TEST(test_same_name_in_two_binaries_is_two_functions),
		TEST(test_inlined_calls),
		TEST(test_places_without_a_name),
		TEST(test_cut_stacks_say_so),
		TEST(test_frame_pointer_chains_must_reach_start_code),
		TEST(test_symbol_and_hide),
		TEST(test_sums_and_order),
		TEST(test_many_children),
		TEST(test_very_deep_stacks),
		TEST(test_no_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
