/* Unit tests of model/world: literal raw events in, threads and mappings out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "model/world.h"

struct fixture {
	struct dataset data;
	struct world *w;
	uint64_t now;
	unsigned int n_mapped;
	struct mapping last_mapped;
};

static void on_mapped(void *ctx, struct process *p, const struct mapping *m)
{
	struct fixture *f = ctx;

	(void)p;
	f->n_mapped++;
	f->last_mapped = *m;
}

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .now = 1000 };
	dataset_init(&f.data);
	f.w = world_create(&f.data);
	world_on_mapped(f.w, on_mapped, &f);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	world_destroy(f->w);
	dataset_deinit(&f->data);
	return 0;
}

static void apply(struct fixture *f, struct raw_event ev)
{
	f->now += 1000;
	ev.time_ns = f->now;
	world_apply(f->w, &ev);
}

static void fork_(struct fixture *f, uint32_t ppid, uint32_t ptid, uint32_t pid, uint32_t tid)
{
	apply(f, (struct raw_event){ .kind = RAW_FORK,
				     .pid = pid,
				     .tid = tid,
				     .task = { .ppid = ppid, .ptid = ptid } });
}

static void exit_(struct fixture *f, uint32_t pid, uint32_t tid)
{
	apply(f, (struct raw_event){ .kind = RAW_EXIT, .pid = pid, .tid = tid });
}

static void comm(struct fixture *f, uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	apply(f, (struct raw_event){ .kind = RAW_COMM,
				     .pid = pid,
				     .tid = tid,
				     .comm = { .name = name, .exec = exec } });
}

static struct raw_mmap code(uint64_t start, uint64_t len, uint64_t pgoff, const char *path)
{
	return (struct raw_mmap){ .start = start,
				  .len = len,
				  .pgoff = pgoff,
				  .path = path,
				  .prot = PROT_READ | PROT_EXEC,
				  .inode = *path == '/' ? 7 : 0 };
}

static void mmap_(struct fixture *f, uint32_t pid, struct raw_mmap m)
{
	apply(f, (struct raw_event){ .kind = RAW_MMAP, .pid = pid, .tid = pid, .mmap = m });
}

static const struct binary *binary_at(struct fixture *f, uint32_t pid, uint64_t avma)
{
	const struct process *p = world_find_process(f->w, pid);
	const struct mapping *m = p ? addrspace_find(&p->as, avma) : NULL;

	return m ? binaries_get(&f->data.binaries, m->binary) : NULL;
}

static const char *path_at(struct fixture *f, uint32_t pid, uint64_t avma)
{
	const struct binary *b = binary_at(f, pid, avma);

	return b ? b->path : "none";
}

static const struct thread_entry *entry(struct fixture *f, uint32_t pid, uint32_t tid)
{
	struct thread *t = world_thread(f->w, pid, tid);

	return threads_get(&f->data.threads, world_thread_entry(f->w, t));
}

static void test_fork_inherits_and_exec_clears(void **state)
{
	struct fixture *f = *state;

	comm(f, 10, 10, "parent", false);
	mmap_(f, 10, code(0x1000, 0x1000, 0, "/bin/parent"));
	fork_(f, 10, 10, 20, 20);
	assert_string_equal(path_at(f, 20, 0x1800), "/bin/parent");
	assert_string_equal(entry(f, 20, 20)->comm, "parent");
	assert_int_equal(world_process(f->w, 20)->ppid, 10);
	assert_int_equal(world_process(f->w, 20)->as.generation,
			 world_process(f->w, 10)->as.generation);
	comm(f, 20, 20, "child", true);
	assert_string_equal(path_at(f, 20, 0x1800), "none");
	mmap_(f, 20, code(0x5000, 0x1000, 0, "/bin/child"));
	assert_string_equal(path_at(f, 20, 0x5000), "/bin/child");
	assert_string_equal(entry(f, 20, 20)->comm, "child");
	assert_string_equal(path_at(f, 10, 0x1800), "/bin/parent");
	assert_string_equal(path_at(f, 10, 0x5000), "none");
	assert_string_equal(entry(f, 10, 10)->comm, "parent");
}

static void test_threads_take_names_from_their_maker(void **state)
{
	struct fixture *f = *state;

	comm(f, 10, 10, "app", false);
	fork_(f, 10, 10, 10, 11);
	assert_string_equal(entry(f, 10, 11)->comm, "app");
	comm(f, 10, 11, "worker", false);
	fork_(f, 10, 11, 10, 12);
	assert_string_equal(entry(f, 10, 12)->comm, "worker");
	assert_string_equal(entry(f, 10, 12)->process_comm, "app");
	assert_string_equal(entry(f, 10, 10)->comm, "app");
	/* The main thread's name is the process's: every thread's entry follows. */
	comm(f, 10, 10, "renamed", false);
	assert_string_equal(entry(f, 10, 12)->process_comm, "renamed");
	assert_string_equal(entry(f, 10, 12)->comm, "worker");
	assert_ptr_equal(world_thread(f->w, 10, 11)->process, world_thread(f->w, 10, 10)->process);
}

static void test_unknown_names_say_the_number(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(entry(f, 30, 31)->comm, ":31");
	assert_string_equal(entry(f, 30, 31)->process_comm, ":30");
	assert_string_equal(entry(f, 0, 0)->comm, "swapper");
	world_name_existing(f->w, 30, 31, "late");
	assert_string_equal(entry(f, 30, 31)->comm, "late");
	comm(f, 30, 31, "later", false);
	world_name_existing(f->w, 30, 31, "stale");
	assert_string_equal(entry(f, 30, 31)->comm, "later");
}

static void test_what_ended_is_still_found(void **state)
{
	struct fixture *f = *state;

	comm(f, 10, 10, "app", true);
	mmap_(f, 10, code(0x1000, 0x1000, 0, "/bin/app"));
	struct thread *t = world_thread(f->w, 10, 10);

	exit_(f, 10, 10);
	assert_true(world_find_process(f->w, 10)->exited);
	assert_ptr_equal(world_thread(f->w, 10, 10), t);
	assert_string_equal(path_at(f, 10, 0x1000), "/bin/app");
	assert_string_equal(entry(f, 10, 10)->comm, "app");
}

static void test_pid_reuse_starts_afresh(void **state)
{
	struct fixture *f = *state;

	comm(f, 1, 1, "init", false);
	comm(f, 10, 10, "old", true);
	mmap_(f, 10, code(0x1000, 0x1000, 0, "/bin/old"));
	fork_(f, 10, 10, 10, 11);
	uint32_t old = world_thread_entry(f->w, world_thread(f->w, 10, 10));

	exit_(f, 10, 11);
	assert_false(world_find_process(f->w, 10)->exited);
	exit_(f, 10, 10);
	fork_(f, 1, 1, 10, 10);
	assert_int_equal(world_find_process(f->w, 10)->incarnation, 1);
	assert_string_equal(path_at(f, 10, 0x1000), "none");
	assert_string_equal(entry(f, 10, 10)->comm, "init");
	assert_int_equal(entry(f, 10, 10)->incarnation, 1);
	/* Same names again, yet another process: another entry. */
	comm(f, 10, 10, "old", true);
	assert_int_not_equal(world_thread_entry(f->w, world_thread(f->w, 10, 10)), old);
	assert_string_equal(threads_get(&f->data.threads, old)->comm, "old");
	assert_int_equal(threads_get(&f->data.threads, old)->incarnation, 0);
}

static void test_pid_reuse_when_the_exit_was_lost(void **state)
{
	struct fixture *f = *state;

	comm(f, 1, 1, "init", false);
	fork_(f, 1, 1, 10, 10);
	mmap_(f, 10, code(0x1000, 0x1000, 0, "/bin/old"));
	f->now += 5000000000;
	fork_(f, 1, 1, 10, 10);
	assert_string_equal(path_at(f, 10, 0x1000), "none");
	assert_int_equal(world_find_process(f->w, 10)->incarnation, 1);
}

static void test_tid_moves_to_another_process(void **state)
{
	struct fixture *f = *state;

	comm(f, 10, 10, "one", false);
	fork_(f, 10, 10, 10, 12);
	exit_(f, 10, 12);
	comm(f, 11, 11, "two", false);
	fork_(f, 11, 11, 11, 12);
	assert_int_equal(entry(f, 11, 12)->pid, 11);
	assert_int_equal(entry(f, 11, 12)->incarnation, 0); /* of the process */
	assert_string_equal(entry(f, 11, 12)->comm, "two");
	assert_int_equal(world_find_process(f->w, 10)->n_threads, 1);
	assert_int_equal(world_find_process(f->w, 11)->n_threads, 2);
	/* Without a FORK too (lost, or from before recording). */
	assert_string_equal(entry(f, 10, 12)->process_comm, "one");
	assert_int_equal(world_find_process(f->w, 11)->n_threads, 1);
}

static void test_fork_after_the_first_events_of_the_child(void **state)
{
	struct fixture *f = *state;

	comm(f, 10, 10, "parent", false);
	mmap_(f, 10, code(0x1000, 0x3000, 0, "/bin/parent"));
	/* The child's sample and a mapping overtake the FORK. */
	struct thread *t = world_thread(f->w, 20, 20);

	mmap_(f, 20, code(0x2000, 0x1000, 0, "/lib/new.so"));
	fork_(f, 10, 10, 20, 20);
	assert_ptr_equal(world_thread(f->w, 20, 20), t);
	assert_string_equal(path_at(f, 20, 0x1000), "/bin/parent");
	assert_string_equal(path_at(f, 20, 0x2000), "/lib/new.so");
	assert_string_equal(path_at(f, 20, 0x3000), "/bin/parent");
	assert_string_equal(entry(f, 20, 20)->comm, "parent");
	/* The FORK through a second opening changes nothing. */
	mmap_(f, 20, code(0x3000, 0x1000, 0, "/lib/newer.so"));
	fork_(f, 10, 10, 20, 20);
	assert_string_equal(path_at(f, 20, 0x3000), "/lib/newer.so");
	/* One that comes after the exec brings no mapping back. */
	comm(f, 30, 30, "exec", true);
	mmap_(f, 30, code(0x8000, 0x1000, 0, "/bin/exec"));
	fork_(f, 10, 10, 30, 30);
	assert_string_equal(path_at(f, 30, 0x1000), "none");
	assert_string_equal(path_at(f, 30, 0x8000), "/bin/exec");
	assert_string_equal(entry(f, 30, 30)->comm, "exec");
}

static void test_exec_ends_the_other_threads(void **state)
{
	struct fixture *f = *state;

	comm(f, 10, 10, "app", false);
	fork_(f, 10, 10, 10, 11);
	fork_(f, 10, 10, 10, 12);
	comm(f, 10, 10, "next", true);
	assert_int_equal(world_find_process(f->w, 10)->n_threads, 1);
	exit_(f, 10, 11);
	exit_(f, 10, 12);
	assert_false(world_find_process(f->w, 10)->exited);
	exit_(f, 10, 10);
	assert_true(world_find_process(f->w, 10)->exited);
}

static void test_mappings_from_proc_yield(void **state)
{
	struct fixture *f = *state;
	struct raw_mmap old = code(0x1000, 0x3000, 0x10000, "/lib/old.so");

	mmap_(f, 10, code(0x2000, 0x1000, 0, "/lib/new.so"));
	f->n_mapped = 0;
	world_map_existing(f->w, 10, &old);
	assert_int_equal(f->n_mapped, 2);
	assert_int_equal(f->last_mapped.start, 0x3000);
	assert_int_equal(f->last_mapped.pgoff, 0x12000);
	assert_string_equal(path_at(f, 10, 0x1000), "/lib/old.so");
	assert_string_equal(path_at(f, 10, 0x2000), "/lib/new.so");
	/* Once more, as for every thread of a process: nothing. */
	uint64_t generation = world_find_process(f->w, 10)->as.generation;

	world_map_existing(f->w, 10, &old);
	mmap_(f, 10, code(0x3000, 0x1000, 0x12000, "/lib/old.so"));
	assert_int_equal(f->n_mapped, 2);
	assert_int_equal(world_find_process(f->w, 10)->as.generation, generation);
}

static void test_what_paths_mean(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *path, *want;
		enum binary_kind kind;
		uint32_t pid;
		uint64_t off; /* of the mapping's start, which is mapped with pgoff 0x3000 */
		bool deleted;
	} cases[] = {
		{ "/usr/bin/x", "/usr/bin/x", BINARY_KIND_FILE, 0, 0x3000, false },
		{ "/usr/bin/x (deleted)", "/usr/bin/x", BINARY_KIND_FILE, 0, 0x3000, true },
		{ "/memfd:jit (deleted)", "/memfd:jit", BINARY_KIND_FILE, 0, 0x3000, true },
		{ "//toolong", "//toolong", BINARY_KIND_FILE, 0, 0x3000, false },
		{ "//anon", "[anon]", BINARY_KIND_ANON, 10, 0x100000, false },
		{ "", "[anon]", BINARY_KIND_ANON, 10, 0x100000, false },
		{ "/SYSV00000000 (deleted)", "[anon]", BINARY_KIND_ANON, 10, 0x100000, false },
		{ "/dev/zero (deleted)", "[anon]", BINARY_KIND_ANON, 10, 0x100000, false },
		{ "anon_inode:[x]", "[anon]", BINARY_KIND_ANON, 10, 0x100000, false },
		{ "[heap]", "[heap]", BINARY_KIND_ANON, 10, 0x100000, false },
		{ "[stack]", "[stack]", BINARY_KIND_ANON, 10, 0x100000, false },
		{ "[vsyscall]", "[vsyscall]", BINARY_KIND_ANON, 0, 0x100000, false },
		{ "[vdso]", "[vdso]", BINARY_KIND_VDSO, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mmap_(f, 10, code(0x100000, 0x1000, 0x3000, cases[i].path));
		const struct binary *b = binary_at(f, 10, 0x100000);

		assert_non_null(b);
		assert_string_equal(b->path, cases[i].want);
		assert_int_equal(b->kind, cases[i].kind);
		assert_int_equal(b->pid, cases[i].pid);
		assert_int_equal(f->last_mapped.pgoff, cases[i].off);
		if (i != 0) /* the first became deleted with the second */
			assert_int_equal(b->deleted, cases[i].deleted);
	}
}

static void test_what_is_no_code_is_not_mapped(void **state)
{
	struct fixture *f = *state;
	struct raw_mmap m = code(0x1000, 0x1000, 0, "/lib/x.so");

	m.prot = PROT_READ;
	mmap_(f, 10, m);
	m.prot = 0;
	m.data = true;
	mmap_(f, 10, m);
	mmap_(f, 10, code(0x1000, 0, 0, "/lib/x.so"));
	mmap_(f, 10, code(UINT64_MAX - 0xfff, 0x2000, 0, "/lib/x.so"));
	assert_int_equal(f->n_mapped, 0);
	/* PERF_RECORD_MMAP says no protection. */
	m.data = false;
	mmap_(f, 10, m);
	assert_int_equal(f->n_mapped, 1);
}

/* /proc knows a file's inode, a record its build-id: two numbers until the file was read. */
static void test_one_file_known_in_two_ways(void **state)
{
	struct fixture *f = *state;
	static const uint8_t id[20] = { 1 };
	struct raw_mmap by_inode = code(0x1000, 0x1000, 0, "/lib/x.so"), by_id = by_inode;

	by_id.start = 0x3000;
	by_id.inode = 0;
	by_id.build_id = id;
	by_id.build_id_len = sizeof(id);
	world_map_existing(f->w, 10, &by_inode);
	mmap_(f, 10, by_id);
	uint32_t a = addrspace_find(&world_process(f->w, 10)->as, 0x1000)->binary;
	uint32_t b = addrspace_find(&world_process(f->w, 10)->as, 0x3000)->binary;
	uint32_t *same = binaries_same(&f->data.binaries);

	assert_int_not_equal(a, b);
	assert_int_equal(same[b], b);
	free(same);
	memcpy(binaries_get(&f->data.binaries, a)->build_id, id, sizeof(id));
	binaries_get(&f->data.binaries, a)->build_id_len = sizeof(id);
	same = binaries_same(&f->data.binaries);
	assert_int_equal(same[b], a);
	free(same);
}

static void test_exit_of_an_unknown_thread_is_not_the_last(void **state)
{
	struct fixture *f = *state;

	world_map_existing(f->w, 10,
			   &(struct raw_mmap){ .start = 0x1000, .len = 0x1000, .path = "/bin/x" });
	exit_(f, 10, 11);
	assert_false(world_find_process(f->w, 10)->exited);
	exit_(f, 10, 10);
	assert_true(world_find_process(f->w, 10)->exited);
	exit_(f, 99, 99);
}

static void count(void *ctx, struct process *p)
{
	(void)p;
	++*(unsigned int *)ctx;
}

/* Memory follows what lives: of 100,000 processes that came and went on as many numbers, those long
 * ended are forgotten, and nothing of theirs shows in what comes after. */
static void test_churn_is_forgotten(void **state)
{
	struct fixture *f = *state;
	unsigned int n_live = 0;

	comm(f, 1, 1, "init", false);
	mmap_(f, 1, code(0x1000, 0x1000, 0, "/bin/init"));
	for (uint32_t pid = 10; pid < 100010; pid++) {
		fork_(f, 1, 1, pid, pid);
		fork_(f, pid, pid, pid, pid + 200000);
		exit_(f, pid, pid + 200000);
		exit_(f, pid, pid);
	}
	assert_null(world_find_process(f->w, 10));
	assert_string_equal(path_at(f, 100009, 0x1000), "/bin/init");
	world_each_process(f->w, count, &n_live);
	assert_int_equal(n_live, 1);
	fork_(f, 1, 1, 10, 10);
	assert_int_equal(world_find_process(f->w, 10)->incarnation, 1);
}

/* Events in an order no kernel writes: nothing to find, nothing to break. */
static void test_nonsense_is_survived(void **state)
{
	struct fixture *f = *state;
	uint32_t x = 1;

	for (int i = 0; i < 200000; i++) {
		x = x * 1664525 + 1013904223;
		uint32_t pid = 1 + (x >> 8) % 40, tid = 1 + (x >> 16) % 80;

		switch (x >> 28) {
		case 0:
		case 1:
		case 2:
		case 3:
			fork_(f, 1 + (x >> 4) % 40, tid, pid, tid);
			break;
		case 4:
		case 5:
		case 6:
		case 7:
			exit_(f, pid, tid);
			break;
		case 8:
			comm(f, pid, tid, "x", x & 64);
			break;
		case 9:
		case 10:
			mmap_(f, pid, code(0x1000 * tid, 0x3000, 0, "/x"));
			break;
		case 11:
			f->now += 2000000000;
			break;
		default:
			assert_int_equal(entry(f, pid, tid)->tid, tid);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fork_inherits_and_exec_clears),
		TEST(test_threads_take_names_from_their_maker),
		TEST(test_unknown_names_say_the_number),
		TEST(test_what_ended_is_still_found),
		TEST(test_pid_reuse_starts_afresh),
		TEST(test_pid_reuse_when_the_exit_was_lost),
		TEST(test_tid_moves_to_another_process),
		TEST(test_fork_after_the_first_events_of_the_child),
		TEST(test_exec_ends_the_other_threads),
		TEST(test_mappings_from_proc_yield),
		TEST(test_what_paths_mean),
		TEST(test_what_is_no_code_is_not_mapped),
		TEST(test_one_file_known_in_two_ways),
		TEST(test_exit_of_an_unknown_thread_is_not_the_last),
		TEST(test_churn_is_forgotten),
		TEST(test_nonsense_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
