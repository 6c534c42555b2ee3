/* Maps of JIT code, as written by compilers and as found in /tmp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "symbol/perfmap.h"

static struct perfmap map_of(const char *text)
{
	_cleanup_close_ int fd = memfd_create("map", MFD_CLOEXEC);
	struct perfmap map;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	struct err *err = perfmap_read(fd, &map);

	assert_null(err);
	return map;
}

/* The name at one address among others; "" for none. */
static const char *name_at(const struct perfmap *map, uint64_t addr)
{
	uint64_t addrs[] = { 0, addr, addr, UINT64_MAX };
	uint32_t found[4];

	perfmap_find(map, addrs, 4, found);
	assert_int_equal(found[1], found[2]);
	return found[1] == UINT32_MAX ? "" : map->text + map->v.v[found[1]].name;
}

static void test_lines(void **state)
{
	struct perfmap map = map_of("1000 10 a\n0x2000 0x20 LazyCompile:*f /x y.js:1:2;z\nzz 1 b\n"
				    "3000 0 empty\n4000 10\n5000  10  blanks\n6000 10 half");

	(void)state;
	assert_int_equal(map.v.n, 3);
	assert_string_equal(name_at(&map, 0x1000), "a");
	assert_string_equal(name_at(&map, 0x100f), "a");
	assert_string_equal(name_at(&map, 0x1010), "");
	assert_string_equal(name_at(&map, 0x201f), "LazyCompile:*f /x y.js:1:2;z");
	assert_string_equal(name_at(&map, 0x3000), "");
	assert_string_equal(name_at(&map, 0x5001), "blanks");
	assert_string_equal(name_at(&map, 0x6000), "");
	perfmap_deinit(&map);
}

static void test_last_wins(void **state)
{
	struct perfmap map = map_of("1000 100 old\n1010 10 middle\n1000 8 new\n1018 4 in middle\n");

	(void)state;
	assert_string_equal(name_at(&map, 0x1000), "new");
	assert_string_equal(name_at(&map, 0x1008), "old");
	assert_string_equal(name_at(&map, 0x1010), "middle");
	assert_string_equal(name_at(&map, 0x1019), "in middle");
	assert_string_equal(name_at(&map, 0x101c), "middle");
	assert_string_equal(name_at(&map, 0x1020), "old");
	perfmap_deinit(&map);
}

static void test_numbers_that_overflow(void **state)
{
	struct perfmap map =
		map_of("ffffffffffffffff 2 a\n10000000000000000 1 b\n1 ffffffffffffffff c\n"
		       "fffffffffffffff0 f top\n");

	(void)state;
	assert_int_equal(map.v.n, 1);
	assert_string_equal(name_at(&map, 0xfffffffffffffff4), "top");
	perfmap_deinit(&map);
}

static void test_empty(void **state)
{
	struct perfmap map = map_of("");

	(void)state;
	assert_string_equal(name_at(&map, 1), "");
	perfmap_deinit(&map);
}

/* Against a walk over all entries. */
static void test_random(void **state)
{
	char text[8192] = "";
	size_t len = 0;
	uint64_t addrs[512];
	uint32_t found[512];

	(void)state;
	srand(7);
	for (int i = 0; i < 200; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%x %x n%d\n", rand() % 512,
					rand() % 40, i);
	struct perfmap map = map_of(text);

	for (size_t i = 0; i < 512; i++)
		addrs[i] = i;
	perfmap_find(&map, addrs, 512, found);
	for (size_t i = 0; i < 512; i++) {
		uint32_t want = UINT32_MAX;

		for (uint32_t e = 0; e < map.v.n; e++)
			if (i >= map.v.v[e].start && i < map.v.v[e].end)
				want = e;
		assert_int_equal(found[i], want);
	}
	perfmap_deinit(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_numbers_that_overflow),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
