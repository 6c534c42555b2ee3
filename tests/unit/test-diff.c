/* Unit tests of differences: what is joined, what is carried up, what is normalised, and what
 * counts as a change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "output/diff_output.h"
#include "support/reporting.h"

/* One recording written down in a test. */
struct one {
	struct memsource m;
	struct reporting r;
	uint32_t thread;
};

static void one_init(struct one *o)
{
	memsource_init(&o->m);
	o->thread = memsource_thread(&o->m, 1, 1, "app", "app");
}

static void one_deinit(struct one *o)
{
	reporting_deinit(&o->r);
	memsource_deinit(&o->m);
}

static struct diff *diff_of(struct one *v, size_t n_before, size_t n_after, double amount_before,
			    double amount_after)
{
	struct diff_input in[40] = { 0 };
	struct diff *d = NULL;

	for (size_t i = 0; i < n_before + n_after; i++) {
		bool after = i >= n_before;

		reporting_init(&v[i].r, &v[i].m, GROUP_NONE, NULL);
		in[i] = (struct diff_input){ v[i].r.tree, after ? DIFF_AFTER : DIFF_BEFORE,
					     after ? amount_after : amount_before };
	}
	assert_null(diff_build(in, n_before + n_after, &d));
	return d;
}

static const struct diff_function *change_of(const struct diff *d, const char *name)
{
	for (size_t i = 0; i < d->changes.n; i++) {
		const struct diff_function *f = &d->changes.v[i];

		if (!strcmp(d->tree->funcs.v[d->functions.v.v[f->function].func].name, name))
			return f;
	}
	fail_msg("no function %s", name);
	return NULL;
}

static void expect_share(const struct diff_value *v, double before, double after)
{
	if (fabs(v->share[DIFF_BEFORE] - before) > 1e-9 ||
	    fabs(v->share[DIFF_AFTER] - after) > 1e-9)
		fail_msg("%g -> %g, not %g -> %g", v->share[DIFF_BEFORE], v->share[DIFF_AFTER],
			 before, after);
}

/* What vanished and what is new both have a node, and the change goes up to every caller. */
static void test_union(void **state)
{
	struct one v[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		one_init(&v[i]);
	memsource_add(&v[0].m, v[0].thread, "main;work;old", 400);
	memsource_add(&v[0].m, v[0].thread, "main;work;steady", 400);
	memsource_add(&v[0].m, v[0].thread, "main;rest", 200);
	/* Twice as long, so that shares and counts differ. */
	memsource_add(&v[1].m, v[1].thread, "main;work;steady", 800);
	memsource_add(&v[1].m, v[1].thread, "main;work;new", 200);
	memsource_add(&v[1].m, v[1].thread, "main;rest", 1000);
	struct diff *d = diff_of(v, 1, 1, 0, 0);

	expect_share(&change_of(d, "old")->total, 0.4, 0);
	expect_share(&change_of(d, "new")->total, 0, 0.1);
	expect_share(&change_of(d, "work")->total, 0.8, 0.5);
	expect_share(&change_of(d, "work")->self, 0, 0);
	expect_share(&change_of(d, "main")->total, 1, 1);
	expect_share(&change_of(d, "rest")->self, 0.2, 0.5);
	assert_true(change_of(d, "old")->self.significant);
	assert_true(change_of(d, "work")->total.significant);
	assert_false(change_of(d, "steady")->total.significant);
	assert_false(change_of(d, "main")->total.significant);
	/* Largest regression first, the largest improvement last of the significant ones. */
	assert_ptr_equal(change_of(d, "rest"), &d->changes.v[0]);
	assert_ptr_equal(change_of(d, "new"), &d->changes.v[1]);
	assert_ptr_equal(change_of(d, "old"), &d->changes.v[d->n_significant - 1]);
	/* all, main, work, old, steady, rest, new; widths are before plus after. */
	assert_int_equal(d->tree->nodes.n, 7);
	assert_int_equal(d->tree->nodes.v[0].total, (uint64_t)(2 * DIFF_UNIT));
	expect_share(&d->nodes[0], 1, 1);
	diff_destroy(d);
	for (int i = 0; i < 2; i++)
		one_deinit(&v[i]);
}

static void expect_place(const struct diff *d, const char *name, const char *binary,
			 enum origin origin)
{
	const struct diff_function *f = change_of(d, name);
	const struct func *func = &d->tree->funcs.v[d->functions.v.v[f->function].func];

	assert_string_equal(binary_name(binaries_get(&d->data->binaries, func->binary)), binary);
	assert_int_equal(func->origin, origin);
}

/* Text joins by names alone; what is known of where they are is said all the same. */
static void test_places_of_names(void **state)
{
	struct one v[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		one_init(&v[i]);
	v[0].m.app = binaries_add(&v[0].m.data.binaries,
				  &(struct binary){ .kind = BINARY_KIND_TEXT, .path = (char *)"" });
	v[0].m.lib = binaries_add(&v[0].m.data.binaries,
				  &(struct binary){ .kind = BINARY_KIND_TEXT,
						    .path = (char *)"/usr/lib/libx.so.1" });
	memsource_add(&v[0].m, v[0].thread, "main;lib:copy", 30);
	memsource_add(&v[0].m, v[0].thread, "main;gone;lib:init", 30);
	memsource_add(&v[1].m, v[1].thread, "main;lib:copy", 30);
	memsource_add(&v[1].m, v[1].thread, "main;init;k:fault", 30);
	struct diff *d = diff_of(v, 1, 1, 0, 0);

	expect_place(d, "copy", "libx.so.1", ORIGIN_LIBRARY);
	expect_place(d, "fault", "[kernel]", ORIGIN_KERNEL);
	expect_place(d, "main", "app", ORIGIN_USER);
	expect_place(d, "gone", "", ORIGIN_USER);
	expect_place(d, "init", "", ORIGIN_UNKNOWN); /* they disagree */
	expect_share(&change_of(d, "init")->total, 0.5, 0.5);
	diff_destroy(d);
	for (int i = 0; i < 2; i++)
		one_deinit(&v[i]);
}

static void test_amounts(void **state)
{
	struct one v[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		one_init(&v[i]);
	memsource_add(&v[0].m, v[0].thread, "main;work", 600);
	memsource_add(&v[0].m, v[0].thread, "main;rest", 400);
	memsource_add(&v[1].m, v[1].thread, "main;work", 1800);
	memsource_add(&v[1].m, v[1].thread, "main;rest", 800);
	struct diff *d = diff_of(v, 1, 1, 100, 200);

	expect_share(&d->nodes[0], 1, 1.3);
	expect_share(&change_of(d, "work")->total, 0.6, 0.9);
	expect_share(&change_of(d, "rest")->total, 0.4, 0.4);
	assert_true(change_of(d, "work")->total.significant);
	assert_true(d->nodes[0].significant);
	assert_false(change_of(d, "rest")->total.significant);
	struct interval r = d->nodes[0].range[DIFF_AFTER];

	/* 2600 samples, two a thousandth of the whole: 1.3 times 1 +- 1.96 / sqrt(2600). */
	assert_true(fabs(r.low - 1.3 * (1 - 0.0384)) < 0.002 &&
		    fabs(r.high - 1.3 * 1.0384) < 0.002);
	diff_destroy(d);
	for (int i = 0; i < 2; i++)
		one_deinit(&v[i]);
}

static void test_recursion_counts_once(void **state)
{
	struct one v[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		one_init(&v[i]);
		memsource_add(&v[i].m, v[i].thread, "main;walk;visit;walk;visit", 30);
		memsource_add(&v[i].m, v[i].thread, "main;walk", 70);
	}
	struct diff *d = diff_of(v, 1, 1, 0, 0);

	expect_share(&change_of(d, "walk")->total, 1, 1);
	expect_share(&change_of(d, "visit")->total, 0.3, 0.3);
	expect_share(&change_of(d, "walk")->self, 0.7, 0.7);
	assert_int_equal(d->n_significant, 0);
	diff_destroy(d);
	for (int i = 0; i < 2; i++)
		one_deinit(&v[i]);
}

/* Shares of several recordings: what varies from run to run anyway is no change, however many
 * samples there are; what does not is one. */
static void test_welch(void **state)
{
	static const unsigned int noisy[] = { 2000, 3000, 4000, 2500, 3500, 4500 };
	static const unsigned int better[] = { 1000, 1010, 990, 700, 710, 690 };
	struct one v[6];

	(void)state;
	for (int i = 0; i < 6; i++) {
		one_init(&v[i]);
		memsource_add(&v[i].m, v[i].thread, "main;noisy", noisy[i]);
		memsource_add(&v[i].m, v[i].thread, "main;better", better[i]);
		memsource_add(&v[i].m, v[i].thread, "main;rest", 10000 - noisy[i] - better[i]);
	}
	struct diff *d = diff_of(v, 3, 3, 0, 0);

	assert_true(d->by_welch);
	expect_share(&change_of(d, "noisy")->total, 0.3, 0.35);
	expect_share(&change_of(d, "better")->total, 0.1, 0.07);
	assert_false(change_of(d, "noisy")->total.significant);
	assert_true(change_of(d, "better")->total.significant);
	assert_int_equal(change_of(d, "better")->total.samples[DIFF_AFTER], 2100);
	diff_destroy(d);
	for (int i = 0; i < 6; i++)
		one_deinit(&v[i]);
}

/* splitmix64 */
static uint64_t next_random(uint64_t *seed)
{
	uint64_t x = *seed += 0x9e3779b97f4a7c15ULL;

	return hash_u64(x);
}

/* 2000 samples of 60 stacks, from common to rare; `bonus` more in the tenth. */
static void draw(struct one *o, uint64_t *seed, unsigned int bonus)
{
	for (unsigned int i = 0; i < 2000 + bonus; i++) {
		double u = (double)(next_random(seed) >> 11) / (double)(1ULL << 53);
		int k = i < 2000 ? (int)(60 * u * u) : 10;
		_cleanup_free_ char *stack = xasprintf("main;group%d;leaf%d", k % 7, k);

		memsource_add(&o->m, o->thread, stack, 1);
	}
}

static void test_equal_runs_and_a_known_change(void **state)
{
	uint64_t seed = 1;
	size_t flagged = 0, nodes = 0;

	(void)state;
	for (int pair = 0; pair < 10; pair++) {
		struct one v[2];

		for (int i = 0; i < 2; i++) {
			one_init(&v[i]);
			draw(&v[i], &seed, 0);
		}
		struct diff *d = diff_of(v, 1, 1, 0, 0);

		flagged += d->n_significant;
		for (size_t i = 0; i < d->tree->nodes.n; i++)
			nodes += d->nodes[i].significant;
		diff_destroy(d);
		for (int i = 0; i < 2; i++)
			one_deinit(&v[i]);
	}
	assert_true(flagged <= 1);
	assert_true(nodes <= 1);
	for (int pair = 0; pair < 10; pair++) {
		struct one v[2];

		for (int i = 0; i < 2; i++) {
			one_init(&v[i]);
			draw(&v[i], &seed, i ? 100 : 0); /* 1.1 % become about 6 % */
		}
		struct diff *d = diff_of(v, 1, 1, 0, 0);

		assert_true(change_of(d, "leaf10")->self.significant);
		assert_true(change_of(d, "leaf10")->total.significant);
		diff_destroy(d);
		for (int i = 0; i < 2; i++)
			one_deinit(&v[i]);
	}
}

static void test_what_cannot_be_compared(void **state)
{
	struct diff *d = NULL;
	struct one v[1];

	(void)state;
	one_init(&v[0]);
	reporting_init(&v[0].r, &v[0].m, GROUP_NONE, NULL);
	struct diff_input in[] = { { v[0].r.tree, DIFF_BEFORE, 0 },
				   { v[0].r.tree, DIFF_AFTER, 3 } };
	struct err *err = diff_build(in, 1, &d);

	assert_non_null(err);
	assert_non_null(strstr(err_msg(err), "one after"));
	err_destroy(err);
	err = diff_build(in, 2, &d);
	assert_non_null(err);
	err_destroy(err);
	/* Two empty recordings differ in nothing. */
	in[1].amount = 0;
	assert_null(diff_build(in, 2, &d));
	assert_int_equal(d->changes.n, 0);
	diff_destroy(d);
	one_deinit(&v[0]);
}

static char *text_of(const struct diff *d, const struct diff_output *output)
{
	struct diff_context ctx = {
		.diff = d, .about = { "a", "b" }, .per = "samples", .unit = "samples"
	};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_null(output->write(&ctx, out));
	fclose(out);
	return text;
}

static void test_outputs(void **state)
{
	struct one v[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		one_init(&v[i]);
	memsource_add(&v[0].m, v[0].thread, "main;a;b 7", 300);
	memsource_add(&v[0].m, v[0].thread, "main;\"c\\\n", 700);
	memsource_add(&v[1].m, v[1].thread, "main;d", 2000);
	struct diff *d = diff_of(v, 1, 1, 0, 0);
	_cleanup_free_ char *folded = text_of(d, &diff_folded_output);
	_cleanup_free_ char *svg = text_of(d, &diff_svg_output);
	_cleanup_free_ char *json = text_of(d, &diff_json_output);
	_cleanup_free_ char *text = text_of(d, &diff_text_output);

	assert_non_null(strstr(folded, "main;a;b_7 600 0\n"));
	assert_non_null(strstr(folded, "main;d 0 2000\n"));
	assert_non_null(strstr(svg, "0.00 ±0.38 % → 100.00 ±0.19 %"));
	assert_non_null(strstr(svg, "<rect class=\"r7\""));
	assert_non_null(strstr(svg, "<rect class=\"b7\""));
	assert_non_null(strstr(svg, "<rect class=\"n0\""));
	assert_non_null(strstr(json, "\"name\":\"\\\"c\\\\\xef\xbf\xbd\""));
	assert_non_null(strstr(text, "4 of 5 functions changed"));
	assert_non_null(strstr(text, "+100.00 ± 0.43*"));
	diff_destroy(d);
	for (int i = 0; i < 2; i++)
		one_deinit(&v[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_places_of_names),
		cmocka_unit_test(test_amounts),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_welch),
		cmocka_unit_test(test_equal_runs_and_a_known_change),
		cmocka_unit_test(test_what_cannot_be_compared),
		cmocka_unit_test(test_outputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
