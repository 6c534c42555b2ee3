/* Unit tests of samples in src/perf/record.c: written here in the order of perf_event_open(2), they
 * must come back; shortened ones must be refused. */
#include "records.h"

static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, PERF_CONTEXT_USER,
				  0x401000 };

static void put_read(struct buf *b, uint64_t format)
{
	uint64_t n = format & PERF_FORMAT_GROUP ? 3 : 1;

	if (format & PERF_FORMAT_GROUP)
		buf_u64(b, n);
	else
		words(b, 1);
	words(b, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED));
	words(b, !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	for (uint64_t i = 0; i < n; i++) {
		words(b, !!(format & PERF_FORMAT_GROUP));
		words(b, !!(format & PERF_FORMAT_ID));
		words(b, !!(format & PERF_FORMAT_LOST));
	}
}

static void put_regs(struct buf *b, uint64_t mask)
{
	buf_u64(b, PERF_SAMPLE_REGS_ABI_64);
	words(b, (uint64_t)__builtin_popcountll(mask));
}

static void put_head(struct buf *b, uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		buf_u64(b, ID);
	if (type & PERF_SAMPLE_IP)
		buf_u64(b, IP);
	if (type & PERF_SAMPLE_TID)
		put_tid(b);
	if (type & PERF_SAMPLE_TIME)
		buf_u64(b, TIME);
	words(b, !!(type & PERF_SAMPLE_ADDR));
	if (type & PERF_SAMPLE_ID)
		buf_u64(b, ID);
	words(b, !!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		put_cpu(b);
	if (type & PERF_SAMPLE_PERIOD)
		buf_u64(b, PERIOD);
}

static void put_branches(struct buf *b, uint64_t branch)
{
	buf_u64(b, 2);
	words(b, !!(branch & PERF_SAMPLE_BRANCH_HW_INDEX));
	words(b, 2 * 3);
	words(b, branch & 1 << 19 ? 2 : 0); /* PERF_SAMPLE_BRANCH_COUNTERS */
}

static void put_sample(struct buf *b, const struct perf_event_attr *a)
{
	uint64_t type = a->sample_type;

	begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_head(b, type);
	if (type & PERF_SAMPLE_READ)
		put_read(b, a->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		buf_u64(b, 4);
		buf_bytes(b, chain, sizeof(chain));
	}
	if (type & PERF_SAMPLE_RAW) {
		buf_u32(b, 12);
		buf_bytes(b, "rawrawrawraw", 12);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(b, a->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(b, a->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER) {
		buf_u64(b, 16);
		buf_bytes(b, "stackstackstack", 16);
		buf_u64(b, 10);
	}
	words(b, !!(type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)));
	words(b, !!(type & PERF_SAMPLE_DATA_SRC));
	words(b, !!(type & PERF_SAMPLE_TRANSACTION));
	if (type & PERF_SAMPLE_REGS_INTR)
		put_regs(b, a->sample_regs_intr);
	words(b, !!(type & PERF_SAMPLE_PHYS_ADDR));
	words(b, !!(type & PERF_SAMPLE_CGROUP));
	words(b, !!(type & PERF_SAMPLE_DATA_PAGE_SIZE));
	words(b, !!(type & PERF_SAMPLE_CODE_PAGE_SIZE));
	if (type & PERF_SAMPLE_AUX) {
		buf_u64(b, 8);
		words(b, 1);
	}
}

static void check_sample(const struct perf_event_attr *a)
{
	uint64_t type = a->sample_type;
	struct record_layout l;
	struct raw_event ev;
	struct buf b = { 0 };

	record_layout_init(&l, a);
	put_sample(&b, a);
	const struct perf_event_header *h = end(&b);

	assert_null(record_parse(&l, h, &ev));
	assert_int_equal(ev.kind, RAW_SAMPLE);
	assert_int_equal(ev.mode, RAW_MODE_USER);
	assert_int_equal(ev.id, when(type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID, ID));
	assert_int_equal(ev.pid, when(type, PERF_SAMPLE_TID, PID));
	assert_int_equal(ev.tid, when(type, PERF_SAMPLE_TID, TID));
	assert_int_equal(ev.time_ns, when(type, PERF_SAMPLE_TIME, TIME));
	assert_int_equal(record_time(&l, h), ev.time_ns);
	assert_int_equal(ev.cpu, type & PERF_SAMPLE_CPU ? CPU : UINT32_MAX);
	assert_int_equal(ev.sample.ip, when(type, PERF_SAMPLE_IP, IP));
	assert_int_equal(ev.sample.period, when(type, PERF_SAMPLE_PERIOD, PERIOD));
	assert_int_equal(ev.sample.n_chain, when(type, PERF_SAMPLE_CALLCHAIN, 4));
	if (ev.sample.n_chain)
		assert_memory_equal(ev.sample.chain, chain, sizeof(chain));
	assert_int_equal(ev.sample.regs_abi, when(type, PERF_SAMPLE_REGS_USER, 2));
	assert_int_equal(ev.sample.regs_mask, when(type, PERF_SAMPLE_REGS_USER, 0xff01ff));
	if (ev.sample.regs_mask) {
		assert_int_equal(ev.sample.regs[0], OTHER);
		assert_int_equal(ev.sample.regs[16], OTHER + 16);
	}
	assert_int_equal(ev.sample.stack_asked, when(type, PERF_SAMPLE_STACK_USER, 16));
	assert_int_equal(ev.sample.stack_len, when(type, PERF_SAMPLE_STACK_USER, 10));
	if (ev.sample.stack_len)
		assert_memory_equal(ev.sample.stack, "stackstack", 10);
	int off = record_sample_id_offset(&l);

	assert_int_equal(off >= 0, !!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)));
	if (off >= 0)
		assert_memory_equal(b.data + 8 + off, &(uint64_t){ ID }, 8);
	assert_short_ones_refused(&l, &b);
	buf_deinit(&b);
}

static void test_samples_of_every_layout(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		struct perf_event_attr a = {
			.sample_type = seed >> 39, /* 25 bits */
			.read_format = seed >> 34 & 31,
			.branch_sample_type = (seed >> 32 & 1) << 17 | (seed >> 33 & 1) << 19,
			.sample_regs_user = 0xff01ff,
			.sample_regs_intr = 0xf,
		};

		/* one bit at a time first */
		if (i < 25)
			a.sample_type = 1ULL << i;
		check_sample(&a);
	}
}

/* What `singe record` asks for with registers and a copy of the stack. */
enum {
	RECORDED_STACK = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			 PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
};

static void test_the_recorder_s_own_layouts(void **state)
{
	struct perf_event_attr a = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_regs_user = 0xff01ff,
	};

	(void)state;
	check_sample(&a);
	a.sample_type |= PERF_SAMPLE_CALLCHAIN;
	check_sample(&a);
	a.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	check_sample(&a);
}

/* A kernel thread has neither registers nor stack: ABI none, size 0 and nothing behind it. */
static void test_no_user_state(void **state)
{
	struct perf_event_attr a = {
		.sample_type =
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_DATA_SRC,
		.sample_regs_user = 0xff01ff,
	};
	struct record_layout l;
	struct raw_event ev;
	struct buf b = { 0 };

	(void)state;
	record_layout_init(&l, &a);
	begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	buf_u64(&b, PERF_SAMPLE_REGS_ABI_NONE);
	buf_u64(&b, 0);
	words(&b, 1);
	assert_null(record_parse(&l, end(&b), &ev));
	assert_int_equal(ev.mode, RAW_MODE_KERNEL);
	assert_int_equal(ev.sample.regs_abi, 0);
	assert_int_equal(ev.sample.regs_mask, 0);
	assert_int_equal(ev.sample.stack_len, 0);
	assert_short_ones_refused(&l, &b);
	buf_deinit(&b);
}

static void test_no_user_state_in_the_recorder_s_layout(void **state)
{
	struct perf_event_attr a = {
		.sample_type = RECORDED_STACK,
		.sample_regs_user = 0xff01ff,
	};
	struct record_layout l;
	struct raw_event ev;
	struct buf b = { 0 };

	(void)state;
	memset(&ev, 0xff, sizeof(ev)); /* what an earlier sample left must not show */
	record_layout_init(&l, &a);
	begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	words(&b, 5);
	buf_u64(&b, 2);
	words(&b, 2);
	buf_u64(&b, PERF_SAMPLE_REGS_ABI_NONE);
	buf_u64(&b, 0);
	assert_null(record_parse(&l, end(&b), &ev));
	assert_int_equal(ev.sample.n_chain, 2);
	assert_int_equal(ev.sample.regs_abi, 0);
	assert_int_equal(ev.sample.regs_mask, 0);
	assert_int_equal(ev.sample.stack_asked, 0);
	assert_int_equal(ev.sample.stack_len, 0);
	assert_int_equal(ev.sample.n_branches, 0);
	assert_int_equal(ev.sample.read.n, 0);
	assert_short_ones_refused(&l, &b);
	buf_deinit(&b);
}

/* A size of the stack that is none, one that wraps around, and more filled than was copied. */
static void test_hostile_stack_in_the_recorder_s_layout(void **state)
{
	static const uint64_t rows[][3] = {
		{ 12, 0, 0 },         { UINT64_MAX, 0, 0 }, { UINT64_MAX - 7, 0, 0 },
		{ 1ULL << 63, 0, 0 }, { 24, 0, 0 },         { 8, 0, 9 },
	};
	struct perf_event_attr a = {
		.sample_type = RECORDED_STACK,
		.sample_regs_user = 1,
	};
	struct record_layout l;

	(void)state;
	record_layout_init(&l, &a);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct raw_event ev;
		struct buf b = { 0 };

		begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		words(&b, 5);
		buf_u64(&b, 0);
		buf_u64(&b, PERF_SAMPLE_REGS_ABI_64);
		words(&b, 1);
		for (int j = 0; j < 3; j++)
			buf_u64(&b, rows[i][j]);
		struct err *err = record_parse(&l, end(&b), &ev);

		if (!err)
			fail_msg("row %zu was taken", i);
		err_destroy(err);
		buf_deinit(&b);
	}
}

/* A number of branches of 0 comes with hw_idx and without; the length tells. */
static void test_no_branches(void **state)
{
	struct perf_event_attr a = {
		.sample_type = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = 1,
	};

	(void)state;
	for (int with_index = 0; with_index <= 1; with_index++) {
		struct record_layout l;
		struct raw_event ev;
		struct buf b = { 0 };

		record_layout_init(&l, &a);
		begin(&b, PERF_RECORD_SAMPLE, 0);
		buf_u64(&b, 0);
		if (with_index)
			buf_u64(&b, PERF_SAMPLE_REGS_ABI_32);
		buf_u64(&b, PERF_SAMPLE_REGS_ABI_64);
		buf_u64(&b, 77);
		assert_null(record_parse(&l, end(&b), &ev));
		assert_int_equal(ev.sample.regs_abi, PERF_SAMPLE_REGS_ABI_64);
		assert_int_equal(ev.sample.regs[0], 77);
		buf_deinit(&b);
	}
}

/* Lengths that would overflow a multiplication, or claim more stack than was copied. */
static void test_hostile_lengths(void **state)
{
	static const struct {
		uint64_t type, read_format;
		uint64_t word[3];
	} rows[] = {
		{ PERF_SAMPLE_CALLCHAIN, 0, { 1ULL << 61, 0, 0 } },
		{ PERF_SAMPLE_CALLCHAIN, 0, { UINT64_MAX, 0, 0 } },
		{ PERF_SAMPLE_CALLCHAIN, 0, { 3, 0, 0 } },
		{ PERF_SAMPLE_READ, PERF_FORMAT_GROUP, { 1ULL << 61, 0, 0 } },
		{ PERF_SAMPLE_READ, PERF_FORMAT_GROUP | PERF_FORMAT_ID, { 1ULL << 63, 0, 0 } },
		{ PERF_SAMPLE_BRANCH_STACK, 0, { 0x5555555555555556ULL, 0, 0 } },
		{ PERF_SAMPLE_STACK_USER, 0, { UINT64_MAX, 0, 0 } },
		{ PERF_SAMPLE_STACK_USER, 0, { 8, 0, 9 } },
		{ PERF_SAMPLE_AUX, 0, { UINT64_MAX - 7, 0, 0 } },
		{ PERF_SAMPLE_RAW, 0, { UINT32_MAX, 0, 0 } },
		{ PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER, 0, { 8, 1, 0 } }, /* not aligned */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr a = {
			.sample_type = rows[i].type,
			.read_format = rows[i].read_format,
			.sample_regs_user = 0,
		};
		struct record_layout l;
		struct raw_event ev;
		struct buf b = { 0 };

		record_layout_init(&l, &a);
		begin(&b, PERF_RECORD_SAMPLE, 0);
		for (int j = 0; j < 3; j++)
			buf_u64(&b, rows[i].word[j]);
		struct err *err = record_parse(&l, end(&b), &ev);

		if (!err)
			fail_msg("row %zu was taken", i);
		err_destroy(err);
		buf_deinit(&b);
	}
}

static void test_modes(void **state)
{
	static const enum raw_mode modes[] = { RAW_MODE_UNKNOWN, RAW_MODE_KERNEL, RAW_MODE_USER,
					       RAW_MODE_GUEST,   RAW_MODE_GUEST,  RAW_MODE_GUEST };
	struct perf_event_attr a = { .sample_type = PERF_SAMPLE_IP };

	(void)state;
	for (uint16_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct record_layout l;
		struct raw_event ev;
		struct buf b = { 0 };

		record_layout_init(&l, &a);
		begin(&b, PERF_RECORD_SAMPLE, i | PERF_RECORD_MISC_EXACT_IP);
		buf_u64(&b, IP);
		assert_null(record_parse(&l, end(&b), &ev));
		assert_int_equal(ev.mode, modes[i]);
		buf_deinit(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_of_every_layout),
		cmocka_unit_test(test_the_recorder_s_own_layouts),
		cmocka_unit_test(test_no_user_state),
		cmocka_unit_test(test_no_user_state_in_the_recorder_s_layout),
		cmocka_unit_test(test_hostile_stack_in_the_recorder_s_layout),
		cmocka_unit_test(test_no_branches),
		cmocka_unit_test(test_hostile_lengths),
		cmocka_unit_test(test_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
