/* Where a file's code lies in a process, as its mappings come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/procmaps.h"

enum { PID = 7, CHILD = 8 };

struct scene {
	struct binaries binaries;
	struct procmaps *maps;
	uint32_t lib, other, jit;
};

static uint32_t binary(struct scene *s, enum binary_kind kind, const char *path)
{
	return binaries_add(&s->binaries, &(struct binary){ .kind = kind, .path = (char *)path });
}

static int setup(void **state)
{
	struct scene *s = xcalloc(1, sizeof(*s));

	binaries_init(&s->binaries);
	s->lib = binary(s, BINARY_KIND_FILE, "/lib/libx.so");
	s->other = binary(s, BINARY_KIND_FILE, "/lib/liby.so");
	s->jit = binary(s, BINARY_KIND_ANON, "//anon");
	s->maps = procmaps_create(&s->binaries);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scene *s = *state;

	procmaps_destroy(s->maps);
	binaries_deinit(&s->binaries);
	free(s);
	return 0;
}

static void map(struct scene *s, uint32_t pid, uint32_t binary, uint64_t start, uint64_t len,
		uint64_t pgoff)
{
	procmaps_apply(s->maps, &(struct proc_event){ .kind = PROC_MMAP,
						      .pid = pid,
						      .tid = pid,
						      .binary = binary,
						      .start = start,
						      .len = len,
						      .pgoff = pgoff });
}

/* 0: not known. */
static uint64_t avma(struct scene *s, uint32_t pid, uint32_t binary, uint64_t off)
{
	uint64_t ret = 1;
	bool known = procmaps_avma(s->maps, pid, binary, off, &ret);

	assert_true(known || ret == 1);
	return known ? ret : 0;
}

static void test_an_offset_lies_in_its_mapping(void **state)
{
	struct scene *s = *state;

	map(s, PID, s->lib, 0x7f0000001000, 0x2000, 0x1000);
	assert_int_equal(avma(s, PID, s->lib, 0x1000), 0x7f0000001000);
	assert_int_equal(avma(s, PID, s->lib, 0x2fff), 0x7f0000002fff);
	assert_int_equal(avma(s, PID, s->lib, 0x3000), 0);
	assert_int_equal(avma(s, PID, s->lib, 0xfff), 0);
	assert_int_equal(avma(s, PID, s->other, 0x1000), 0);
	assert_int_equal(avma(s, CHILD, s->lib, 0x1000), 0);
}

static void test_the_newest_mapping_counts(void **state)
{
	struct scene *s = *state;

	map(s, PID, s->lib, 0x2000, 0x2000, 0);
	map(s, PID, s->lib, 0x8000, 0x1000, 0);
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0x8010);
	assert_int_equal(avma(s, PID, s->lib, 0x1010), 0x3010);
	/* What is gone from there is where it was before. */
	map(s, PID, s->other, 0x8000, 0x1000, 0);
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0x2010);
	assert_int_equal(avma(s, PID, s->other, 0x10), 0x8010);
	map(s, PID, s->jit, 0x2000, 0x1000, 0x2000);
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0);
	assert_int_equal(avma(s, PID, s->lib, 0x1010), 0x3010);
}

static void test_fork_copies_and_exec_clears(void **state)
{
	struct scene *s = *state;
	struct proc_event fork = { .kind = PROC_FORK, .pid = CHILD, .tid = CHILD, .ppid = PID };
	struct proc_event comm = { .kind = PROC_COMM, .pid = CHILD, .tid = CHILD, .comm = "x" };

	map(s, CHILD, s->other, 0x9000, 0x1000, 0); /* of an earlier process of that number */
	map(s, PID, s->lib, 0x2000, 0x1000, 0);
	procmaps_apply(s->maps, &fork);
	assert_int_equal(avma(s, CHILD, s->lib, 0x10), 0x2010);
	assert_int_equal(avma(s, CHILD, s->other, 0x10), 0);
	map(s, CHILD, s->lib, 0x4000, 0x1000, 0);
	assert_int_equal(avma(s, CHILD, s->lib, 0x10), 0x4010);
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0x2010);
	procmaps_apply(s->maps, &comm);
	assert_int_equal(avma(s, CHILD, s->lib, 0x10), 0x4010);
	comm.exec = true;
	procmaps_apply(s->maps, &comm);
	assert_int_equal(avma(s, CHILD, s->lib, 0x10), 0);
	assert_null(addrspace_find(procmaps_space(s->maps, CHILD), 0x4010));
	assert_non_null(addrspace_find(procmaps_space(s->maps, PID), 0x2010));
	/* A thread is a FORK too. */
	procmaps_apply(s->maps, &(struct proc_event){
					.kind = PROC_FORK, .pid = PID, .tid = 9, .ppid = PID });
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0x2010);
}

/* Of a merge, one number is several processes. */
static void test_origins(void **state)
{
	struct scene *s = *state;
	uint64_t there = threads_process(1, PID), child = threads_process(1, CHILD), ret;
	struct proc_event e = {
		.origin = 1, .pid = PID, .binary = s->lib, .start = 0x4000, .len = 0x1000
	};

	map(s, PID, s->lib, 0x2000, 0x1000, 0);
	map(s, CHILD, s->other, 0x9000, 0x1000, 0);
	procmaps_apply(s->maps, &e);
	e = (struct proc_event){ .kind = PROC_FORK, .origin = 1, .pid = CHILD, .ppid = PID };
	procmaps_apply(s->maps, &e);
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0x2010);
	assert_true(procmaps_avma(s->maps, there, s->lib, 0x10, &ret) && ret == 0x4010);
	assert_true(procmaps_avma(s->maps, child, s->lib, 0x10, &ret) && ret == 0x4010);
	assert_int_equal(avma(s, CHILD, s->lib, 0x10), 0);
	assert_int_equal(avma(s, CHILD, s->other, 0x10), 0x9010);
	e = (struct proc_event){ .kind = PROC_COMM, .origin = 1, .pid = PID, .exec = true };
	procmaps_apply(s->maps, &e);
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0x2010);
	assert_false(procmaps_avma(s->maps, there, s->lib, 0x10, &ret));
}

static void test_dumps_of_code(void **state)
{
	struct scene *s = *state;
	uint32_t dump = binary(s, BINARY_KIND_FILE, "/tmp/jit-7.dump");
	struct proc_event fork = { .kind = PROC_FORK, .pid = CHILD, .tid = CHILD, .ppid = PID };
	struct proc_event exec = { .kind = PROC_COMM, .pid = PID, .comm = "x", .exec = true };

	map(s, PID, s->lib, 0x2000, 0x1000, 0);
	assert_false(procmaps_dumps_code(s->maps, PID));
	map(s, PID, dump, 0x4000, 0x1000, 0);
	map(s, PID, s->jit, 0x4000, 0x1000, 0x4000); /* it stays open, not mapped */
	assert_true(procmaps_dumps_code(s->maps, PID));
	procmaps_apply(s->maps, &fork);
	procmaps_apply(s->maps, &exec);
	assert_true(procmaps_dumps_code(s->maps, CHILD));
	assert_false(procmaps_dumps_code(s->maps, PID));
}

static void test_mappings_without_end(void **state)
{
	struct scene *s = *state;

	map(s, PID, s->lib, 0x100000, 0x1000, 0);
	for (unsigned int i = 0; i < 1000; i++)
		map(s, PID, i % 2 ? s->other : s->jit, 0x2000, 0x1000, i % 2 ? 0 : 0x2000);
	assert_int_equal(avma(s, PID, s->lib, 0x10), 0x100010);
	assert_int_equal(avma(s, PID, s->other, 0x10), 0x2010);
	/* What no process can have. */
	map(s, PID, s->other, 0x3000, 0, 0);
	map(s, PID, s->other, UINT64_MAX - 0xfff, 0x2000, 0);
	assert_int_equal(avma(s, PID, s->other, 0x10), 0x2010);
	/* No sum of these runs over. */
	map(s, PID, s->lib, 0x5000, 0x1000, UINT64_MAX - 0xfff);
	assert_int_equal(avma(s, PID, s->lib, UINT64_MAX), 0x5fff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_offset_lies_in_its_mapping, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_the_newest_mapping_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fork_copies_and_exec_clears, setup, teardown),
		cmocka_unit_test_setup_teardown(test_origins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dumps_of_code, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mappings_without_end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
