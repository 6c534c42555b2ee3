/* Unit tests of capture/waiting: samples whose stacks need a file that has not been read yet. */
#include "intake-fixture.h"

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

/* /lib/x turns out not to be had, which ends a stack otherwise than not having been read. */
static void expect_placed_by_its_file(struct fixture *f)
{
	assert_int_equal(f->dataset.totals.samples, 0);
	assert_int_equal(f->in.waiting.held.n, 1);
	for (uint32_t i = 0; i < f->dataset.binaries.v.n; i++) {
		const char *path = binaries_get(&f->dataset.binaries, i)->path;

		if (path && !strcmp(path, "/lib/x"))
			code_give_file(unwinder_code(f->in.unwinder), i, NULL);
	}
	assert_null(intake_files(&f->in));
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI);
	assert_int_equal(f->in.waiting.left.n, 0);
}

/* What was mapped when the sample was taken is what it is unwound in. */
static void test_waits_through_exec(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_exec(f, 3001, ID_SIDE_1, PID, "after");
	put_mmap(f, 3002, PID, "/lib/y");
	drain(f);
	assert_int_equal(f->in.waiting.left.n, 1);
	assert_true(f->in.waiting.bytes > f->in.waiting.held.v[0].len);
	expect_placed_by_its_file(f);
}

/* Of a kept stack the reader knows only the mappings told before it. */
static void test_kept_stack_waits_no_longer_than_exec(void **state)
{
	struct fixture *f = *state;

	f->in.keep_stacks = true;
	hold_one(f);
	put_exec(f, 3001, ID_SIDE_1, PID, "after");
	drain(f);
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

static void test_waits_beyond_its_pid(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_exit(f, 3001, PID);
	drain(f);
	assert_int_equal(f->in.waiting.left.n, 0);
	put_fork(f, 3002, ID_SIDE_1, PID, PID, 50, 50);
	drain(f);
	expect_placed_by_its_file(f);
}

/* So many others ended that the world forgets its process. */
static void test_waits_beyond_its_process(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_exit(f, 3001, PID);
	for (uint32_t i = 0; i < 20000 && !f->in.waiting.left.n; i++) {
		put_fork(f, 4000 + 2 * i, ID_SIDE_1, 1000 + i, 1000 + i, 50, 50);
		put_exit(f, 4001 + 2 * i, 1000 + i);
		drain(f);
	}
	expect_placed_by_its_file(f);
}

static void test_waits_beyond_its_code(void **state)
{
	struct fixture *f = *state;

	hold_one(f);
	put_mmap(f, 3001, PID, "/lib/x");
	drain(f);
	put_mmap(f, 3002, 7, "/lib/y");
	drain(f);
	assert_int_equal(f->in.waiting.left.n, 0);
	put_mmap(f, 3003, PID, "/lib/y");
	drain(f);
	assert_int_equal(f->in.waiting.left.n, 1);
	expect_placed_by_its_file(f);
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
	assert_null(intake_finish_waiting(&f->in));
	assert_int_equal(only_verdict(f), VERDICT_NO_CFI_YET);
}

#define WALKED(name) cmocka_unit_test_setup_teardown(name, setup_walked, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALKED(test_waits_for_its_file),
		WALKED(test_waits_through_exec),
		WALKED(test_kept_stack_waits_no_longer_than_exec),
		WALKED(test_waits_beyond_its_pid),
		WALKED(test_waits_beyond_its_process),
		WALKED(test_waits_beyond_its_code),
		WALKED(test_waiting_is_bounded),
		WALKED(test_waits_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
