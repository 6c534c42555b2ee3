/* Unit tests of src/perf/event.c: names, aliases, modifiers, and what an error proposes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#include "perf/event.h"

static struct event_spec parse(const char *text)
{
	struct event_spec spec;
	struct err *err = event_parse(text, &spec);

	if (err)
		fail_msg("%s", err_msg(err));
	return spec;
}

static void assert_refused(const char *text, const char *says)
{
	struct event_spec spec = { .type = 77 };
	struct err *err = event_parse(text, &spec);

	assert_non_null(err);
	if (!strstr(err_msg(err), says))
		fail_msg("\"%s\" does not say \"%s\"", err_msg(err), says);
	assert_int_equal(spec.type, 77);
	err_destroy(err);
}

static void test_names(void **state)
{
	struct event_spec s = parse("cpu-clock");

	(void)state;
	assert_int_equal(s.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(s.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_true(s.is_clock);
	assert_string_equal(s.unit, "ns");
	assert_string_equal(s.name, "cpu-clock");
	s = parse("cycles");
	assert_int_equal(s.type, PERF_TYPE_HARDWARE);
	assert_int_equal(s.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_false(s.is_clock);
	assert_string_equal(s.unit, "events");
	/* config 1 is task-clock among software events and instructions among hardware events */
	assert_true(parse("task-clock").is_clock);
	assert_false(parse("instructions").is_clock);
	assert_int_equal(parse("major-faults").config, PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void test_aliases_take_the_one_name(void **state)
{
	(void)state;
	assert_string_equal(parse("faults:u").name, "page-faults:u");
	assert_string_equal(parse("cs").name, "context-switches");
	assert_string_equal(parse("branch-instructions").name, "branches");
	assert_int_equal(parse("migrations").config, PERF_COUNT_SW_CPU_MIGRATIONS);
}

static void test_every_listed_name_parses(void **state)
{
	size_t n = 0;

	(void)state;
	for (; event_names[n]; n++)
		parse(event_names[n]);
	assert_true(n >= 20);
}

static void test_modifiers(void **state)
{
	struct event_spec s = parse("cycles:u");

	(void)state;
	assert_true(s.exclude_kernel);
	assert_false(s.exclude_user);
	s = parse("cycles:k");
	assert_false(s.exclude_kernel);
	assert_true(s.exclude_user);
	s = parse("cycles:uk");
	assert_false(s.exclude_kernel);
	assert_false(s.exclude_user);
	assert_int_equal(s.precise, 0);
	s = parse("cycles:ppp");
	assert_int_equal(s.precise, 3);
	assert_false(s.exclude_kernel);
	s = parse("cycles:up");
	assert_int_equal(s.precise, 1);
	assert_true(s.exclude_kernel);
	assert_string_equal(s.name, "cycles:up");
}

static void test_errors(void **state)
{
	(void)state;
	assert_refused("cpu-clokc", "cpu-clock");
	assert_refused("clock", "task-clock");
	assert_refused("xyzzy", "page-faults"); /* none near: all */
	assert_refused("", "cycles");
	assert_refused("sched:sched_switch", "sched:sched_switch");
	assert_refused("cycles:", "modifiers");
	assert_refused("cycles:x", "modifiers");
	assert_refused("cycles:uu", "modifiers");
	assert_refused("cycles:pppp", "modifiers");
	assert_refused("cycles:u:k", "modifiers");
	assert_refused("a-name-that-is-far-too-long-to-be-that-of-any-event-anybody-could-ask-for",
		       "cycles");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_aliases_take_the_one_name),
		cmocka_unit_test(test_every_listed_name_parses),
		cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
