/* Unit tests of model/addrspace on literal mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/addrspace.h"

static void map(struct addrspace *as, uint64_t start, uint64_t end, uint64_t pgoff, uint32_t binary)
{
	addrspace_map(as, &(struct mapping){ start, end, pgoff, binary });
}

static void expect(const struct addrspace *as, const struct mapping *want, size_t n)
{
	assert_int_equal(as->maps.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(as->maps.v[i].start, want[i].start);
		assert_int_equal(as->maps.v[i].end, want[i].end);
		assert_int_equal(as->maps.v[i].pgoff, want[i].pgoff);
		assert_int_equal(as->maps.v[i].binary, want[i].binary);
	}
}

#define EXPECT(as, ...)                                                                            \
	do {                                                                                       \
		static const struct mapping want_[] = { __VA_ARGS__ };                             \
		expect((as), want_, sizeof(want_) / sizeof(want_[0]));                             \
	} while (0)

static void test_find_is_half_open(void **state)
{
	struct addrspace as;

	(void)state;
	addrspace_init(&as);
	assert_null(addrspace_find(&as, 0x1000));
	map(&as, 0x3000, 0x4000, 0x500, 3);
	map(&as, 0x1000, 0x2000, 0, 2);
	assert_null(addrspace_find(&as, 0xfff));
	assert_int_equal(addrspace_find(&as, 0x1000)->binary, 2);
	assert_int_equal(addrspace_find(&as, 0x1fff)->binary, 2);
	assert_null(addrspace_find(&as, 0x2000));
	assert_null(addrspace_find(&as, 0x2fff));
	const struct mapping *m = addrspace_find(&as, 0x3010);

	assert_int_equal(mapping_off(m, 0x3010), 0x510);
	assert_null(addrspace_find(&as, 0x4000));
	assert_null(addrspace_find(&as, UINT64_MAX));
	addrspace_deinit(&as);
}

static void test_newest_splits_and_trims(void **state)
{
	struct addrspace as;

	(void)state;
	addrspace_init(&as);
	map(&as, 0x1000, 0x9000, 0x10000, 2);
	map(&as, 0x3000, 0x5000, 0, 3);
	EXPECT(&as, { 0x1000, 0x3000, 0x10000, 2 }, { 0x3000, 0x5000, 0, 3 },
	       { 0x5000, 0x9000, 0x14000, 2 });
	map(&as, 0x2000, 0x4000, 0, 4);
	EXPECT(&as, { 0x1000, 0x2000, 0x10000, 2 }, { 0x2000, 0x4000, 0, 4 },
	       { 0x4000, 0x5000, 0x1000, 3 }, { 0x5000, 0x9000, 0x14000, 2 });
	map(&as, 0x1000, 0x8000, 0, 5);
	EXPECT(&as, { 0x1000, 0x8000, 0, 5 }, { 0x8000, 0x9000, 0x17000, 2 });
	map(&as, 0, 0x10000, 0, 6);
	EXPECT(&as, { 0, 0x10000, 0, 6 });
	addrspace_deinit(&as);
}

static void test_neighbours_that_continue_are_one(void **state)
{
	struct addrspace as;

	(void)state;
	addrspace_init(&as);
	map(&as, 0x1000, 0x2000, 0x1000, 2);
	map(&as, 0x3000, 0x4000, 0x3000, 2);
	map(&as, 0x2000, 0x3000, 0x2000, 2);
	EXPECT(&as, { 0x1000, 0x4000, 0x1000, 2 });
	map(&as, 0x4000, 0x5000, 0x9000, 2);
	EXPECT(&as, { 0x1000, 0x4000, 0x1000, 2 }, { 0x4000, 0x5000, 0x9000, 2 });
	addrspace_deinit(&as);
}

static void test_generation_names_the_contents(void **state)
{
	struct addrspace a, b;

	(void)state;
	addrspace_init(&a);
	addrspace_init(&b);
	assert_int_equal(a.generation, b.generation);
	map(&a, 0x1000, 0x3000, 0, 2);
	map(&b, 0x1000, 0x3000, 0, 2);
	assert_int_not_equal(a.generation, b.generation);
	uint64_t before = a.generation;

	assert_false(addrspace_map(&a, &(struct mapping){ 0x2000, 0x3000, 0x1000, 2 }));
	assert_int_equal(a.generation, before);
	assert_true(addrspace_map(&a, &(struct mapping){ 0x2000, 0x3000, 0x2000, 2 }));
	assert_int_not_equal(a.generation, before);
	addrspace_clear(&b);
	assert_int_equal(b.generation, 0);
	assert_null(addrspace_find(&b, 0x1000));
	addrspace_copy(&b, &a);
	assert_int_equal(b.generation, a.generation);
	assert_int_equal(addrspace_find(&b, 0x2000)->pgoff, 0x2000);
	map(&b, 0x5000, 0x6000, 0, 3);
	assert_int_not_equal(b.generation, a.generation);
	assert_null(addrspace_find(&a, 0x5000));
	addrspace_deinit(&a);
	addrspace_deinit(&b);
}

static void test_fill_yields_to_what_is_there(void **state)
{
	struct addrspace as;

	(void)state;
	addrspace_init(&as);
	map(&as, 0x2000, 0x3000, 0, 2);
	map(&as, 0x5000, 0x6000, 0, 3);
	assert_true(addrspace_fill(&as, &(struct mapping){ 0x1000, 0x7000, 0x10000, 4 }));
	EXPECT(&as, { 0x1000, 0x2000, 0x10000, 4 }, { 0x2000, 0x3000, 0, 2 },
	       { 0x3000, 0x5000, 0x12000, 4 }, { 0x5000, 0x6000, 0, 3 },
	       { 0x6000, 0x7000, 0x15000, 4 });
	uint64_t before = as.generation;

	assert_false(addrspace_fill(&as, &(struct mapping){ 0x1800, 0x6800, 0, 5 }));
	assert_int_equal(as.generation, before);
	addrspace_deinit(&as);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_is_half_open),
		cmocka_unit_test(test_newest_splits_and_trims),
		cmocka_unit_test(test_neighbours_that_continue_are_one),
		cmocka_unit_test(test_generation_names_the_contents),
		cmocka_unit_test(test_fill_yields_to_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
