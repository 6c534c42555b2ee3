/* Unit tests of src/perf/ring.c on literal rings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#include "perf/ring.h"

enum { LEN = 256 };

struct fixture {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[LEN];
	struct ring ring;
};

static void start(struct fixture *f, uint64_t at)
{
	memset(f, 0, sizeof(*f));
	f->page.data_head = f->page.data_tail = at;
	ring_init_literal(&f->ring, &f->page, f->data, LEN);
}

/* As the kernel writes: byte by byte around the end. */
static void put(struct fixture *f, uint16_t says, uint16_t len, uint32_t type)
{
	struct perf_event_header h = { .type = type, .size = says };

	for (uint16_t i = 0; i < len; i++) {
		uint8_t byte = i < sizeof(h) ? ((uint8_t *)&h)[i] : (uint8_t)i;

		f->data[(f->page.data_head + i) % LEN] = byte;
	}
	f->page.data_head += len;
}

static void assert_record(struct fixture *f, uint16_t size, uint32_t type)
{
	const struct perf_event_header *h = ring_peek(&f->ring);

	assert_non_null(h);
	assert_int_equal(h->size, size);
	assert_int_equal(h->type, type);
	for (uint16_t i = sizeof(*h); i < size; i++)
		assert_int_equal(((const uint8_t *)h)[i], (uint8_t)i);
	ring_consume(&f->ring, h);
}

static void test_records_in_turn(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, 0);
	assert_int_equal(ring_refresh(&f.ring), 0);
	assert_null(ring_peek(&f.ring));
	put(&f, 24, 24, 9);
	assert_null(ring_peek(&f.ring)); /* not before a refresh */
	put(&f, 8, 8, 14);
	assert_int_equal(ring_refresh(&f.ring), 32);
	assert_record(&f, 24, 9);
	assert_record(&f, 8, 14);
	assert_null(ring_peek(&f.ring));
	assert_int_equal(f.page.data_tail, 0);
	ring_publish(&f.ring);
	assert_int_equal(f.page.data_tail, 32);
	assert_int_equal(f.ring.n_damaged, 0);
	ring_deinit(&f.ring);
}

/* Every place where a record can wrap, and a head that itself passes 2^64. */
static void test_wrap(void **state)
{
	(void)state;
	for (uint64_t at = UINT64_MAX - 2 * LEN + 1; at != LEN; at += 8) {
		struct fixture f;

		start(&f, at);
		put(&f, 64, 64, 1);
		put(&f, 192, 192, 2);
		assert_int_equal(ring_refresh(&f.ring), LEN);
		assert_record(&f, 64, 1);
		assert_record(&f, 192, 2);
		assert_int_equal(ring_refresh(&f.ring), 0);
		assert_int_equal(f.ring.n_damaged, 0);
		ring_deinit(&f.ring);
	}
}

static void test_damage_skips_to_head(void **state)
{
	static const uint16_t says[] = { 0, 7, 20, 40, UINT16_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		struct fixture f;

		start(&f, LEN - 8);
		put(&f, 16, 16, 1);
		put(&f, says[i], 32, 2);
		ring_refresh(&f.ring);
		assert_record(&f, 16, 1);
		assert_null(ring_peek(&f.ring));
		assert_int_equal(f.ring.n_damaged, 1);
		put(&f, 24, 24, 3);
		ring_refresh(&f.ring);
		assert_record(&f, 24, 3);
		assert_int_equal(f.ring.n_damaged, 1);
		ring_deinit(&f.ring);
	}
}

static void test_head_out_of_reach(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, 64);
	f.page.data_head = 64 + LEN + 8;
	assert_int_equal(ring_refresh(&f.ring), 0);
	assert_int_equal(f.ring.n_damaged, 1);
	f.page.data_head = 8; /* behind the tail */
	assert_int_equal(ring_refresh(&f.ring), 0);
	assert_int_equal(f.ring.n_damaged, 2);
	assert_null(ring_peek(&f.ring));
	ring_deinit(&f.ring);
}

static void test_refused_sizes(void **state)
{
	struct ring r;
	struct err *err = ring_init(&r, -1, 3);

	(void)state;
	assert_non_null(err);
	assert_int_equal(err_errno(err), 22 /* EINVAL */);
	err_destroy(err);
	err = ring_init(&r, -1, 4);
	assert_non_null(err);
	assert_int_equal(err_errno(err), 9 /* EBADF */);
	err_destroy(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_in_turn),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_damage_skips_to_head),
		cmocka_unit_test(test_head_out_of_reach),
		cmocka_unit_test(test_refused_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
