/* How far numbers that come from samples can be trusted. Samples are taken as independent draws,
 * which periodic sampling comes close to; a program in step with the clock breaks that. */
#ifndef PROFILE_STATS_H
#define PROFILE_STATS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
	double low, high;
};

/* The 95 % interval of a share `share` (0..1) seen in `n` samples: Wilson's score interval (E. B.
 * Wilson, 1927), which stays within 0..1 and is honest near both ends. All of 0..1 without samples.
 */
struct interval stats_share_interval(double share, uint64_t n);
/* Half of that interval's width on its wider side, seen from `share`: what "±" says. */
double stats_share_margin(double share, uint64_t n);

/* The 95 % interval of the number of events that was to be expected where `x` were counted: the
 * score interval of Poisson's distribution. */
struct interval stats_count_interval(uint64_t x);

/* Two-sided probability of a difference at least this large where there is none; 1 where nothing
 * can be said. Shares x1/n1 and x2/n2, by the two-proportion z-test with Yates's correction. */
double stats_two_proportions(uint64_t x1, uint64_t n1, uint64_t x2, uint64_t n2);
/* Rates x1/amount1 and x2/amount2 of counts: given x1 + x2, x1 is binomial (Przyborowski and
 * Wilenski, 1940); normal approximation with correction. */
double stats_two_rates(uint64_t x1, double amount1, uint64_t x2, double amount2);
/* Welch's t-test of two means, each of 2 or more values; 1 where one side has fewer. Sides without
 * any spread: 0 if the means differ, else 1. */
double stats_welch(const double *a, size_t n_a, const double *b, size_t n_b);

/* Half the 95 % interval of the mean of `n` values, by Student's t; 0 for fewer than two. */
double stats_mean_margin(const double *v, size_t n);

/* Which of `n` tests are significant when at most a share `rate` of those may be false (Benjamini
 * and Hochberg, 1995): the largest p that counts, negative if none does. */
double stats_false_discovery(const double *p, size_t n, double rate);

/* For tests. The standard normal's two tails beyond |z|; Student's t, two tails beyond |t|. */
double stats_normal_tails(double z);
double stats_student_tails(double t, double freedom);

#endif
