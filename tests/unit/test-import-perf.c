/* perf.data as other tools write it: byte orders, order in time, events, damage; and what is
 * written read back. */
#include "perfmaker.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "import/perfwrite.h"

#define assert_stack(r, i, text)                                                                   \
	do {                                                                                       \
		char *stack_ = made_stack(r, i);                                                   \
		assert_string_equal(stack_, text);                                                 \
		free(stack_);                                                                      \
	} while (0)

/* One process, two samples. */
static void small(struct maker *m)
{
	maker_pipe_header(m);
	maker_attr(m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MAKER_ID);
	maker_comm(m, "worker", 100);
	maker_mmap2(m, 0x400000, 0x1000, 0x2000, "/bin/app", 200);
	maker_sample(m, MAKER_ID, 300, 0x400010, 0x400021);
	maker_sample(m, MAKER_ID, 400, 0x400030, 0x500000);
}

static void check_small(const struct made *r)
{
	assert_int_equal(r->samples.n, 2);
	assert_stack(r, 0, "worker;app+2021;app+2010");
	assert_stack(r, 1, "worker;[unknown]+500000;app+2030");
	const struct sample *s = &r->samples.v[0];
	const struct thread_entry *t = threads_get(&r->data.threads, s->thread);

	assert_int_equal(s->time_ns, 300);
	assert_int_equal(s->period, 1000);
	assert_int_equal(s->cpu, 3);
	assert_int_equal(t->pid, MAKER_PID);
	assert_int_equal(t->tid, MAKER_TID);
	assert_string_equal(r->data.events.v[0].name, "cpu-clock");
	assert_true(r->data.events.v[0].is_freq);
	assert_int_equal(r->data.events.v[0].rate, 99);
}

static void test_byte_orders(void **state)
{
	(void)state;
	for (int other = 0; other < 2; other++) {
		struct maker m = { .other_order = other };
		struct made r;

		small(&m);
		made_read(&r, &m.b);
		check_small(&r);
		assert_int_equal(r.data.binaries.v.v[2].inode, 1234);
		assert_int_equal(r.data.binaries.v.v[2].dev_major, 8);
		assert_true(r.data.totals.complete);
		assert_int_equal(r.diag.entries.n, 0);
		made_deinit(&r);
		buf_deinit(&m.b);
	}
}

/* A record is never later than one of an earlier round, so a round gives out what is as old as the
 * round before; mappings that come after their samples in the file take effect before them. */
static void test_order(void **state)
{
	struct maker m = { 0 };
	struct made r;

	(void)state;
	maker_pipe_header(&m);
	maker_attr(&m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MAKER_ID);
	maker_sample(&m, MAKER_ID, 300, 0x400010, 0);
	maker_sample(&m, MAKER_ID, 500, 0x400050, 0);
	maker_round(&m);
	maker_mmap2(&m, 0x400000, 0x1000, 0, "/bin/app", 200);
	maker_sample(&m, MAKER_ID, 400, 0x400020, 0);
	maker_round(&m);
	maker_mmap2(&m, 0x400000, 0x1000, 0, "/bin/other", 450);
	maker_round(&m);
	made_read(&r, &m.b);
	assert_int_equal(r.samples.n, 3);
	assert_stack(&r, 0, ":41;app+10");
	assert_stack(&r, 1, ":41;app+20");
	/* perf too takes what comes a round too late as it comes. */
	assert_int_equal(r.samples.v[2].time_ns, 500);
	made_deinit(&r);
	buf_deinit(&m.b);
}

static void test_events(void **state)
{
	struct maker m = { 0 };
	struct made r;

	(void)state;
	maker_pipe_header(&m);
	maker_attr(&m, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 50);
	maker_attr(&m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 51);
	maker_attr(&m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 52);
	maker_begin(&m, 78, 0); /* EVENT_UPDATE, a name */
	put64(&m, 2);
	put64(&m, 50);
	put_text(&m, "inst:u");
	maker_end(&m);
	maker_sample(&m, 52, 300, 1, 2);
	maker_sample(&m, 50, 301, 1, 2);
	maker_sample(&m, 99, 302, 1, 2);
	made_read(&r, &m.b);
	assert_int_equal(r.data.events.n, 2);
	assert_string_equal(r.data.events.v[0].name, "inst:u");
	assert_string_equal(r.data.events.v[1].name, "page-faults");
	assert_int_equal(r.samples.n, 2);
	assert_int_equal(r.samples.v[0].event, 1);
	assert_int_equal(r.samples.v[1].event, 0);
	assert_true(made_was_told(&r, "does not describe"));
	made_deinit(&r);
	buf_deinit(&m.b);
}

static void test_unknown_records_are_skipped(void **state)
{
	struct maker m = { 0 };
	struct made r;

	(void)state;
	small(&m);
	maker_begin(&m, 71, 0); /* AUXTRACE: 24 bytes of no record follow */
	for (uint64_t i = 24; i; i = 0)
		put64(&m, i);
	maker_end(&m);
	for (int i = 0; i < 3; i++)
		put64(&m, UINT64_MAX);
	maker_begin(&m, 90, 0);
	put64(&m, 1);
	maker_end(&m);
	maker_sample(&m, MAKER_ID, 500, 0x400040, 0);
	made_read(&r, &m.b);
	assert_int_equal(r.samples.n, 3);
	bool unknown = false;

	for (size_t i = 0; i < r.data.records.n; i++)
		unknown |=
			!strcmp(r.data.records.v[i].name, "UNKNOWN") && r.data.records.v[i].n == 1;
	assert_true(unknown);
	assert_true(made_was_told(&r, "AUXTRACE"));
	made_deinit(&r);
	buf_deinit(&m.b);
}

static void test_damage_has_an_offset(void **state)
{
	struct maker m = { 0 };
	struct made r;

	(void)state;
	small(&m);
	size_t at = m.b.len;

	maker_begin(&m, PERF_RECORD_SAMPLE, 0);
	m.b.data[at + 6] = 4; /* shorter than its header */
	made_read(&r, &m.b);
	check_small(&r);
	assert_false(r.data.totals.complete);
	assert_int_equal(r.data.totals.damaged_blocks, 1);
	_cleanup_free_ char *offset = xasprintf("at offset %zu", at);

	assert_true(made_was_told(&r, offset));
	made_deinit(&r);
	/* A record that says it is longer than it is, among good ones. */
	m.b.len = at;
	maker_begin(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(&m, MAKER_ID);
	maker_end(&m);
	maker_sample(&m, MAKER_ID, 500, 0x400040, 0);
	made_read(&r, &m.b);
	assert_int_equal(r.samples.n, 3);
	assert_int_equal(r.data.totals.damaged_blocks, 1);
	assert_true(made_was_told(&r, offset));
	made_deinit(&r);
	buf_deinit(&m.b);
}

#ifdef HAVE_LIBZSTD
/* Records in one zstd stream over two compressed records, the border within one of them. */
static void compressed(uint32_t type)
{
	struct maker inner = { 0 }, m = { 0 };
	uint8_t packed[2][4096];
	struct made r;

	small(&inner);
	size_t from = 16 + 8 + MAKER_ATTR_LEN + 8, half = from + (inner.b.len - from) / 2 + 3;
	ZSTD_CCtx *z = ZSTD_createCCtx();

	buf_bytes(&m.b, inner.b.data, from);
	for (int i = 0; i < 2; i++) {
		const uint8_t *p = inner.b.data + (i ? half : from);
		ZSTD_inBuffer in = { p, i ? inner.b.len - half : half - from, 0 };
		ZSTD_outBuffer out = { packed[i], sizeof(packed[i]), 0 };

		assert_int_equal(ZSTD_compressStream2(z, &out, &in, i ? ZSTD_e_end : ZSTD_e_flush),
				 0);
		maker_begin(&m, type, 0);
		if (type == 83)
			put64(&m, out.pos);
		buf_bytes(&m.b, packed[i], out.pos);
		while (type == 83 && (m.b.len - m.record) % 8)
			buf_u8(&m.b, 0xff);
		maker_end(&m);
	}
	ZSTD_freeCCtx(z);
	made_read(&r, &m.b);
	check_small(&r);
	assert_int_equal(r.diag.entries.n, 0);
	made_deinit(&r);
	buf_deinit(&m.b);
	buf_deinit(&inner.b);
}

static void test_compressed(void **state)
{
	(void)state;
	compressed(81);
	compressed(83);
}
#endif

static void write_back(const struct made *r, struct buf *ret)
{
	enum { CAP = 1 << 16 };
	int fd = memfd_create("written", 0);
	struct perfwrite *w;
	size_t at = 0;

	assert_null(perfwrite_create(fd, &r->data, &w));
	for (size_t i = 0; i < r->samples.n; i++) {
		for (; at < r->events.n && r->events.v[at].samples_before <= i; at++)
			perfwrite_event(w, &r->events.v[at]);
		assert_null(perfwrite_sample(w, &r->samples.v[i]));
	}
	assert_null(perfwrite_end(w));
	assert_int_equal(perfwrite_n_unplaced(w), 0);
	perfwrite_destroy(w);
	buf_room(ret, CAP);
	ret->len = (size_t)pread(fd, ret->data, CAP, 0);
	close(fd);
}

static void test_written_reads_back(void **state)
{
	struct maker m = { 0 };
	struct made r, again;
	struct buf file = { 0 };

	(void)state;
	small(&m);
	made_read(&r, &m.b);
	free(r.data.meta.host);
	r.data.meta.host = xstrdup("web1");
	r.data.meta.wall_start_ns = 1700000000000000000;
	r.data.meta.clock_start_ns = 250;
	struct binary *app = binaries_get(&r.data.binaries, 2);

	app->build_id_len = 20;
	memset(app->build_id, 0xab, 20);
	write_back(&r, &file);
	made_read(&again, &file);
	check_small(&again);
	assert_string_equal(again.data.meta.host, "web1");
	assert_int_equal(again.data.meta.wall_start_ns, 1700000000000000000);
	assert_int_equal(again.data.meta.clock_start_ns, 250);
	assert_int_equal(again.data.binaries.v.v[2].build_id_len, 20);
	assert_int_equal(again.data.binaries.v.v[2].build_id[19], 0xab);
	assert_true(again.data.totals.complete);
	made_deinit(&again);
	/* The last byte of the records missing: what is whole is there, and the rest is told. */
	for (size_t cut = 0; cut < file.len; cut += 8)
		if (cut > 600 && cut % 64 == 0) {
			struct buf part = { .data = file.data, .len = cut };

			made_read(&again, &part);
			assert_true(again.samples.n <= 2);
			made_deinit(&again);
		}
	made_deinit(&r);
	buf_deinit(&file);
	buf_deinit(&m.b);
}

/* One path, one pid and one address on two hosts are two files. */
static void test_written_of_two_hosts(void **state)
{
	enum { SAMPLES = 3, OTHER = 1 << 22 };
	static const struct binary files[] = {
		{ BINARY_KIND_FILE, (char *)"/lib/x", .build_id = { 0xa }, .build_id_len = 20 },
		{ BINARY_KIND_FILE, (char *)"/lib/x", .build_id = { 0xb }, .build_id_len = 20 },
		{ BINARY_KIND_FILE, (char *)"/lib/x", .inode = 77, .dev_minor = 5 },
	};
	struct made r = { 0 }, again;
	struct buf file = { 0 };

	(void)state;
	dataset_init(&r.data);
	vec_push(&r.data.events,
		 ((struct event_desc){
			 .name = xstrdup("cpu-clock"), .unit = xstrdup("ns"), .is_clock = true }));
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t binary = binaries_add(&r.data.binaries, &files[i]);
		struct proc_event map = { .kind = PROC_MMAP,
					  .pid = 7,
					  .origin = i,
					  .binary = binary,
					  .start = 0x4000,
					  .len = 0x1000 };
		struct thread_entry t = { 7, 7, .origin = i, .comm = (char *)"a", (char *)"a" };

		vec_push(&r.events, map);
		vec_push(&r.samples,
			 ((struct sample){
				 .time_ns = i + 1,
				 .thread = threads_add(&r.data.threads, &t),
				 .node = frametree_add(&r.data.tree, 0, binary, 16, FRAME_PC) }));
	}
	write_back(&r, &file);
	made_read(&again, &file);
	assert_int_equal(again.samples.n, SAMPLES);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		const struct sample *s = &again.samples.v[i];
		const struct frame *f = frametree_get(&again.data.tree, s->node);
		const struct binary *b = binaries_get(&again.data.binaries, f->binary);

		assert_int_equal(threads_get(&again.data.threads, s->thread)->pid, 7 + i * OTHER);
		assert_string_equal(b->path, "/lib/x");
		assert_int_equal(b->build_id_len, files[i].build_id_len);
		assert_int_equal(b->build_id[0], files[i].build_id[0]);
		assert_int_equal(b->inode, files[i].inode);
		assert_int_equal(b->dev_minor, files[i].dev_minor);
		assert_int_equal(f->off, 16);
	}
	made_deinit(&again);
	vec_deinit(&r.events);
	vec_deinit(&r.samples);
	dataset_deinit(&r.data);
	buf_deinit(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_byte_orders),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_unknown_records_are_skipped),
		cmocka_unit_test(test_damage_has_an_offset),
#ifdef HAVE_LIBZSTD
		cmocka_unit_test(test_compressed),
#endif
		cmocka_unit_test(test_written_reads_back),
		cmocka_unit_test(test_written_of_two_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
