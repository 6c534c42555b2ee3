/* Unit tests of profile and filter on samples written down here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "support/reporting.h"

static struct profile *build(struct memsource *m, const struct profile_options *opt,
			     const struct filter *filter)
{
	struct profile *p = NULL;

	m->taken = 0;
	assert_null(profile_build(&m->source, opt, filter, &p));
	return p;
}

static void test_stacks_are_counted_once(void **state)
{
	struct memsource *m = *state;
	uint32_t t = memsource_thread(m, 1, 1, "app", "app");

	memsource_add(m, t, "main;f", 5);
	memsource_add(m, t, "main;g", 2);
	memsource_add(m, t, "main;f", 4);
	struct profile *p = build(m, &(struct profile_options){ .by = GROUP_COMM }, NULL);

	assert_int_equal(p->stacks.n, 2);
	assert_int_equal(p->stacks.v[0].samples, 9);
	assert_int_equal(p->stacks.v[0].weight, 9);
	assert_int_equal(p->stacks.v[1].samples, 2);
	assert_int_equal(p->samples, 11);
	assert_int_equal(p->weight, 11);
	assert_int_equal(p->first_ns, 5000000000);
	assert_int_equal(p->last_ns, 5010000000);
	assert_string_equal(profile_unit(p), "samples");
	profile_destroy(p);
}

static void test_grouping(void **state)
{
	static const struct {
		enum group_by by;
		const char *names[4];
	} cases[] = {
		{ GROUP_COMM, { "app", "worker" } },
		{ GROUP_PID, { "app-1", "app-7" } },
		{ GROUP_TID, { "app-1/1", "worker-1/2", "worker-7/7" } },
		{ GROUP_CPU, { "cpu 3", "cpu ?", "cpu 900000" } },
		{ GROUP_NONE, { "" } },
	};
	struct memsource *m = *state;
	uint32_t node = memsource_stack(m, "main");
	uint32_t a = memsource_thread(m, 1, 1, "app", "app");
	uint32_t b = memsource_thread(m, 1, 2, "worker", "app");
	uint32_t c = memsource_thread(m, 7, 7, "worker", "app");

	memsource_sample(m, (struct sample){ .thread = a, .node = node, .cpu = 3 });
	memsource_sample(m, (struct sample){ .thread = b, .node = node, .cpu = UINT32_MAX });
	memsource_sample(m, (struct sample){ .thread = c, .node = node, .cpu = 3 });
	memsource_sample(m, (struct sample){ .thread = c, .node = node, .cpu = 900000 });
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = build(m, &(struct profile_options){ .by = cases[i].by }, NULL);
		size_t n = 0;

		for (; n < 4 && cases[i].names[n]; n++)
			assert_string_equal(p->groups.v[n], cases[i].names[n]);
		assert_int_equal(p->groups.n, n);
		assert_int_equal(p->stacks.n, n);
		assert_int_equal(p->samples, 4);
		profile_destroy(p);
	}
}

/* So is a pid of another input of a merge. */
static void test_origins_are_groups(void **state)
{
	struct memsource *m = *state;
	uint32_t node = memsource_stack(m, "main"), threads[2];

	for (uint32_t i = 0; i < 2; i++) {
		threads[i] = threads_add(&m->data.threads,
					 &(struct thread_entry){ .pid = 7,
								 .tid = 8,
								 .origin = i,
								 .comm = (char *)"worker",
								 .process_comm = (char *)"app" });
		vec_push(&m->data.meta.origins, xstrdup(i ? "web2" : "web1"));
		for (uint32_t n = 0; n <= i; n++)
			memsource_sample(m, (struct sample){ .thread = threads[i], .node = node });
	}
	struct profile *p = build(m, &(struct profile_options){ .by = GROUP_PID }, NULL);

	assert_int_equal(p->groups.n, 2);
	assert_string_equal(p->groups.v[0], "app-7@web1");
	assert_string_equal(p->groups.v[1], "app-7@web2");
	assert_int_equal(p->stacks.v[1].samples, 2);
	profile_destroy(p);
	p = build(m, &(struct profile_options){ .by = GROUP_TID }, NULL);
	assert_string_equal(p->groups.v[1], "worker-7/8@web2");
	profile_destroy(p);
	p = build(m, &(struct profile_options){ .by = GROUP_COMM }, NULL);
	assert_int_equal(p->groups.n, 1);
	profile_destroy(p);
}

static void test_reused_pid_is_another_group(void **state)
{
	struct memsource *m = *state;
	struct thread_entry again = { .pid = 1, .tid = 1, .incarnation = 1 };

	again.comm = again.process_comm = (char *)"app";
	uint32_t a = memsource_thread(m, 1, 1, "app", "app");
	uint32_t b = threads_add(&m->data.threads, &again);

	memsource_add(m, a, "main", 1);
	memsource_add(m, b, "main", 1);
	struct profile *p = build(m, &(struct profile_options){ .by = GROUP_PID }, NULL);

	assert_int_equal(p->groups.n, 2);
	assert_string_equal(p->groups.v[1], "app-1#2");
	profile_destroy(p);
}

static void test_weights(void **state)
{
	static const struct {
		const char *event;
		enum weight_kind weight;
		uint64_t sum;
		const char *unit;
	} cases[] = {
		{ "cpu-clock", WEIGHT_DEFAULT, 1, "samples" },
		{ "cpu-clock", WEIGHT_PERIOD, 1000, "ns" },
		{ "cycles", WEIGHT_DEFAULT, 2001, "events" }, /* frequency mode */
		{ "cycles", WEIGHT_SAMPLES, 2, "samples" },
		{ "faults", WEIGHT_DEFAULT, 1, "samples" }, /* a period asked for */
		{ "faults", WEIGHT_PERIOD, 77, "events" },
	};
	struct memsource *m = *state;
	uint32_t cycles = memsource_event(m, "cycles", "events", true);
	uint32_t faults = memsource_event(m, "faults", "events", false);
	uint32_t t = memsource_thread(m, 1, 1, "app", "app");
	uint32_t node = memsource_stack(m, "main");

	memsource_sample(m, (struct sample){ .thread = t, .node = node, .period = 1000 });
	memsource_sample(m, (struct sample){ 0, 2000, t, node, 0, cycles });
	memsource_sample(m, (struct sample){ 0, 1, t, node, 0, cycles });
	memsource_sample(m, (struct sample){ 0, 77, t, node, 0, faults });
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile_options opt = { .weight = cases[i].weight, .event = cases[i].event };
		struct profile *p = build(m, &opt, NULL);

		assert_int_equal(p->weight, cases[i].sum);
		assert_string_equal(profile_unit(p), cases[i].unit);
		assert_int_equal(p->samples + p->other_events, 4);
		profile_destroy(p);
	}
}

static void test_many_groups(void **state)
{
	enum { N = 40 }; /* beyond those that are counted without a table */
	struct memsource *m = *state;
	struct sample s[2] = { { .period = 10 }, { .period = 1 } };

	s[0].node = memsource_stack(m, "main;f");
	s[1].node = memsource_stack(m, "main;g");
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < N; i++) {
			s[0].thread = s[1].thread = memsource_thread(m, 1, i + 1, "app", "app");
			memsource_sample(m, s[0]);
			memsource_sample(m, s[i % 2]);
		}
	}
	struct profile_options opt = { .by = GROUP_TID, .weight = WEIGHT_PERIOD };
	struct profile *p = build(m, &opt, NULL);

	assert_int_equal(p->groups.n, N);
	assert_int_equal(p->stacks.n, N + N / 2);
	for (size_t i = 0; i < p->stacks.n; i++) {
		const struct stack_weight *w = &p->stacks.v[i];
		bool alone = w->group % 2 == 0;

		assert_int_equal(w->samples, alone ? 6 : 3);
		assert_int_equal(w->weight, w->node == s[1].node ? 3 : alone ? 60 : 30);
	}
	assert_int_equal(p->weight, 3 * (N / 2 * 20 + N / 2 * 11));
	profile_destroy(p);
}

static void test_unknown_event_names_those_there_are(void **state)
{
	struct memsource *m = *state;
	struct profile *p = NULL;

	memsource_event(m, "cycles:u", "events", true);
	struct err *err =
		profile_build(&m->source, &(struct profile_options){ .event = "cycles" }, NULL, &p);

	assert_non_null(err);
	assert_string_equal(err_msg(err),
			    "no event 'cycles' in the data; there is: cpu-clock, cycles:u");
	err_destroy(err);
}

static void test_no_samples(void **state)
{
	struct profile *p = build(*state, &(struct profile_options){ 0 }, NULL);

	assert_int_equal(p->samples, 0);
	assert_int_equal(p->first_ns, 0);
	profile_destroy(p);
}

static void test_a_damaged_period_does_not_wrap(void **state)
{
	struct memsource *m = *state;
	uint32_t t = memsource_thread(m, 1, 1, "app", "app");
	struct sample s = { .thread = t, .period = UINT64_MAX };

	s.node = memsource_stack(m, "main");
	memsource_sample(m, s);
	memsource_sample(m, s);
	s.node = memsource_stack(m, "main;f");
	memsource_sample(m, s);
	struct profile *p = build(m, &(struct profile_options){ .weight = WEIGHT_PERIOD }, NULL);

	assert_true(p->weight == UINT64_MAX);
	assert_true(p->stacks.v[0].weight + p->stacks.v[1].weight == UINT64_MAX);
	profile_destroy(p);
}

static void test_filters(void **state)
{
	static const struct {
		const char *pids, *tids, *cpus, *time, *comm, *binary;
		uint64_t left;
	} cases[] = {
		{ .left = 6 },
		{ .pids = "7", .left = 2 },
		{ .pids = "1,7", .left = 6 },
		{ .tids = "2-7", .left = 3 },
		{ .cpus = "0,5-8", .left = 5 },
		{ .comm = "worker", .left = 3 },
		{ .comm = "app", .left = 4 }, /* as the process's name too */
		{ .binary = "libx.so.1", .left = 2 },
		{ .binary = "/lib/libx.so.1", .left = 2 },
		{ .binary = "[kernel]", .left = 1 },
		{ .binary = "[kernel],libx.so.1", .left = 3 },
		{ .binary = "nosuch", .left = 0 },
		{ .time = "0.001,0.003", .left = 2 },
		{ .time = "0.004,", .left = 2 },
		{ .time = ",0.001", .left = 1 },
		{ .pids = "7", .time = ",0.005", .left = 1 },
	};
	struct memsource *m = *state;
	uint32_t a = memsource_thread(m, 1, 1, "app", "app");
	uint32_t b = memsource_thread(m, 1, 2, "worker", "app");
	uint32_t c = memsource_thread(m, 7, 7, "worker", "other");

	memsource_add(m, a, "main", 2);
	memsource_add(m, a, "main;lib:f;g", 1);
	memsource_add(m, b, "main;k:read", 1);
	memsource_sample(
		m, (struct sample){ .thread = c, .node = memsource_stack(m, "main"), .cpu = 4 });
	memsource_add(m, c, "lib:f", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct filter f;

		filter_init(&f);
		if (cases[i].pids)
			assert_null(filter_add_numbers("--pid", cases[i].pids, &f.pids));
		if (cases[i].tids)
			assert_null(filter_add_numbers("--tid", cases[i].tids, &f.tids));
		if (cases[i].cpus)
			assert_null(filter_add_numbers("--cpu", cases[i].cpus, &f.cpus));
		if (cases[i].time)
			assert_null(filter_set_time(&f, cases[i].time));
		if (cases[i].comm)
			filter_add_names(cases[i].comm, &f.comms);
		if (cases[i].binary)
			filter_add_names(cases[i].binary, &f.binaries);
		struct profile *p = build(m, &(struct profile_options){ 0 }, &f);

		assert_int_equal(p->samples, cases[i].left);
		assert_int_equal(p->filtered, 6 - cases[i].left);
		profile_destroy(p);
		filter_deinit(&f);
	}
}

static void test_what_filters_refuse(void **state)
{
	static const char *const numbers[] = { "",    "1,", ",1", "x",          "1-",
					       "3-2", "-1", "1 ", "4294967296", "+1" };
	static const char *const times[] = { "", "1", "2,1", "a,b", "1,1", "1,2x", "-1,2", ",0" };
	struct frame_filter frames = { 0 };
	struct filter f;

	(void)state;
	filter_init(&f);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct err *err = filter_add_numbers("--pid", numbers[i], &f.pids);

		assert_non_null(err);
		err_destroy(err);
	}
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct err *err = filter_set_time(&f, times[i]);

		assert_non_null(err);
		err_destroy(err);
	}
	struct err *err = frame_filter_set_symbol(&frames, "(");

	assert_non_null(err);
	err_destroy(err);
	frame_filter_deinit(&frames);
	filter_deinit(&f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, memsource_setup, memsource_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stacks_are_counted_once),
		TEST(test_grouping),
		TEST(test_origins_are_groups),
		TEST(test_reused_pid_is_another_group),
		TEST(test_weights),
		TEST(test_many_groups),
		TEST(test_unknown_event_names_those_there_are),
		TEST(test_no_samples),
		TEST(test_a_damaged_period_does_not_wrap),
		TEST(test_filters),
		cmocka_unit_test(test_what_filters_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
