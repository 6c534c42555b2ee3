/* Folded stacks and perf script's text: fields, names, what is left out. */
#include "perfmaker.h"

#include <string.h>

#include "import/scriptline.h"
#include "import/scripttidy.h"

static void read_text(struct made *r, const char *text)
{
	struct buf b = { .data = (uint8_t *)text, .len = strlen(text) };

	made_read(r, &b);
}

#define assert_stack(r, i, text)                                                                   \
	do {                                                                                       \
		char *stack_ = made_stack(r, i);                                                   \
		assert_string_equal(stack_, text);                                                 \
		free(stack_);                                                                      \
	} while (0)

static void test_folded(void **state)
{
	struct made r;

	(void)state;
	read_text(&r,
		  "app;main;f 3\napp;main;f;g 4\napp;main;fx 1\napp;main 2\nb 9 7\nb 9;f 1.5\n");
	assert_int_equal(r.samples.n, 6);
	assert_stack(&r, 0, "app;main;f");
	assert_stack(&r, 1, "app;main;f;g");
	assert_stack(&r, 2, "app;main;fx");
	assert_stack(&r, 3, "app;main");
	assert_stack(&r, 4, "b 9");
	assert_stack(&r, 5, "b 9;f");
	assert_int_equal(r.samples.v[1].period, 4);
	assert_int_equal(r.samples.v[5].period, 2); /* rounded */
	assert_int_equal(r.data.totals.samples, 19);
	assert_string_equal(r.data.events.v[0].unit, "samples");
	/* The same frame in two lines is one node. */
	const struct frame *g = frametree_get(&r.data.tree, r.samples.v[1].node);

	assert_int_equal(g->parent, r.samples.v[0].node);
	made_deinit(&r);
}

static void test_folded_bad_lines(void **state)
{
	struct made r;

	(void)state;
	read_text(&r, "a;b 1\nno count\na;b -3\na;b 99999999999999999999999\na;c 2");
	assert_int_equal(r.samples.n, 2);
	assert_stack(&r, 1, "a;c");
	assert_true(made_was_told(&r, "line 2 is no folded stack"));
	assert_int_equal(r.diag.entries.v[0].count, 3);
	made_deinit(&r);
}

static void test_script(void **state)
{
	struct made r;

	(void)state;
	read_text(&r, "# a comment\n"
		      "V8 Worker 24636/25607 [003] 94564.109216: 104345 cycles:u:\n"
		      "\tffffffff8103ce3b native_halt+0xb ([kernel.kallsyms])\n"
		      "\t  414b3b outer->inner (/bin/x)\n"
		      "\t      1f [unknown] (/lib/libc.so.6)\n"
		      "\n"
		      "java 12 cycles:u:\n"
		      "7f01 Ljava/lang/X;.call(I)V (/tmp/perf-12.map)\n"
		      "\n");
	assert_int_equal(r.samples.n, 2);
	assert_stack(&r, 0, "V8 Worker;[libc.so.6];outer;inner;native_halt");
	assert_stack(&r, 1, "java;java/lang/X:.call");
	const struct sample *s = &r.samples.v[0];
	const struct thread_entry *t = threads_get(&r.data.threads, s->thread);

	assert_int_equal(t->pid, 24636);
	assert_int_equal(t->tid, 25607);
	assert_int_equal(s->cpu, 3);
	assert_int_equal(s->period, 104345);
	assert_int_equal(s->time_ns, 94564109216000ULL);
	t = threads_get(&r.data.threads, r.samples.v[1].thread);
	assert_int_equal(t->pid, UINT32_MAX);
	assert_int_equal(t->tid, 12);
	assert_int_equal(r.data.events.n, 1);
	assert_string_equal(r.data.events.v[0].name, "cycles:u");
	assert_true(r.data.events.v[0].is_freq);
	made_deinit(&r);
}

/* A sample is one of whatever the event counts only where it says so. */
static void test_script_without_periods(void **state)
{
	struct made r;

	(void)state;
	read_text(&r, "app 7 1.5: cycles:\n\tff f (/bin/app)\n\n"
		      "app 7 1.6: \n\tff f\n\n");
	assert_int_equal(r.samples.n, 2);
	assert_int_equal(r.data.events.n, 2);
	assert_false(r.data.events.v[0].is_freq);
	assert_string_equal(r.data.events.v[1].name, "unknown");
	assert_false(r.data.events.v[1].is_freq);
	made_deinit(&r);
}

/* perf script -F comm,tid,ip,sym */
static void test_script_of_names_alone(void **state)
{
	struct made r;

	(void)state;
	read_text(&r, "app  7 \n\t  1134 f\n\t  1200 main\n\napp  7 \n\t  1134 g\n\n");
	assert_int_equal(r.samples.n, 2);
	assert_stack(&r, 0, "app;main;f");
	assert_stack(&r, 1, "app;g");
	made_deinit(&r);
}

/* Without stacks every line is a sample, its place behind the event; names are padded. */
static void test_script_without_stacks(void **state)
{
	struct made r;

	(void)state;
	read_text(&r,
		  "           dd 29776 666709.771979:   10 cpu-clock:  414b3b fsnotify (/vmlinux)\n"
		  "      swapper     0 [001] 666709.8: 12 cpu-clock:  ffffffff81 halt ([k])\n"
		  "           dd 29776 666709.9: sched:sched_switch: prev_comm=a\n");
	assert_int_equal(r.samples.n, 3);
	assert_stack(&r, 0, "dd;fsnotify");
	assert_stack(&r, 1, "swapper;halt");
	assert_stack(&r, 2, "dd");
	assert_string_equal(r.data.events.v[r.samples.v[2].event].name, "sched:sched_switch");
	made_deinit(&r);
}

/* What --show-task-events, --show-mmap-events and --show-switch-events mix in. */
static void test_script_with_records(void **state)
{
	struct made r;

	(void)state;
	read_text(&r, "perf 7 [001] 1.1: PERF_RECORD_COMM exec: app:7/7\n"
		      "app 7 [001] 1.2: PERF_RECORD_MMAP2 7/7: [0x4000(0x1000) @ 0 r-xp /bin/app\n"
		      "app 7 [001] 1.3: 5 cycles:\n\tff f (/bin/app)\n\n"
		      "app 7 [001] 1.4: PERF_RECORD_SWITCH_CPU_WIDE OUT  next pid/tid: 0/0\n"
		      "app 7 [001] 1.5: PERF_RECORD_EXIT(7:7):(7:7)\n"
		      "app 7 [001] 1.6: 5 cycles:\n\tff g (/bin/app)\n\n");
	assert_int_equal(r.samples.n, 2);
	assert_int_equal(r.data.events.n, 1);
	assert_stack(&r, 0, "app;f");
	assert_stack(&r, 1, "app;g");
	assert_int_equal(r.diag.entries.n, 0);
	made_deinit(&r);
}

static void test_script_cut_off(void **state)
{
	struct made r;

	(void)state;
	read_text(&r, "a 1 2.5: cycles:\n\t1 f (x)\n\na 1 3.5: cycles:\n\t1 f (x)\n\t2 g (x)");
	assert_int_equal(r.samples.n, 1);
	assert_true(made_was_told(&r, "middle of a stack"));
	made_deinit(&r);
}

static void test_headers(void **state)
{
	static const struct {
		const char *line, *comm, *event;
		uint32_t pid, tid;
		uint64_t period;
	} cases[] = {
		{ "java 25607 4794564.109216: cycles:", "java", "cycles", UINT32_MAX, 25607, 1 },
		{ "java 12688/12764 6544038.708352: 5 cpu-clock:", "java", "cpu-clock", 12688,
		  12764, 5 },
		{ "a 12 b 7 [000] 1.5: 5 x:y:", "a 12 b", "x:y", UINT32_MAX, 7, 5 },
		{ "x: y 7/8 [000] 1.5: 5 cycles: ", "x: y", "cycles", 7, 8, 5 },
		{ "9 9 4/4 [000] 1.5: 5 cycles:", "9 9", "cycles", 4, 4, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct script_header h;

		assert_true(script_header(cases[i].line, strlen(cases[i].line), &h));
		assert_true(text_span_is(h.comm, cases[i].comm));
		assert_true(text_span_is(h.event, cases[i].event));
		assert_int_equal(h.pid, cases[i].pid);
		assert_int_equal(h.tid, cases[i].tid);
		assert_int_equal(h.period, cases[i].period);
	}
}

static void test_frames(void **state)
{
	static const struct {
		const char *line, *function, *module;
	} cases[] = {
		{ "\tff f+0x1f (/a b/c)", "f", "/a b/c" },
		{ "ff operator()(int) (/x)", "operator()(int)", "/x" },
		{ "  ff RegExp:[&<>\\\"\\'] (/tmp/perf-7539.map)", "RegExp:[&<>\\\"\\']",
		  "/tmp/perf-7539.map" },
		{ "ff f ([kernel.kallsyms].init.text)", "f", "[kernel.kallsyms].init.text" },
		{ "ff f", "f", "" },
		{ "\t    ff", "[unknown]", "" },
		{ "\t    ff (/bin/x)", "[unknown]", "/bin/x" },
	};
	struct script_frame f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(script_frame(cases[i].line, strlen(cases[i].line), &f));
		assert_true(text_span_is(f.function, cases[i].function));
		assert_true(text_span_is(f.module, cases[i].module));
		assert_int_equal(f.pc, 0xff);
	}
	assert_false(script_frame("main.c:12", 9, &f));
	assert_false(script_frame("  burn.h:48", 11, &f));
	assert_false(script_frame("ff", 2, &f));
}

static void test_tidy(void **state)
{
	static const struct {
		const char *name, *tidied;
		bool java;
	} cases[] = {
		{ "f(int, char)", "f", false },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f", false },
		{ "net/http.(*Client).Do", "net/http.(*Client).Do", false },
		{ "a;b'c\"", "a:bc", false },
		{ "Lorg/X;.call(L", "org/X:.call", true },
		{ "Lorg/X;.call(L", "Lorg/X:.call", false },
		{ "LBusy", "LBusy", true },
	};
	struct text_span ret[SCRIPT_MAX_INLINES];
	struct buf scratch = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text_span name = { cases[i].name, strlen(cases[i].name) };

		assert_int_equal(scripttidy(name, cases[i].java, &scratch, ret), 1);
		assert_true(text_span_is(ret[0], cases[i].tidied));
	}
	assert_int_equal(scripttidy((struct text_span){ "a->b->c", 7 }, false, &scratch, ret), 3);
	assert_true(text_span_is(ret[2], "c"));
	buf_deinit(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_folded_bad_lines),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_script_without_periods),
		cmocka_unit_test(test_script_of_names_alone),
		cmocka_unit_test(test_script_without_stacks),
		cmocka_unit_test(test_script_with_records),
		cmocka_unit_test(test_script_cut_off),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_tidy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
