/* Unit tests of the recorder's reading of /proc and of its target lists: literal texts, hostile
 * ones among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/ending.h"
#include "capture/hits.h"
#include "capture/meta.h"
#include "capture/rings.h"
#include "capture/target.h"
#include "model/notes.h"

static void test_maps(void **state)
{
	char text[] = "55d0c0000000-55d0c0002000 r-xp 00001000 08:01 1234     /usr/bin/a b\n"
		      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0\n"
		      "7f0000001000-7f0000003000 r-xs fffffffffffff000 fd:1f 18446744073709551615 "
		      "/x\\012y (deleted)\n"
		      "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0          [vdso]";
	char *at = text;
	struct raw_mmap m;

	(void)state;
	assert_true(procfs_next_map(&at, &m));
	assert_int_equal(m.start, 0x55d0c0000000);
	assert_int_equal(m.len, 0x2000);
	assert_int_equal(m.pgoff, 0x1000);
	assert_int_equal(m.dev_major, 8);
	assert_int_equal(m.dev_minor, 1);
	assert_int_equal(m.inode, 1234);
	assert_int_equal(m.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(m.flags, MAP_PRIVATE);
	assert_string_equal(m.path, "/usr/bin/a b");
	assert_false(m.data);
	assert_true(procfs_next_map(&at, &m));
	assert_string_equal(m.path, "//anon");
	assert_true(m.data);
	assert_true(procfs_next_map(&at, &m));
	assert_string_equal(m.path, "/x\ny (deleted)");
	assert_int_equal(m.pgoff, 0xfffffffffffff000);
	assert_int_equal(m.inode, UINT64_MAX);
	assert_int_equal(m.dev_minor, 0x1f);
	assert_int_equal(m.flags, MAP_SHARED);
	assert_true(procfs_next_map(&at, &m)); /* the last line needs no newline */
	assert_string_equal(m.path, "[vdso]");
	assert_false(procfs_next_map(&at, &m));
}

static void test_maps_hostile(void **state)
{
	/* Each line but the last is damaged in its own way. */
	char text[] = "\n"
		      "garbage\n"
		      "2000-1000 r-xp 0 08:01 1 /backwards\n"
		      "1000-1000 r-xp 0 08:01 1 /empty\n"
		      "-1-2000 r-xp 0 08:01 1 /sign\n"
		      "10000000000000000-20000000000000000 r-xp 0 08:01 1 /too-long\n"
		      "1000-2000 r-x\n"
		      "1000-2000 r-xp\n"
		      "1000-2000 r-xp 0 0801 1 /no-colon\n"
		      "1000-2000 r-xp 0 08:01\n"
		      "3000-4000 r-xp 0 08:01 1 /good\n";
	char *at = text;
	struct raw_mmap m;

	(void)state;
	assert_true(procfs_next_map(&at, &m));
	assert_string_equal(m.path, "/good");
	assert_int_equal(m.start, 0x3000);
	assert_false(procfs_next_map(&at, &m));
}

static void test_status(void **state)
{
	/* A name may hold anything but a newline, which the kernel escapes. */
	static const char text[] = "Name:\tUid:\t7\n"
				   "Tgid:\t77\n"
				   "Uid:\t1000\t1001\t1002\t1003\n"
				   "voluntary_ctxt_switches:\t150\n"
				   "nonvoluntary_ctxt_switches:\t545\n"
				   "Bad:\t-1\n";
	uint64_t v = 0;

	(void)state;
	assert_true(procfs_status(text, "Uid", &v));
	assert_int_equal(v, 1000);
	assert_true(procfs_status(text, "Tgid", &v));
	assert_int_equal(v, 77);
	assert_true(procfs_status(text, "voluntary_ctxt_switches", &v));
	assert_int_equal(v, 150);
	assert_true(procfs_status(text, "nonvoluntary_ctxt_switches", &v));
	assert_int_equal(v, 545);
	assert_false(procfs_status(text, "Bad", &v));
	assert_false(procfs_status(text, "NSpid", &v));
	assert_false(procfs_status("", "Uid", &v));
}

static void assert_bad_list(const char *text)
{
	u32_vec v = { 0 };

	assert_false(procfs_parse_list(text, 100, &v));
	vec_deinit(&v);
}

static void test_lists(void **state)
{
	static const uint32_t want[] = { 0, 1, 2, 3, 7 };
	u32_vec v = { 0 };

	(void)state;
	assert_true(procfs_parse_list("0-3,7\n", 100, &v));
	assert_int_equal(v.n, 5);
	assert_memory_equal(v.v, want, sizeof(want));
	vec_deinit(&v);
	assert_bad_list("");
	assert_bad_list("1,");
	assert_bad_list(",1");
	assert_bad_list("3-1");
	assert_bad_list("0-101");
	assert_bad_list("1 2");
	assert_bad_list("-1");
	assert_bad_list("99999999999999999999");
	assert_bad_list("1\n\n");
}

static void assert_bad_ids(const char *text)
{
	struct target t = { 0 };
	struct err *err = target_parse_ids(&t, TARGET_PIDS, text);

	assert_non_null(err);
	assert_int_equal(t.kind, TARGET_NONE);
	err_destroy(err);
	target_deinit(&t);
}

static void test_target_ids(void **state)
{
	struct target t = { 0 };

	(void)state;
	assert_null(target_parse_ids(&t, TARGET_PIDS, "30,20,30"));
	assert_null(target_parse_ids(&t, TARGET_PIDS, "10"));
	assert_int_equal(t.kind, TARGET_PIDS);
	assert_int_equal(t.ids.n, 3);
	assert_int_equal(t.ids.v[0], 10);
	assert_int_equal(t.ids.v[1], 20);
	assert_int_equal(t.ids.v[2], 30);
	target_deinit(&t);
	assert_bad_ids("");
	assert_bad_ids("0");
	assert_bad_ids("1-3");
	assert_bad_ids("12x");
	assert_bad_ids("2147483648");
}

static void test_target_user(void **state)
{
	struct target t = { 0 };

	(void)state;
	assert_null(target_parse_user(&t, "65534"));
	assert_int_equal(t.uid, 65534);
	assert_int_equal(t.kind, TARGET_UID);
	assert_null(target_parse_user(&t, "root"));
	assert_int_equal(t.uid, 0);
	struct err *err = target_parse_user(&t, "no such user");

	assert_non_null(err);
	err_destroy(err);
	target_deinit(&t);
}

static void test_ring_pages(void **state)
{
	struct rings_demand d = {
		.sample_bytes = 320, .rate = 999, .memory = 24ULL << 30, .page = 4096
	};

	(void)state;
	assert_int_equal(rings_pages(&d, 2), 128); /* half a second is less than the least */
	d.rate = 49999;
	assert_int_equal(rings_pages(&d, 2), 2048); /* 8 MB, rounded up */
	d.sample_bytes = 340;
	assert_int_equal(rings_pages(&d, 2), 2048); /* 8.5 MB: as near to 8 MiB as it may be */
	d.sample_bytes = 2048;
	assert_int_equal(rings_pages(&d, 2), 4096); /* a tenth is enough beyond 16 MiB */
	d.sample_bytes = 65536;
	assert_int_equal(rings_pages(&d, 2), 16384); /* at most 64 MiB a CPU */
	assert_int_equal(rings_pages(&d, 64), 1024); /* at most 2 % of memory in all */
	d.rate = 0;
	assert_int_equal(rings_pages(&d, 2), 1024);
	d.asked = 5 * 4096;
	assert_int_equal(rings_pages(&d, 2), 8);
	d.asked = 1;
	assert_int_equal(rings_pages(&d, 2), 1);
}

static void test_ring_wake(void **state)
{
	struct rings_demand d = { .sample_bytes = 16384, .rate = 1000 };

	(void)state;
	assert_int_equal(rings_wake_ns(&d, 8 << 20), 462000000); /* 512 ms are full */
	d.rate = 4000;
	assert_int_equal(rings_wake_ns(&d, 8 << 20), 78000000);
	d.rate = 8000;
	assert_int_equal(rings_wake_ns(&d, 8 << 20), 32000000); /* half */
	assert_int_equal(rings_wake_ns(&d, 64 << 10), 0);
	d.rate = 0;
	assert_int_equal(rings_wake_ns(&d, 8 << 20), 0);
	d.rate = UINT64_MAX / 2;
	assert_int_equal(rings_wake_ns(&d, 8 << 20), 0);
}

static void test_note_build_id(void **state)
{
	static const uint8_t notes[] = {
		/* one of another kind, its name padded to a word */
		6, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 'L', 'i', 'n', 'u', 'x', 0, 0, 0, 9, 0, 0, 0,
		/* NT_GNU_BUILD_ID */
		4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0xef, 0
	};
	uint8_t id[BUILD_ID_MAX];
	uint8_t hostile[sizeof(notes)];

	(void)state;
	assert_int_equal(notes_build_id(notes, sizeof(notes), id), 3);
	assert_memory_equal(id, "\xab\xcd\xef", 3);
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_int_equal(notes_build_id(notes, len, id), 0);
	memcpy(hostile, notes, sizeof(notes));
	memset(hostile + 28, 0xff, 4); /* its length */
	assert_int_equal(notes_build_id(hostile, sizeof(hostile), id), 0);
}

/* main → work → leaf, and a kernel thread's stack; then a restart. */
static void test_hits(void **state)
{
	struct frametree tree;
	struct hits h;

	(void)state;
	frametree_init(&tree);
	hits_init(&h);
	uint32_t root = frametree_add(&tree, 0, 2, 0x100, FRAME_RETURN);
	uint32_t work = frametree_add(&tree, root, 2, 0x200, FRAME_RETURN);
	uint32_t leaf = frametree_add(&tree, work, 2, 0x300, FRAME_PC);
	uint32_t kernel = frametree_add(&tree, 0, BINARY_KERNEL, 0x900, FRAME_PC);
	uint32_t cut = frametree_add(&tree, 0, 0, VERDICT_DEPTH_LIMIT, FRAME_CUT);
	uint32_t deep = frametree_add(&tree, cut, 2, 0x300, FRAME_PC);

	hits_add(&h, leaf);
	hits_add(&h, leaf);
	hits_add(&h, work);
	hits_add(&h, kernel);
	hits_add(&h, deep);
	hits_collect(&h, &tree);
	frametree_clear(&tree);
	hits_add(&h, frametree_add(&tree, 0, 2, 0x100, FRAME_RETURN));
	hits_collect(&h, &tree);
	assert_int_equal(h.cuts.n, 1);
	assert_int_equal(h.cuts.v[0].samples, 1);
	assert_int_equal(h.places.n, 4);
	for (size_t i = 0; i < h.places.n; i++) {
		const struct hit *hit = &h.places.v[i];

		if (hit->key == 0xff) /* the return address less one */
			assert_int_equal(hit->outermost, 4);
		else if (hit->key == 0x900)
			assert_int_equal(hit->outermost, 1);
		else
			assert_int_equal(hit->outermost, 0);
	}
	hits_deinit(&h);
	frametree_deinit(&tree);
}

/* Whose events of its end were lost, and whom nobody has reaped yet. */
static void test_zombie_is_not_alive(void **state)
{
	struct dataset data;
	pid_t child = fork();
	siginfo_t info;

	(void)state;
	if (!child)
		_exit(0);
	assert_true(child > 0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	dataset_init(&data);
	struct world *world = world_create(&data);

	world_thread(world, (uint32_t)child, (uint32_t)child);
	assert_false(ending_any_alive(world));
	world_thread(world, (uint32_t)getpid(), (uint32_t)getpid());
	assert_true(ending_any_alive(world));
	world_destroy(world);
	dataset_deinit(&data);
	waitpid(child, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_maps_hostile),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_target_ids),
		cmocka_unit_test(test_target_user),
		cmocka_unit_test(test_ring_pages),
		cmocka_unit_test(test_ring_wake),
		cmocka_unit_test(test_note_build_id),
		cmocka_unit_test(test_hits),
		cmocka_unit_test(test_zombie_is_not_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
