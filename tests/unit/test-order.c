/* Unit tests of src/perf/order.c: merging literal rings by time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/order.h"

enum { LEN = 1 << 14, N_RINGS = 5 };

/* A SWITCH with TIME and IDENTIFIER behind it. */
struct record {
	struct perf_event_header h;
	uint64_t time, id;
};

struct fixture {
	struct perf_event_mmap_page page[N_RINGS];
	_Alignas(8) uint8_t data[N_RINGS][LEN];
	struct ring ring[N_RINGS];
	struct record_layout layout;
	struct order order;
};

static void put(struct fixture *f, size_t ring, uint64_t time)
{
	struct record r = {
		.h = { .type = PERF_RECORD_SWITCH, .size = sizeof(r) },
		.time = time,
	};
	uint64_t head = f->page[ring].data_head;

	for (size_t i = 0; i < sizeof(r); i++)
		f->data[ring][(head + i) % LEN] = ((uint8_t *)&r)[i];
	f->page[ring].data_head = head + sizeof(r);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
		.sample_id_all = 1,
	};

	record_layout_init(&f->layout, &attr);
	order_init(&f->order);
	for (size_t i = 0; i < N_RINGS; i++) {
		ring_init_literal(&f->ring[i], &f->page[i], f->data[i], LEN);
		order_add(&f->order, &f->ring[i], &f->layout);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	order_deinit(&f->order);
	for (size_t i = 0; i < N_RINGS; i++)
		ring_deinit(&f->ring[i]);
	free(f);
	return 0;
}

static void assert_next(struct fixture *f, size_t ring, uint64_t time)
{
	const struct perf_event_header *h;
	size_t index;

	assert_true(order_next(&f->order, &index, &h));
	assert_int_equal(index, ring);
	assert_int_equal(((const struct record *)h)->time, time);
}

static void assert_end(struct fixture *f)
{
	const struct perf_event_header *h;
	size_t index;

	assert_false(order_next(&f->order, &index, &h));
}

static void test_merge_up_to_the_limit(void **state)
{
	struct fixture *f = *state;

	put(f, 0, 10);
	put(f, 0, 40);
	put(f, 1, 20);
	put(f, 1, 21);
	put(f, 1, 50);
	put(f, 2, 30);
	order_begin(&f->order, 40);
	assert_next(f, 0, 10);
	assert_next(f, 1, 20);
	assert_next(f, 1, 21);
	assert_next(f, 2, 30);
	assert_end(f); /* 40 is not older than 40 */
	assert_end(f);
	order_end(&f->order);
	assert_int_equal(f->page[0].data_tail, sizeof(struct record));
	assert_int_equal(f->page[1].data_tail, 2 * sizeof(struct record));
	assert_int_equal(f->page[2].data_tail, sizeof(struct record));
	put(f, 2, 45);
	order_begin(&f->order, UINT64_MAX);
	assert_next(f, 0, 40);
	assert_next(f, 2, 45);
	assert_next(f, 1, 50);
	assert_end(f);
	order_end(&f->order);
	for (size_t i = 0; i < N_RINGS; i++)
		assert_int_equal(f->page[i].data_tail, f->page[i].data_head);
}

static void test_what_comes_meanwhile_waits(void **state)
{
	struct fixture *f = *state;

	put(f, 0, 10);
	order_begin(&f->order, UINT64_MAX);
	assert_next(f, 0, 10);
	put(f, 1, 5);
	put(f, 0, 11);
	assert_end(f);
	order_end(&f->order);
	order_begin(&f->order, UINT64_MAX);
	assert_next(f, 1, 5);
	assert_next(f, 0, 11);
	assert_end(f);
}

static void test_ties_and_steps_back(void **state)
{
	struct fixture *f = *state;

	put(f, 2, 7);
	put(f, 1, 7);
	put(f, 0, 7);
	put(f, 0, 3); /* as the kernel wrote it: after the 7 */
	put(f, 1, 7);
	order_begin(&f->order, UINT64_MAX);
	assert_next(f, 0, 7);
	assert_next(f, 0, 3);
	assert_next(f, 1, 7);
	assert_next(f, 1, 7);
	assert_next(f, 2, 7);
	assert_end(f);
}

static void test_extreme_times(void **state)
{
	struct fixture *f = *state;

	put(f, 0, UINT64_MAX);
	put(f, 1, 0);
	put(f, 2, 1);
	order_begin(&f->order, 1);
	assert_next(f, 1, 0); /* no time: at once */
	assert_end(f);
	order_end(&f->order);
	order_begin(&f->order, UINT64_MAX);
	assert_next(f, 2, 1);
	assert_next(f, 0, UINT64_MAX);
	assert_end(f);
}

/* Abandoning a pass must not lose the record given out last, nor repeat it. */
static void test_end_consumes_the_last(void **state)
{
	struct fixture *f = *state;

	put(f, 0, 1);
	put(f, 0, 2);
	order_begin(&f->order, UINT64_MAX);
	assert_next(f, 0, 1);
	order_end(&f->order);
	assert_int_equal(f->page[0].data_tail, sizeof(struct record));
	order_begin(&f->order, UINT64_MAX);
	assert_next(f, 0, 2);
	assert_end(f);
}

/* What was given out stays as it was until it is released, and 64 KiB of it go back at once. */
static void test_release_publishes_on_the_way(void **state)
{
	enum { BIG = 256 * 1024, RECORD = 4096 };
	struct perf_event_mmap_page page = { .data_head = BIG };
	uint8_t *data = test_calloc(1, BIG);
	const struct perf_event_header *h;
	struct record_layout layout = { 0 };
	struct order order;
	struct ring r;
	size_t index;

	(void)state;
	for (size_t at = 0; at < BIG; at += RECORD)
		((struct perf_event_header *)(data + at))->size = RECORD;
	ring_init_literal(&r, &page, data, BIG);
	order_init(&order);
	order_add(&order, &r, &layout);
	order_begin(&order, UINT64_MAX);
	for (size_t i = 1; i <= BIG / RECORD; i++) {
		assert_true(order_next(&order, &index, &h));
		assert_ptr_equal(h, data + (i - 1) * RECORD);
		assert_int_equal(page.data_tail, (i - 1) * RECORD / 65536 * 65536);
		if (order_is_release_due(&order))
			order_release(&order);
		assert_int_equal(page.data_tail, i * RECORD / 65536 * 65536);
	}
	order_end(&order);
	order_deinit(&order);
	ring_deinit(&r);
	test_free(data);
}

/* A record that wraps is a copy; it must outlive the ones given out after it. */
static void test_wrapped_record_stays(void **state)
{
	struct fixture *f = *state;
	const struct perf_event_header *wrapped, *h;
	size_t index;

	f->page[0].data_head = f->page[0].data_tail = LEN - 8;
	ring_init_literal(&f->ring[0], &f->page[0], f->data[0], LEN);
	put(f, 0, 1);
	for (uint64_t time = 2; time < 20; time++)
		put(f, 0, time);
	order_begin(&f->order, UINT64_MAX);
	assert_true(order_next(&f->order, &index, &wrapped));
	for (uint64_t time = 2; time < 20; time++)
		assert_true(order_next(&f->order, &index, &h));
	assert_int_equal(((const struct record *)wrapped)->time, 1);
	assert_int_equal(((const struct record *)h)->time, 19);
	order_end(&f->order);
}

/* Takes all that is older than `limit`; returns how many. */
static size_t drain(struct fixture *f, uint64_t limit, uint64_t *last)
{
	const struct perf_event_header *h;
	size_t index, n = 0;

	order_begin(&f->order, limit);
	for (; order_next(&f->order, &index, &h); n++) {
		uint64_t time = ((const struct record *)h)->time;

		assert_true(time >= *last && time < limit);
		*last = time;
	}
	order_end(&f->order);
	return n;
}

static void test_many_records_come_sorted(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 1, last = 0;
	size_t n_put = 0, n_got = 0;

	for (int pass = 0; pass < 200; pass++) {
		uint64_t clock[N_RINGS] = { last, last, last, last, last };
		uint64_t limit = UINT64_MAX;

		for (int i = 0; i < 60; i++, n_put++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			size_t ring = (seed >> 33) % N_RINGS;

			put(f, ring, clock[ring] += seed >> 60);
		}
		for (size_t i = 0; i < N_RINGS; i++)
			limit = clock[i] < limit ? clock[i] : limit;
		n_got += drain(f, limit, &last);
		for (size_t i = 0; i < N_RINGS; i++)
			assert_true(f->order.inputs[i].next_time >= limit);
		n_got += drain(f, UINT64_MAX, &last);
	}
	assert_int_equal(n_got, n_put);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_merge_up_to_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_comes_meanwhile_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ties_and_steps_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_extreme_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_consumes_the_last, setup, teardown),
		cmocka_unit_test(test_release_publishes_on_the_way),
		cmocka_unit_test_setup_teardown(test_wrapped_record_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_records_come_sorted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
