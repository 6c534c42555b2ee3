/* In: counts of samples, shares of several runs. Out: intervals and probabilities. */
#include "profile/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"

/* The normal distribution's 97.5 % point. */
static const double z95 = 1.959963984540054;

struct interval stats_share_interval(double share, uint64_t n)
{
	double count = (double)n, z2 = z95 * z95;

	if (!n)
		return (struct interval){ 0, 1 };
	double middle = (share + z2 / (2 * count)) / (1 + z2 / count);
	double half = z95 / (1 + z2 / count) *
		      sqrt(share * (1 - share) / count + z2 / (4 * count * count));

	return (struct interval){ fmax(0, middle - half), fmin(1, middle + half) };
}

double stats_share_margin(double share, uint64_t n)
{
	struct interval i = stats_share_interval(share, n);

	return fmax(i.high - share, share - i.low);
}

struct interval stats_count_interval(uint64_t x)
{
	double middle = (double)x + z95 * z95 / 2;
	double half = z95 * sqrt((double)x + z95 * z95 / 4);

	return (struct interval){ fmax(0, middle - half), middle + half };
}

double stats_normal_tails(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

double stats_two_proportions(uint64_t x1, uint64_t n1, uint64_t x2, uint64_t n2)
{
	double a = (double)n1, b = (double)n2;

	if (!n1 || !n2)
		return 1;
	double pooled = ((double)x1 + (double)x2) / (a + b);
	double sd = sqrt(pooled * (1 - pooled) * (1 / a + 1 / b));
	double apart = fabs((double)x1 / a - (double)x2 / b) - (1 / a + 1 / b) / 2;

	return sd > 0 && apart > 0 ? stats_normal_tails(apart / sd) : 1;
}

double stats_two_rates(uint64_t x1, double amount1, uint64_t x2, double amount2)
{
	double n = (double)x1 + (double)x2;

	if (!(amount1 > 0) || !(amount2 > 0) || n <= 0)
		return 1;
	double share = amount1 / (amount1 + amount2);
	double sd = sqrt(n * share * (1 - share));
	double apart = fabs((double)x1 - n * share) - 0.5;

	return sd > 0 && apart > 0 ? stats_normal_tails(apart / sd) : 1;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
 * Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	enum { MAX_TERMS = 1000 };
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);

	d = 1 / (fabs(d) < tiny ? tiny : d);
	double f = d;

	for (int m = 1; m <= MAX_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		if (fabs(c * d - 1) < 1e-14)
			break;
	}
	return f;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x >= 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	/* The fraction converges fast on one side only; the other is its mirror image. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_student_tails(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

/* The square of the mean's standard error. */
static double error_of(const double *v, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum / (double)(n - 1) / (double)n;
}

double stats_welch(const double *a, size_t n_a, const double *b, size_t n_b)
{
	if (n_a < 2 || n_b < 2)
		return 1;
	double mean_a = mean_of(a, n_a), mean_b = mean_of(b, n_b);
	double error_a = error_of(a, n_a, mean_a), error_b = error_of(b, n_b, mean_b);
	double both = error_a + error_b;

	if (both <= 0)
		return fabs(mean_a - mean_b) > 0 ? 0 : 1;
	double freedom =
		both * both /
		(error_a * error_a / (double)(n_a - 1) + error_b * error_b / (double)(n_b - 1));

	return stats_student_tails((mean_a - mean_b) / sqrt(both), freedom);
}

double stats_mean_margin(const double *v, size_t n)
{
	double low = 0, high = 1000; /* of t; 12.7 where there are two values, less for more */

	if (n < 2)
		return 0;
	for (int i = 0; i < 60; i++) {
		double t = (low + high) / 2;

		if (stats_student_tails(t, (double)(n - 1)) > 0.05)
			low = t;
		else
			high = t;
	}
	return high * sqrt(error_of(v, n, mean_of(v, n)));
}

static int double_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_false_discovery(const double *p, size_t n, double rate)
{
	_cleanup_free_ double *sorted = xcalloc(n + 1, sizeof(*sorted));

	if (n)
		memcpy(sorted, p, n * sizeof(*p));
	qsort(sorted, n, sizeof(*sorted), double_cmp);
	for (size_t i = n; i-- > 0;)
		if (sorted[i] <= rate * (double)(i + 1) / (double)n)
			return sorted[i];
	return -1;
}
