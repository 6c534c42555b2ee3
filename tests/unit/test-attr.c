/* Unit tests of src/perf/attr.c: what is asked of the kernel, and the words kept about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <time.h>

#include <cmocka.h>

#include "perf/attr.h"
#include "sample/dataset.h"

static void test_fallback_clock(void **state)
{
	struct event_spec spec;
	struct diag d = { 0 };

	(void)state;
	assert_null(event_parse("cycles:up", &spec));
	assert_false(attr_fallback_clock(&spec, EACCES, &d));
	assert_string_equal(spec.name, "cycles:up");
	assert_true(attr_fallback_clock(&spec, ENOENT, &d));
	assert_string_equal(spec.name, "cpu-clock:u");
	assert_int_equal(spec.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(spec.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_true(spec.exclude_kernel && spec.is_clock && !spec.precise);
	assert_int_equal(d.entries.n, 1);
	assert_false(attr_fallback_clock(&spec, ENOENT, &d));
	assert_null(event_parse("instructions", &spec));
	assert_false(attr_fallback_clock(&spec, EOPNOTSUPP, &d));
	diag_deinit(&d);
}

static void test_describe(void **state)
{
	struct attr_request req = { .is_freq = true, .rate = 999 };
	struct perf_event_attr attr;
	struct event_desc desc;

	(void)state;
	assert_null(event_parse("cpu-clock", &req.event));
	attr_sampling(&req, &attr);
	attr_describe(&req.event, &attr, &desc);
	assert_string_equal(desc.name, "cpu-clock");
	assert_string_equal(desc.unit, "ns");
	assert_true(desc.is_clock && desc.is_freq);
	assert_int_equal(desc.rate, 999);
	assert_int_equal(desc.interval_ns, 1001001);
	assert_int_equal(desc.attr_len, sizeof(attr));
	assert_memory_equal(desc.attr, &attr, sizeof(attr));
	event_desc_deinit(&desc);
	attr.freq = 0;
	attr.sample_period = 250000;
	attr.exclude_kernel = 1; /* as the ladder leaves it */
	attr_describe(&req.event, &attr, &desc);
	assert_string_equal(desc.name, "cpu-clock:u");
	assert_int_equal(desc.interval_ns, 250000);
	assert_false(desc.is_freq);
	event_desc_deinit(&desc);
	assert_null(event_parse("page-faults:p", &req.event));
	attr_describe(&req.event, &attr, &desc);
	assert_string_equal(desc.name, "page-faults:pu");
	assert_string_equal(desc.unit, "events");
	assert_int_equal(desc.interval_ns, 0);
	event_desc_deinit(&desc);
}

/* One ring takes both, so their clocks and trailers must agree. */
static void test_attrs_of_one_ring_agree(void **state)
{
	const uint64_t trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct attr_request req = { .rate = 1, .wakeup_bytes = 4096, .stack_bytes = 65536 };
	struct perf_event_attr s, b, l;

	(void)state;
	assert_null(event_parse("page-faults", &req.event));
	attr_sampling(&req, &s);
	attr_sideband(&req, &b);
	attr_leader(&req, &l);
	assert_int_equal(s.sample_type & trailer, b.sample_type & trailer);
	assert_int_equal(s.sample_type & trailer, l.sample_type & trailer);
	assert_true(s.sample_id_all && b.sample_id_all && l.sample_id_all);
	assert_int_equal(s.clockid, CLOCK_MONOTONIC);
	assert_true(s.clockid == b.clockid && b.clockid == l.clockid);
	assert_int_equal(l.wakeup_watermark, 4096);
	assert_true(s.disabled && b.disabled && b.exclude_kernel && l.exclude_kernel);
	assert_false(l.mmap || l.comm || l.task);
	assert_true(b.mmap && b.mmap2 && b.comm && b.comm_exec && b.task && b.ksymbol);
	if (attr_user_regs)
		assert_int_equal(s.sample_stack_user, 65528);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fallback_clock),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_attrs_of_one_ring_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
