/* Unit tests of every record but samples in src/perf/record.c, with every sample_id trailer. */
#include "records.h"

static void put_trailer(struct buf *b, uint64_t type)
{
	if (type & PERF_SAMPLE_TID)
		put_tid(b);
	if (type & PERF_SAMPLE_TIME)
		buf_u64(b, TIME);
	if (type & PERF_SAMPLE_ID)
		buf_u64(b, ID);
	words(b, !!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		put_cpu(b);
	if (type & PERF_SAMPLE_IDENTIFIER)
		buf_u64(b, ID);
}

static void put_mmap(struct buf *b, uint32_t type, uint16_t misc)
{
	begin(b, type, misc);
	put_tid(b);
	buf_u64(b, 0x7f0000000000);
	buf_u64(b, 0x3000);
	buf_u64(b, 0x1000);
	if (type == PERF_RECORD_MMAP2) {
		if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			buf_u32(b, 20);
			buf_bytes(b, "0123456789abcdefghij", 20);
		} else {
			buf_u32(b, 8);
			buf_u32(b, 1);
			buf_u64(b, 4242);
			buf_u64(b, 99);
		}
		buf_u32(b, 5);
		buf_u32(b, 2);
	}
	buf_bytes(b, "/lib/x.so\0\0\0\0\0\0", 16);
}

static void check_mmap(const struct raw_mmap *m, uint32_t type, uint16_t misc)
{
	bool two = type == PERF_RECORD_MMAP2, id = misc & PERF_RECORD_MISC_MMAP_BUILD_ID;

	assert_int_equal(m->start, 0x7f0000000000);
	assert_int_equal(m->len, 0x3000);
	assert_int_equal(m->pgoff, 0x1000);
	assert_string_equal(m->path, "/lib/x.so");
	assert_int_equal(m->prot, two ? 5 : 0);
	assert_int_equal(m->flags, two ? 2 : 0);
	assert_int_equal(m->build_id_len, two && id ? 20 : 0);
	if (m->build_id_len)
		assert_memory_equal(m->build_id, "0123456789abcdefghij", 20);
	assert_int_equal(m->inode, two && !id ? 4242 : 0);
	assert_int_equal(m->inode_generation, two && !id ? 99 : 0);
	assert_int_equal(m->dev_major, two && !id ? 8 : 0);
	assert_int_equal(m->dev_minor, two && !id ? 1 : 0);
	assert_int_equal(m->data, !!(misc & PERF_RECORD_MISC_MMAP_DATA));
}

static void put_body(struct buf *b, uint32_t type, uint16_t misc)
{
	if (type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2) {
		put_mmap(b, type, misc);
		return;
	}
	begin(b, type, misc);
	switch (type) {
	case PERF_RECORD_COMM:
		put_tid(b);
		buf_bytes(b, "name\0\0\0\0", 8);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		buf_u32(b, PID);
		buf_u32(b, PPID);
		buf_u32(b, TID);
		buf_u32(b, PTID);
		buf_u64(b, TIME);
		break;
	case PERF_RECORD_LOST:
		buf_u64(b, ID);
		buf_u64(b, 1000);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		buf_u64(b, 1000);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		buf_u64(b, TIME);
		buf_u64(b, ID);
		words(b, 1);
		break;
	case PERF_RECORD_KSYMBOL:
		buf_u64(b, 0xffffffffc0000000);
		buf_u32(b, 64);
		buf_u16(b, PERF_RECORD_KSYMBOL_TYPE_BPF);
		buf_u16(b, misc ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0);
		buf_bytes(b, "bpf_prog\0\0\0\0\0\0\0", 16);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		words(b, 1);
		break;
	default:
		break;
	}
}

static void check_body(const struct raw_event *ev, uint32_t type, uint16_t misc)
{
	switch (ev->kind) {
	case RAW_MMAP:
		check_mmap(&ev->mmap, type, misc);
		break;
	case RAW_COMM:
		assert_string_equal(ev->comm.name, "name");
		assert_int_equal(ev->comm.exec, !!(misc & PERF_RECORD_MISC_COMM_EXEC));
		break;
	case RAW_FORK:
	case RAW_EXIT:
		assert_int_equal(ev->task.ppid, PPID);
		assert_int_equal(ev->task.ptid, PTID);
		assert_int_equal(ev->time_ns, TIME);
		break;
	case RAW_LOST:
		assert_int_equal(ev->lost.id, ID);
		assert_int_equal(ev->lost.lost, 1000);
		break;
	case RAW_LOST_SAMPLES:
		assert_int_equal(ev->lost.lost, 1000);
		break;
	case RAW_THROTTLE:
	case RAW_UNTHROTTLE:
		assert_int_equal(ev->time_ns, TIME);
		assert_int_equal(ev->id, ID);
		break;
	case RAW_KSYMBOL:
		assert_string_equal(ev->ksymbol.name, "bpf_prog");
		assert_int_equal(ev->ksymbol.addr, 0xffffffffc0000000);
		assert_int_equal(ev->ksymbol.len, 64);
		assert_int_equal(ev->ksymbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
		assert_int_equal(ev->ksymbol.unregister, !!misc);
		break;
	case RAW_SWITCH:
		assert_int_equal(ev->cswitch.out, !!(misc & PERF_RECORD_MISC_SWITCH_OUT));
		assert_int_equal(ev->cswitch.preempt,
				 !!(misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT));
		break;
	case RAW_SAMPLE:
	case RAW_OTHER:
		break;
	}
}

static const struct {
	uint32_t type;
	enum raw_kind kind;
	bool has_tid; /* in its body */
} kinds[] = {
	{ PERF_RECORD_MMAP, RAW_MMAP, true },
	{ PERF_RECORD_MMAP2, RAW_MMAP, true },
	{ PERF_RECORD_COMM, RAW_COMM, true },
	{ PERF_RECORD_FORK, RAW_FORK, true },
	{ PERF_RECORD_EXIT, RAW_EXIT, true },
	{ PERF_RECORD_LOST, RAW_LOST, false },
	{ PERF_RECORD_LOST_SAMPLES, RAW_LOST_SAMPLES, false },
	{ PERF_RECORD_THROTTLE, RAW_THROTTLE, false },
	{ PERF_RECORD_UNTHROTTLE, RAW_UNTHROTTLE, false },
	{ PERF_RECORD_KSYMBOL, RAW_KSYMBOL, false },
	{ PERF_RECORD_SWITCH, RAW_SWITCH, false },
	{ PERF_RECORD_SWITCH_CPU_WIDE, RAW_SWITCH, false },
	{ PERF_RECORD_TEXT_POKE, RAW_OTHER, false },
	{ 63, RAW_OTHER, false }, /* a kernel of tomorrow */
};

static void check_record(size_t i, const struct perf_event_attr *a, uint16_t misc)
{
	uint64_t type = a->sample_id_all ? a->sample_type : 0;
	uint32_t rec = kinds[i].type;
	struct record_layout l;
	struct raw_event ev;
	struct buf b = { 0 };

	record_layout_init(&l, a);
	put_body(&b, rec, misc);
	put_trailer(&b, type);
	const struct perf_event_header *h = end(&b);

	assert_null(record_parse(&l, h, &ev));
	assert_int_equal(ev.kind, kinds[i].kind);
	check_body(&ev, rec, misc);
	assert_int_equal(ev.pid, kinds[i].has_tid ? PID : when(type, PERF_SAMPLE_TID, PID));
	assert_int_equal(ev.tid, kinds[i].has_tid ? TID : when(type, PERF_SAMPLE_TID, TID));
	assert_int_equal(ev.cpu, type & PERF_SAMPLE_CPU ? CPU : UINT32_MAX);
	assert_int_equal(record_time(&l, h), ev.time_ns);
	if (type & PERF_SAMPLE_TIME)
		assert_int_equal(ev.time_ns, TIME);
	int off = record_trailer_id_offset(&l);

	assert_int_equal(off < -1, !!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)));
	if (off < -1) {
		assert_memory_equal(b.data + b.len + off, &(uint64_t){ ID }, 8);
		assert_int_equal(ev.id, ID);
	}
	if (kinds[i].kind != RAW_OTHER)
		assert_short_ones_refused(&l, &b);
	buf_deinit(&b);
}

static void test_side_records_of_every_layout(void **state)
{
	const uint64_t fields[] = {
		PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (unsigned int set = 0; set < 2 << 6; set++) {
			struct perf_event_attr a = {
				.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
				.sample_id_all = set & 1,
			};

			for (unsigned int j = 0; j < 6; j++)
				if (set >> (j + 1) & 1)
					a.sample_type |= fields[j];
			check_record(i, &a, 0);
			check_record(i, &a, 1 << 13);
			check_record(i, &a, 1 << 14);
		}
	}
}

static void test_perf_s_own_types_have_no_trailer(void **state)
{
	struct perf_event_attr a = { .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1 };
	struct record_layout l;
	struct raw_event ev;
	struct buf b = { 0 };

	(void)state;
	record_layout_init(&l, &a);
	begin(&b, 68 /* FINISHED_ROUND */, 0);
	assert_null(record_parse(&l, end(&b), &ev));
	assert_int_equal(ev.kind, RAW_OTHER);
	assert_int_equal(record_time(&l, end(&b)), 0);
	buf_deinit(&b);
}

static void test_strings_and_build_ids_are_checked(void **state)
{
	struct perf_event_attr a = { .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1 };
	struct record_layout l;
	struct raw_event ev;
	struct buf b = { 0 };

	(void)state;
	record_layout_init(&l, &a);
	begin(&b, PERF_RECORD_COMM, 0);
	put_tid(&b);
	buf_bytes(&b, "8 letter", 8); /* the NULs of the trailer must not end it */
	buf_u64(&b, 0);
	struct err *err = record_parse(&l, end(&b), &ev);

	assert_non_null(err);
	err_destroy(err);
	b.len = 0;
	put_mmap(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put_trailer(&b, PERF_SAMPLE_TIME);
	b.data[40] = 21;
	assert_null(record_parse(&l, end(&b), &ev));
	assert_int_equal(ev.mmap.build_id_len, 0);
	buf_deinit(&b);
}

/* The bit of a build-id in misc counts for events that asked for one. */
static void test_build_id_that_was_not_asked_for(void **state)
{
	static const struct {
		bool asked;
		uint32_t first; /* of the union: a major number, or a length */
		bool is_id;
	} cases[] = {
		{ true, 20, true },  { true, 16, true },   { true, 8, true },
		{ true, 0, true },   { true, 254, false }, { false, 254, false },
		{ false, 8, false }, { false, 0, false },  { false, 20, true },
		{ false, 16, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_attr a = { .sample_type = PERF_SAMPLE_TIME,
					     .sample_id_all = 1,
					     .build_id = cases[i].asked };
		struct record_layout l;
		struct raw_event ev;
		struct buf b = { 0 };

		record_layout_init(&l, &a);
		put_mmap(&b, PERF_RECORD_MMAP2, 0);
		put_trailer(&b, PERF_SAMPLE_TIME);
		memcpy(b.data + 40, &cases[i].first, 4);
		struct perf_event_header *h = end(&b);

		h->misc = PERF_RECORD_MISC_MMAP_BUILD_ID;
		assert_int_equal(record_has_build_id(&l, h), cases[i].is_id);
		assert_null(record_parse(&l, h, &ev));
		assert_int_equal(ev.mmap.build_id_len, cases[i].is_id ? cases[i].first : 0);
		assert_int_equal(ev.mmap.dev_major, cases[i].is_id ? 0 : cases[i].first);
		assert_int_equal(ev.mmap.inode, cases[i].is_id ? 0 : 4242);
		assert_string_equal(ev.mmap.path, "/lib/x.so");
		buf_deinit(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_side_records_of_every_layout),
		cmocka_unit_test(test_perf_s_own_types_have_no_trailer),
		cmocka_unit_test(test_strings_and_build_ids_are_checked),
		cmocka_unit_test(test_build_id_that_was_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
