/* Unit tests of intervals and tests of significance, against values worked out elsewhere: tables of
 * the normal and of Student's distribution, and the examples of the papers named in stats.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "profile/stats.h"

static void expect_near(double have, double want, double within)
{
	if (!(fabs(have - want) <= within))
		fail_msg("%.12g is not %.12g", have, want);
}

static void test_normal(void **state)
{
	(void)state;
	expect_near(stats_normal_tails(0), 1, 1e-12);
	expect_near(stats_normal_tails(1.959963984540054), 0.05, 1e-9);
	expect_near(stats_normal_tails(-2.575829303548901), 0.01, 1e-9);
}

static void test_student(void **state)
{
	(void)state;
	expect_near(stats_student_tails(0, 5), 1, 1e-12);
	expect_near(stats_student_tails(12.706204736432095, 1), 0.05, 1e-9);
	expect_near(stats_student_tails(-2.7764451051977987, 4), 0.05, 1e-9);
	expect_near(stats_student_tails(2.0422724563012373, 30), 0.05, 1e-9);
	expect_near(stats_student_tails(1.9602012636, 10000), 0.05, 1e-7);
	/* Cauchy's distribution: the tails beyond t are 1 - 2 atan(t) / pi. */
	expect_near(stats_student_tails(1000, 1), 1 - 2 * atan(1000) / M_PI, 1e-12);
}

static void test_shares(void **state)
{
	(void)state;
	struct interval i = stats_share_interval(0.45, 100);

	expect_near(i.low, 0.356145, 1e-6);
	expect_near(i.high, 0.547554, 1e-6);
	i = stats_share_interval(0, 10); /* z²/(n + z²) */
	expect_near(i.low, 0, 1e-12);
	expect_near(i.high, 0.277533, 1e-6);
	i = stats_share_interval(1, 10);
	expect_near(i.low, 1 - 0.277533, 1e-6);
	expect_near(i.high, 1, 1e-12);
	i = stats_share_interval(0.5, 0);
	expect_near(i.high - i.low, 1, 0);
	expect_near(stats_share_margin(0.45, 100), 0.547554 - 0.45, 1e-6);
	expect_near(stats_share_margin(0.9, 100), 0.9 - 0.825634, 1e-6);
	expect_near(stats_share_margin(0.5, 1000000), 0.00098, 1e-6);
}

static void test_counts(void **state)
{
	(void)state;
	struct interval i = stats_count_interval(0);

	expect_near(i.low, 0, 1e-12);
	expect_near(i.high, 3.841459, 1e-6); /* z² */
	i = stats_count_interval(100);
	expect_near(i.low, 82.2272, 1e-4);
	expect_near(i.high, 121.6142, 1e-4);
}

static void test_proportions(void **state)
{
	(void)state;
	/* 45 of 100 and 60 of 100: 15 points less the correction of 1, by sqrt(0.525 * 0.475 / 50).
	 */
	expect_near(stats_two_proportions(45, 100, 60, 100), erfc(0.14 / 0.0706222 / M_SQRT2),
		    1e-5);
	expect_near(stats_two_proportions(60, 100, 45, 100),
		    stats_two_proportions(45, 100, 60, 100), 1e-12);
	expect_near(stats_two_proportions(10, 100, 10, 100), 1, 0);
	expect_near(stats_two_proportions(0, 100, 0, 50), 1, 0);
	expect_near(stats_two_proportions(100, 100, 50, 50), 1, 0);
	expect_near(stats_two_proportions(1, 1, 0, 0), 1, 0);
	assert_true(stats_two_proportions(100, 10000, 300, 10000) < 1e-20);
}

static void test_rates(void **state)
{
	(void)state;
	/* 40 and 60 in equal times: (10 - 0.5) / 5. */
	expect_near(stats_two_rates(40, 10, 60, 10), erfc(1.9 / M_SQRT2), 1e-12);
	/* The same rate over twice the time. */
	expect_near(stats_two_rates(50, 1, 100, 2), 1, 0);
	expect_near(stats_two_rates(0, 1, 0, 1), 1, 0);
	expect_near(stats_two_rates(5, 0, 5, 1), 1, 0);
}

static void test_welch(void **state)
{
	/* Means 20.82 and 22.98, t = -2.835, 27.71 degrees of freedom. */
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				    21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4 };
	static const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				    24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4 };
	static const double same[] = { 3, 3, 3 };
	static const double other[] = { 4, 4 };

	(void)state;
	expect_near(stats_welch(a, 15, b, 15), 0.021378, 1e-6);
	expect_near(stats_welch(b, 15, a, 15), 0.021378, 1e-6);
	expect_near(stats_welch(same, 3, same, 3), 1, 0);
	expect_near(stats_welch(same, 3, other, 2), 0, 0);
	expect_near(stats_welch(a, 1, b, 15), 1, 0);
	/* t of 2 degrees of freedom is 4.302653; the mean's error is 1 / sqrt(3). */
	expect_near(stats_mean_margin((const double[]){ 1, 2, 3 }, 3), 4.302653 / sqrt(3), 1e-5);
	expect_near(stats_mean_margin(a, 1), 0, 0);
}

static void test_false_discovery(void **state)
{
	/* Benjamini and Hochberg's own example: four of fifteen. */
	static const double p[] = { 0.3240, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
				    0.0344, 0.0459, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	static const double none[] = { 0.9, 0.06, 0.5 };

	(void)state;
	expect_near(stats_false_discovery(p, 15, 0.05), 0.0095, 0);
	assert_true(stats_false_discovery(none, 3, 0.05) < 0);
	assert_true(stats_false_discovery(none, 0, 0.05) < 0);
	expect_near(stats_false_discovery(none, 3, 0.5), 0.06, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normal),      cmocka_unit_test(test_student),
		cmocka_unit_test(test_shares),      cmocka_unit_test(test_counts),
		cmocka_unit_test(test_proportions), cmocka_unit_test(test_rates),
		cmocka_unit_test(test_welch),       cmocka_unit_test(test_false_discovery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
