/* What comes with samples of a perf.data: counters of other events (PERF_SAMPLE_READ), and calls
 * that the CPU remembered (PERF_SAMPLE_BRANCH_STACK of --call-graph lbr). */
#include "perfmaker.h"

#include <linux/perf_event.h>

#include "perf/record.h"

#define assert_stack(r, i, text)                                                                   \
	do {                                                                                       \
		char *stack_ = made_stack(r, i);                                                   \
		assert_string_equal(stack_, text);                                                 \
		free(stack_);                                                                      \
	} while (0)

enum { BASIC = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
enum { OTHER_ID = 8 };

static void attr_of(struct maker *m, struct perf_event_attr a, uint64_t id)
{
	a.size = sizeof(a);
	a.sample_type |= BASIC;
	maker_begin(m, 64, 0);
	buf_bytes(&m->b, &a, sizeof(a));
	put64(m, id);
	maker_end(m);
}

static void begin_sample(struct maker *m, uint32_t tid, uint64_t time, uint64_t ip)
{
	maker_begin(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(m, MAKER_ID);
	put64(m, ip);
	put32(m, MAKER_PID);
	put32(m, tid);
	put64(m, time);
}

static void words(struct maker *m, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put64(m, v[i]);
}

static void mapped(struct maker *m)
{
	maker_begin(m, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	put32(m, MAKER_PID);
	put32(m, MAKER_TID);
	put64(m, 0x400000);
	put64(m, 0x1000);
	put64(m, 0);
	put_text(m, "/bin/app");
	maker_end(m);
}

/* One line of a group's read: two counters, with their ids and losses. */
static void read_sample(struct maker *m, uint32_t tid, uint64_t time, uint64_t a, uint64_t b)
{
	uint64_t read[] = { 2, 1000, a, MAKER_ID, 0, b, OTHER_ID, 0 };

	begin_sample(m, tid, time, 0x400010);
	words(m, read, sizeof(read) / sizeof(read[0]));
	maker_end(m);
}

static struct perf_event_attr reading(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.config = config,
		.sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			       PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
}

static void check_sample(const struct made *r, size_t i, uint32_t event, uint64_t period)
{
	assert_true(i < r->samples.n);
	assert_int_equal(r->samples.v[i].event, event);
	assert_int_equal(r->samples.v[i].period, period);
}

static void test_group_read(void **state)
{
	struct maker m = { 0 };
	struct perf_event_attr leader = reading(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr member = reading(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	struct made r;

	(void)state;
	leader.freq = 1;
	leader.sample_freq = 99;
	maker_pipe_header(&m);
	attr_of(&m, leader, MAKER_ID);
	attr_of(&m, member, OTHER_ID);
	read_sample(&m, MAKER_TID, 100, 1000, 5);
	read_sample(&m, MAKER_TID, 200, 2500, 5); /* no page fault since */
	read_sample(&m, 99, 300, 2600, 12);       /* one counter for all threads */
	read_sample(&m, MAKER_TID, 400, 70, 13);  /* set to zero meanwhile */
	made_read(&r, &m.b);
	assert_int_equal(r.diag.entries.n, 0);
	assert_int_equal(r.samples.n, 7);
	check_sample(&r, 0, 0, 1000);
	check_sample(&r, 1, 1, 5);
	check_sample(&r, 2, 0, 1500);
	check_sample(&r, 3, 0, 100);
	check_sample(&r, 4, 1, 7);
	check_sample(&r, 5, 0, 70);
	check_sample(&r, 6, 1, 1);
	assert_int_equal(r.samples.v[3].node, r.samples.v[4].node);
	assert_int_equal(r.samples.v[3].thread, r.samples.v[4].thread);
	assert_int_equal(r.data.totals.samples, 7);
	/* What weighs is what was counted. */
	assert_true(r.data.events.v[1].is_freq);
	made_deinit(&r);
	buf_deinit(&m.b);
}

static void test_inherited_read(void **state)
{
	struct maker m = { 0 };
	struct perf_event_attr attr = reading(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	struct made r;

	(void)state;
	attr.inherit = 1;
	maker_pipe_header(&m);
	attr_of(&m, attr, MAKER_ID);
	read_sample(&m, MAKER_TID, 100, 1000, 5); /* nobody has OTHER_ID */
	read_sample(&m, 99, 200, 30, 5);
	read_sample(&m, MAKER_TID, 300, 1100, 5);
	made_read(&r, &m.b);
	assert_int_equal(r.samples.n, 3);
	check_sample(&r, 0, 0, 1000);
	check_sample(&r, 1, 0, 30);
	check_sample(&r, 2, 0, 100);
	assert_true(made_was_told(&r, "does not describe"));
	made_deinit(&r);
	buf_deinit(&m.b);
}

/* {value, enabled, running, id} without a group; without ids there is nothing to split by. */
static void test_single_read(void **state)
{
	(void)state;
	for (int ids = 0; ids < 2; ids++) {
		struct maker m = { 0 };
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_PAGE_FAULTS,
			.sample_period = 3,
			.sample_type = PERF_SAMPLE_READ,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING | (ids ? PERF_FORMAT_ID : 0),
		};
		uint64_t read[] = { 10, 500, 400, MAKER_ID };
		struct made r;

		maker_pipe_header(&m);
		attr_of(&m, attr, MAKER_ID);
		for (uint64_t i = 0; i < 2; i++) {
			begin_sample(&m, MAKER_TID, 100 + i, 0x400010);
			read[0] += i * 4;
			words(&m, read, ids ? 4 : 3);
			maker_end(&m);
		}
		made_read(&r, &m.b);
		assert_int_equal(r.samples.n, 2);
		check_sample(&r, 0, 0, ids ? 10 : 3);
		check_sample(&r, 1, 0, ids ? 4 : 3);
		made_deinit(&r);
		buf_deinit(&m.b);
	}
}

static void test_group_that_is_no_such_size(void **state)
{
	struct maker m = { 0 };
	struct perf_event_attr attr = reading(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	uint64_t read[] = { UINT64_MAX / 4, 1000, 1, MAKER_ID, 0 };
	struct made r;

	(void)state;
	maker_pipe_header(&m);
	attr_of(&m, attr, MAKER_ID);
	begin_sample(&m, MAKER_TID, 100, 0x400010);
	words(&m, read, 5);
	maker_end(&m);
	made_read(&r, &m.b);
	assert_int_equal(r.samples.n, 0);
	assert_int_equal(r.data.totals.damaged_blocks, 1);
	made_deinit(&r);
	buf_deinit(&m.b);
}

static struct perf_event_attr calls(uint64_t also)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | also,
	};
}

/* Two frames by frame pointers, two calls by the CPU. */
static void call_sample(struct maker *m, const struct perf_event_attr *a, uint64_t marker)
{
	uint64_t chain[] = {
		5, (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000, marker, 0x400010, 0x400020
	};
	uint64_t branches[] = { 0x400110, 0x400008, 0, 0x400220, 0x400100, 0 };

	begin_sample(m, MAKER_TID, 100, 0xffffffff81000000);
	words(m, chain, 6);
	put64(m, 2);
	if (a->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		put64(m, 1);
	words(m, branches, 6);
	if (a->branch_sample_type & RECORD_BRANCH_COUNTERS)
		words(m, branches, 2);
	maker_end(m);
}

static void check_calls(uint64_t also, uint64_t marker, const char *stack, const char *how)
{
	struct maker m = { 0 };
	struct perf_event_attr attr = calls(also);
	struct made r;

	maker_pipe_header(&m);
	attr_of(&m, attr, MAKER_ID);
	mapped(&m);
	call_sample(&m, &attr, marker);
	made_read(&r, &m.b);
	assert_int_equal(r.data.totals.damaged_blocks, 0);
	assert_int_equal(r.samples.n, 1);
	assert_stack(&r, 0, stack);
	assert_string_equal(r.data.meta.callgraph, how);
	made_deinit(&r);
	buf_deinit(&m.b);
}

static void test_calls_of_the_cpu(void **state)
{
	static const char by_cpu[] = ":41;app+221;app+111;app+10;[kernel]+ffffffff81000000";
	static const char by_pointers[] = ":41;app+20;app+10;[kernel]+ffffffff81000000";
	uint64_t user = (uint64_t)PERF_CONTEXT_USER, call = PERF_SAMPLE_BRANCH_CALL_STACK;

	(void)state;
	check_calls(call, user, by_cpu, "lbr");
	check_calls(call | PERF_SAMPLE_BRANCH_HW_INDEX, user, by_cpu, "lbr");
	check_calls(call | PERF_SAMPLE_BRANCH_HW_INDEX | RECORD_BRANCH_COUNTERS, user, by_cpu,
		    "lbr");
	/* Branches that were taken are no stack. */
	check_calls(PERF_SAMPLE_BRANCH_ANY, user, by_pointers, "fp");
	/* Nothing of the process's is in the chain. */
	check_calls(call, (uint64_t)PERF_CONTEXT_GUEST,
		    ":41;[unknown]+400020;[unknown]+400010;"
		    "[kernel]+ffffffff81000000",
		    "lbr");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group_read),
		cmocka_unit_test(test_inherited_read),
		cmocka_unit_test(test_single_read),
		cmocka_unit_test(test_group_that_is_no_such_size),
		cmocka_unit_test(test_calls_of_the_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
