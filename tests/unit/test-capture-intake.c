/* Unit tests of capture/intake and capture/tasks: literal rings in, counted samples out. */
#include "intake-fixture.h"

#include "recording/reader.h"

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_two_openings),      TEST(test_lost_fork),
		TEST(test_followed),          TEST(test_no_inherit),
		TEST(test_all_but_ourselves), TEST(test_exiting),
		TEST(test_limit_and_time),    TEST(test_losses),
		TEST(test_restart),           TEST(test_exec_told_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
