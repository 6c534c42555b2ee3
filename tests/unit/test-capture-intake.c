/* Unit tests of capture/intake and capture/tasks: literal rings in, counted samples out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "capture/intake.h"
#include "recording/reader.h"

enum { LEN = 1 << 14, PID = 100, STACK_WORDS = 4 };

/* Opening 1 is thread 100's, opening 2 thread 101's; each has a sampling and a side-band event. */
enum { ID_1 = 11, ID_2 = 12, ID_SIDE_1 = 21, ID_SIDE_2 = 22 };

struct fixture {
	struct perf_event_mmap_page page[N_RING_ROLES];
	_Alignas(8) uint8_t data[N_RING_ROLES][LEN];
	struct cpu_rings cpu;
	struct rings rings;
	struct attach attach;
	struct target target;
	struct opener opener;
	struct dataset dataset;
	struct diag diag;
	struct intake in;
	int fd;
};

static void put(struct fixture *f, enum ring_role role, const struct buf *b)
{
	uint64_t head = f->page[role].data_head;

	for (size_t i = 0; i < b->len; i++)
		f->data[role][(head + i) % LEN] = b->data[i];
	f->page[role].data_head = head + b->len;
}

static void finish(struct fixture *f, enum ring_role role, struct buf *b)
{
	((struct perf_event_header *)b->data)->size = (uint16_t)b->len;
	put(f, role, b);
	buf_deinit(b);
}

static void begin(struct buf *b, uint32_t type, uint16_t misc)
{
	buf_u32(b, type);
	buf_u16(b, misc);
	buf_u16(b, 0);
}

static void put_sample(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, uint32_t tid)
{
	struct buf b = { 0 };

	begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	buf_u64(&b, id);
	buf_u64(&b, 0x1000); /* ip */
	buf_u32(&b, pid);
	buf_u32(&b, tid);
	buf_u64(&b, time);
	buf_u64(&b, 1); /* period */
	finish(f, RING_SAMPLES, &b);
}

/* At 0x1000, in the code that put_mmap() maps. */
static void put_walked(struct fixture *f, uint64_t time, uint32_t pid)
{
	unsigned int n_regs = (unsigned int)__builtin_popcountll(arch_x86_64.regs_mask);
	struct buf b = { 0 };

	begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	buf_u64(&b, ID_1);
	buf_u64(&b, 0x1000);
	buf_u32(&b, pid);
	buf_u32(&b, pid);
	buf_u64(&b, time);
	buf_u64(&b, 1); /* period */
	buf_u64(&b, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned int i = 0; i < n_regs; i++)
		buf_u64(&b, i == arch_x86_64.perf_ip ? 0x1000 : 0x7000);
	buf_u64(&b, STACK_WORDS * 8);
	for (int i = 0; i < STACK_WORDS; i++)
		buf_u64(&b, 0);
	buf_u64(&b, STACK_WORDS * 8);
	finish(f, RING_SAMPLES, &b);
}

static void put_trailer(struct buf *b, uint64_t time, uint64_t id)
{
	buf_u64(b, 0); /* pid, tid */
	buf_u64(b, time);
	buf_u64(b, id);
}

static void put_task(struct fixture *f, uint32_t type, uint64_t time, uint64_t id,
		     const uint32_t ids[4])
{
	struct buf b = { 0 };

	begin(&b, type, 0);
	buf_bytes(&b, ids, 4 * sizeof(*ids));
	buf_u64(&b, time);
	put_trailer(&b, time, id);
	finish(f, RING_SIDE, &b);
}

static void put_fork(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, uint32_t tid,
		     uint32_t ppid, uint32_t ptid)
{
	put_task(f, PERF_RECORD_FORK, time, id, (uint32_t[]){ pid, ppid, tid, ptid });
}

static void put_exit(struct fixture *f, uint64_t time, uint32_t pid)
{
	put_task(f, PERF_RECORD_EXIT, time, ID_SIDE_1, (uint32_t[]){ pid, 1, pid, 1 });
}

static void put_exec(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, const char *comm)
{
	struct buf b = { 0 };
	char name[16] = { 0 };

	strcpy(name, comm);
	begin(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	buf_u32(&b, pid);
	buf_u32(&b, pid);
	buf_bytes(&b, name, sizeof(name));
	put_trailer(&b, time, id);
	finish(f, RING_SIDE, &b);
}

static void put_mmap(struct fixture *f, uint64_t time, uint32_t pid, const char *path)
{
	struct buf b = { 0 };
	char name[16] = { 0 };

	strcpy(name, path);
	begin(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	buf_u32(&b, pid);
	buf_u32(&b, pid);
	buf_u64(&b, 0x1000); /* start */
	buf_u64(&b, 0x1000); /* length */
	buf_u64(&b, 0);
	buf_u32(&b, 8);
	buf_u32(&b, 1);
	buf_u64(&b, hash_str(path)); /* inode */
	buf_u64(&b, 0);
	buf_u32(&b, PROT_READ | PROT_EXEC);
	buf_u32(&b, MAP_PRIVATE);
	buf_bytes(&b, name, sizeof(name));
	put_trailer(&b, time, ID_SIDE_1);
	finish(f, RING_SIDE, &b);
}

static void put_lost(struct fixture *f, enum ring_role role, uint64_t time, uint64_t n)
{
	struct buf b = { 0 };

	begin(&b, PERF_RECORD_LOST, 0);
	buf_u64(&b, ID_1);
	buf_u64(&b, n);
	put_trailer(&b, time, ID_1);
	finish(f, role, &b);
}

static void add_opened(struct fixture *f, uint64_t id, uint32_t opening, uint16_t event)
{
	struct openings *o = &f->attach.openings;
	struct opened opened = { .id = id, .fd = -1, .opening = opening, .event = event };

	table_add(&o->ids, hash_u64(id), (uint32_t)o->v.n);
	vec_push(&o->v, opened);
}

static void add_thread(struct fixture *f, uint32_t tid, uint32_t opening)
{
	struct attached_thread t = { .pid = PID, .tid = tid, .opening = opening };

	table_add(&f->attach.tids, hash_u64(tid), (uint32_t)f->attach.threads.n);
	vec_push(&f->attach.threads, t);
	world_thread(f->in.world, PID, tid)->opening = opening;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct attr_request req = { .is_freq = true, .rate = 999 };

	dataset_init(&f->dataset);
	attach_init(&f->attach);
	opener_init(&f->opener, "/nonexistent");
	vec_push(&f->dataset.events,
		 ((struct event_desc){
			 .name = xstrdup("cpu-clock"), .unit = xstrdup("ns"), .is_clock = true }));
	attr_sampling(&req, &f->attach.sampling[0]);
	attr_sideband(&req, &f->attach.sideband);
	f->attach.n_events = 1;
	f->rings.v = &f->cpu;
	f->rings.n = 1;
	order_init(&f->rings.order);
	for (int i = 0; i < N_RING_ROLES; i++)
		ring_init_literal(&f->cpu.by_role[i].ring, &f->page[i], f->data[i], LEN);
	rings_start(&f->rings, &f->attach.sampling[0], &f->attach.sideband);
	intake_init(&f->in, &f->rings);
	f->in.data = &f->dataset;
	f->in.world = world_create(&f->dataset);
	f->in.unwinder =
		unwinder_create(&(struct unwinder_options){ .mode = UNWIND_FP, .max_stack = 127 },
				&f->dataset.tree, &f->dataset.binaries);
	f->in.rings = &f->rings;
	f->in.attach = &f->attach;
	f->in.opener = &f->opener;
	f->in.files = files_create(&f->opener, 1);
	f->in.diag = &f->diag;
	f->in.inherit = true;
	f->in.attached_ns = 1000;
	f->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_null(writer_create(f->fd, CODEC_ZLIB, &f->dataset, &f->in.writer));
	add_opened(f, ID_1, 1, 0);
	add_opened(f, ID_2, 2, 0);
	add_opened(f, ID_SIDE_1, 1, OPENING_SIDEBAND);
	add_opened(f, ID_SIDE_2, 2, OPENING_SIDEBAND);
	*state = f;
	return 0;
}

/* Stacks are walked by CFI: records carry registers and a copy of the stack. */
static int setup_walked(void **state)
{
	int failed = setup(state);
	struct fixture *f = *state;
	struct perf_event_attr *attr = &f->attach.sampling[0];

	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = arch_x86_64.regs_mask;
	attr->sample_stack_user = STACK_WORDS * 8;
	record_layout_init(&f->rings.layouts[RING_SAMPLES], attr);
	unwinder_destroy(f->in.unwinder);
	f->in.unwinder = unwinder_create(&(struct unwinder_options){ .mode = UNWIND_DWARF,
								     .arch = &arch_x86_64 },
					 &f->dataset.tree, &f->dataset.binaries);
	f->in.scope = INTAKE_OPENED;
	world_on_forgotten(f->in.world, intake_forgotten, &f->in);
	return failed;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->attach.openings.v.n = 0; /* no descriptors to close */
	attach_deinit(&f->attach);
	files_destroy(f->in.files);
	intake_deinit(&f->in);
	unwinder_destroy(f->in.unwinder);
	world_destroy(f->in.world);
	writer_destroy(f->in.writer);
	order_deinit(&f->rings.order);
	for (int i = 0; i < N_RING_ROLES; i++)
		ring_deinit(&f->cpu.by_role[i].ring);
	opener_deinit(&f->opener);
	diag_deinit(&f->diag);
	dataset_deinit(&f->dataset);
	close(f->fd);
	free(f);
	return 0;
}

static void drain(struct fixture *f)
{
	assert_null(intake_drain(&f->in, UINT64_MAX));
}

/* Thread 101 was born of 100 between two passes: it has 100's opening and its own, and so have its
 * children. Each sample comes twice and counts once, from the same opening at all times. */
static void test_two_openings(void **state)
{
	struct fixture *f = *state;

	f->in.scope = INTAKE_OPENED;
	add_thread(f, 100, 1);
	add_thread(f, 101, 2);
	/* Seen by the scan and forked before that: its own opening counts. */
	put_fork(f, 900, ID_SIDE_1, PID, 101, PID, 100);
	/* A thread of 101, born while recording: told twice, once for each opening. */
	put_fork(f, 2000, ID_SIDE_1, PID, 102, PID, 101);
	put_fork(f, 2001, ID_SIDE_2, PID, 102, PID, 101);
	/* A thread of 100. */
	put_fork(f, 2002, ID_SIDE_1, PID, 103, PID, 100);
	for (uint64_t t = 3000; t < 3005; t++) {
		put_sample(f, t * 10, ID_1, PID, 101);
		put_sample(f, t * 10, ID_2, PID, 101);
		put_sample(f, t * 10, ID_1, PID, 102);
		put_sample(f, t * 10, ID_2, PID, 102);
		put_sample(f, t * 10, ID_1, PID, 100);
		put_sample(f, t * 10, ID_1, PID, 103);
	}
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 20);
	assert_int_equal(f->dataset.totals.duplicates, 10);
	assert_int_equal(world_thread(f->in.world, PID, 101)->opening, 2);
	assert_int_equal(world_thread(f->in.world, PID, 102)->opening, 2);
	assert_int_equal(world_thread(f->in.world, PID, 103)->opening, 1);
}

/* Whose FORK was lost counts from the opening its first sample came through. */
static void test_lost_fork(void **state)
{
	struct fixture *f = *state;

	f->in.scope = INTAKE_OPENED;
	put_sample(f, 3000, ID_2, PID, 105);
	put_sample(f, 3001, ID_1, PID, 105);
	put_sample(f, 3002, ID_2, PID, 105);
	put_sample(f, 3003, 999, PID, 105); /* an id nobody opened */
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 2);
	assert_int_equal(f->dataset.totals.duplicates, 1);
	assert_int_equal(f->diag.entries.n, 1);
	assert_string_equal(f->diag.entries.v[0].cause, "unknown-event-id");
}

/* System-wide: the pid set follows FORK, strangers and their samples stay out, a pid given out
 * anew is a stranger's. */
static void test_followed(void **state)
{
	struct fixture *f = *state;

	f->in.scope = INTAKE_FOLLOWED;
	intake_follow(&f->in, PID);
	put_sample(f, 3000, ID_1, PID, PID);
	put_sample(f, 3001, ID_1, 500, 500);
	put_fork(f, 3002, ID_SIDE_1, 501, 501, 500, 500);
	put_fork(f, 3003, ID_SIDE_1, 200, 200, PID, PID);
	put_fork(f, 3004, ID_SIDE_1, 201, 201, 200, 200);
	put_sample(f, 3005, ID_1, 201, 201);
	put_sample(f, 3006, ID_1, 501, 501);
	put_exit(f, 3007, 201);
	put_sample(f, 3008, ID_1, 201, 201); /* on its last way */
	put_fork(f, 3009, ID_SIDE_1, 201, 201, 500, 500);
	put_sample(f, 3010, ID_1, 201, 201);
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 3);
	assert_null(world_find_process(f->in.world, 501));
}

static void test_no_inherit(void **state)
{
	struct fixture *f = *state;

	f->in.scope = INTAKE_FOLLOWED;
	f->in.inherit = false;
	intake_follow(&f->in, PID);
	put_fork(f, 3000, ID_SIDE_1, PID, 101, PID, PID);
	put_fork(f, 3001, ID_SIDE_1, 200, 200, PID, PID);
	put_sample(f, 3002, ID_1, PID, 101);
	put_sample(f, 3003, ID_1, 200, 200);
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 1);
}

static void test_all_but_ourselves(void **state)
{
	struct fixture *f = *state;

	f->in.scope = INTAKE_ALL;
	put_sample(f, 3000, ID_1, 1, 1);
	put_sample(f, 3001, ID_1, (uint32_t)getpid(), (uint32_t)getpid());
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 1);
}

/* An exiting task without a tid any more is its process's, but does not keep it alive. */
static void test_exiting(void **state)
{
	struct fixture *f = *state;

	f->in.scope = INTAKE_ALL;
	put_fork(f, 2999, ID_SIDE_1, 200, 200, PID, PID);
	put_sample(f, 3000, ID_1, 200, 200);
	put_sample(f, 3001, ID_1, 200, UINT32_MAX);
	put_sample(f, 3002, ID_1, UINT32_MAX, UINT32_MAX);
	put_exit(f, 3003, 200);
	put_sample(f, 3004, ID_1, 200, UINT32_MAX);
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 4);
	assert_true(world_find_process(f->in.world, 200)->exited);
	assert_string_equal(threads_get(&f->dataset.threads, 2)->comm, "[exited]");
}

static void test_limit_and_time(void **state)
{
	struct fixture *f = *state;

	f->in.scope = INTAKE_OPENED;
	f->in.max_samples = 2;
	for (uint64_t t = 3000; t < 3005; t++)
		put_sample(f, t, ID_1, PID, PID);
	assert_null(intake_drain(&f->in, 3001));
	assert_int_equal(f->dataset.totals.samples, 1);
	assert_false(f->in.full);
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 2);
	assert_true(f->in.full);
	assert_int_equal(f->dataset.totals.first_ns, 3000);
	assert_int_equal(f->dataset.totals.last_ns, 3001);
}

static void test_losses(void **state)
{
	struct fixture *f = *state;

	put_lost(f, RING_SAMPLES, 3000, 5);
	put_lost(f, RING_SAMPLES, 3001, 6);
	put_lost(f, RING_SIDE, 3002, 7);
	drain(f);
	assert_int_equal(f->in.lost[RING_SAMPLES], 11);
	assert_int_equal(f->in.lost[RING_SIDE], 7);
}

/* A million nodes: the dictionary restarts, the tree is empty, what was hit is remembered, and a
 * reader sees one recording. */
static void test_restart(void **state)
{
	enum { MANY = 1000000 };
	struct fixture *f = *state;
	struct dataset back;
	struct source *src = NULL;
	size_t n_samples = 0;

	f->in.scope = INTAKE_OPENED;
	put_sample(f, 3000, ID_1, PID, PID);
	drain(f);
	for (uint32_t i = 0; i < MANY; i++)
		frametree_add(&f->dataset.tree, 0, BINARY_UNKNOWN, 0x10000 + i, FRAME_RETURN);
	put_sample(f, 3001, ID_1, PID, PID);
	drain(f);
	assert_int_equal(f->dataset.tree.frames.n, 1);
	assert_int_equal(f->in.hits.places.n, MANY + 1);
	put_sample(f, 3002, ID_1, PID, PID);
	drain(f);
	assert_int_equal(f->dataset.tree.frames.n, 2);
	assert_null(writer_end(f->in.writer, &f->dataset.totals));
	lseek(f->fd, 0, SEEK_SET);
	dataset_init(&back);
	assert_null(reader_open(f->fd, &back, &f->diag, &src));
	for (;;) {
		struct batch b;

		assert_null(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			break;
		for (size_t i = 0; i < b.n_samples; i++, n_samples++)
			assert_int_equal(frametree_get(&back.tree, b.samples[i].node)->off, 0x1000);
	}
	assert_int_equal(n_samples, 3);
	source_destroy(src);
	dataset_deinit(&back);
}

/* An exec told once for each opening renames once; samples before and after have their names. */
static void test_exec_told_twice(void **state)
{
	struct fixture *f = *state;
	struct dataset back;
	struct source *src = NULL;
	size_t n_execs = 0;

	f->in.scope = INTAKE_OPENED;
	world_name_existing(f->in.world, PID, PID, "before");
	put_sample(f, 3000, ID_1, PID, PID);
	put_exec(f, 3001, ID_SIDE_1, PID, "after");
	put_exec(f, 3002, ID_SIDE_2, PID, "after");
	put_sample(f, 3003, ID_1, PID, PID);
	drain(f);
	assert_null(writer_end(f->in.writer, &f->dataset.totals));
	lseek(f->fd, 0, SEEK_SET);
	dataset_init(&back);
	assert_null(reader_open(f->fd, &back, &f->diag, &src));
	const char *names[2] = { "", "" };
	size_t n_samples = 0;

	for (;;) {
		struct batch b;

		assert_null(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			break;
		for (size_t i = 0; i < b.n_events; i++)
			n_execs += b.events[i].kind == PROC_COMM && b.events[i].exec;
		for (size_t i = 0; i < b.n_samples && n_samples < 2; i++)
			names[n_samples++] = threads_get(&back.threads, b.samples[i].thread)->comm;
	}
	assert_int_equal(n_execs, 1);
	assert_int_equal(n_samples, 2);
	assert_string_equal(names[0], "before");
	assert_string_equal(names[1], "after");
	source_destroy(src);
	dataset_deinit(&back);
}

/* The verdict of the only stack there is. */
static uint64_t only_verdict(struct fixture *f)
{
	const struct frametree *tree = &f->dataset.tree;

	assert_int_equal(f->dataset.totals.samples, 1);
	assert_int_equal(f->in.waiting.held.n, 0);
	assert_int_equal(f->in.waiting.bytes, 0);
	assert_int_equal(tree->frames.n, 3); /* the root, the cut, the pc */
	assert_int_equal(frametree_get(tree, 1)->kind, FRAME_CUT);
	assert_int_equal(frametree_get(tree, 2)->off, 0);
	return frametree_get(tree, 1)->off;
}

static void hold_one(struct fixture *f)
{
	put_mmap(f, 2000, PID, "/lib/x");
	put_walked(f, 3000, PID);
	drain(f);
	assert_int_equal(f->dataset.totals.samples, 0);
	assert_int_equal(f->in.waiting.held.n, 1);
	assert_true(f->in.waiting.bytes >= STACK_WORDS * 8);
}

/* The rings are empty while the sample waits; once its file is there it is placed. */
static void test_waits_for_its_file(void **state)
{
	struct fixture *f = *state;
	uint32_t binary;

	hold_one(f);
	assert_int_equal(f->page[RING_SAMPLES].data_tail, f->page[RING_SAMPLES].data_head);
	assert_null(intake_files(&f->in));
	assert_int_equal(f->in.waiting.held.n, 1);
	binary = world_find_process(f->in.world, PID)->as.maps.v[0].binary;
	code_give_file(unwinder_code(f->in.unwinder), binary, NULL); /* not to be had */
	assert_null(intake_files(&f->in));
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI);
}

static void test_waits_no_longer_than_exec(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_exec(f, 3001, ID_SIDE_1, PID, "after");
	drain(f);
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

static void test_waits_no_longer_than_its_pid(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_exit(f, 3001, PID);
	drain(f);
	assert_int_equal(f->in.waiting.held.n, 1); /* its file may still come */
	put_fork(f, 3002, ID_SIDE_1, PID, PID, 50, 50);
	drain(f);
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

/* So many others ended that the world forgets its process. */
static void test_waits_no_longer_than_its_process(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_exit(f, 3001, PID);
	for (uint32_t i = 0; i < 20000 && f->in.waiting.held.n; i++) {
		put_fork(f, 4000 + 2 * i, ID_SIDE_1, 1000 + i, 1000 + i, 50, 50);
		put_exit(f, 4001 + 2 * i, 1000 + i);
		drain(f);
	}
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

static void test_waits_no_longer_than_its_code(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_mmap(f, 3001, PID, "/lib/x");
	drain(f);
	assert_int_equal(f->in.waiting.held.n, 1);
	put_mmap(f, 3002, 7, "/lib/y");
	drain(f);
	assert_int_equal(f->in.waiting.held.n, 1);
	put_mmap(f, 3003, PID, "/lib/y");
	drain(f);
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

/* Memory is bounded: one too many ends at once. */
static void test_waiting_is_bounded(void **state)
{
	struct fixture *f = *state;

	f->in.waiting.bytes = SIZE_MAX;
	put_mmap(f, 2000, PID, "/lib/x");
	put_walked(f, 3000, PID);
	drain(f);
	f->in.waiting.bytes = 0;
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

static void test_waits_to_the_end(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	assert_null(intake_finish_waiting(&f->in, UINT32_MAX));
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

#define WALKED(name) cmocka_unit_test_setup_teardown(name, setup_walked, teardown)
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_two_openings),
		TEST(test_lost_fork),
		TEST(test_followed),
		TEST(test_no_inherit),
		TEST(test_all_but_ourselves),
		TEST(test_exiting),
		TEST(test_limit_and_time),
		TEST(test_losses),
		TEST(test_restart),
		TEST(test_exec_told_twice),
		WALKED(test_waits_for_its_file),
		WALKED(test_waits_no_longer_than_exec),
		WALKED(test_waits_no_longer_than_its_pid),
		WALKED(test_waits_no_longer_than_its_process),
		WALKED(test_waits_no_longer_than_its_code),
		WALKED(test_waiting_is_bounded),
		WALKED(test_waits_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
