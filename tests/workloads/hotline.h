/* What hotline.c inlines. */
#ifndef WORKLOADS_HOTLINE_H
#define WORKLOADS_HOTLINE_H

/* So many steps, each waiting for the one before; a macro, so that all of it is in the line that
 * uses it. */
#define STEPS(x, n)                                                                                \
	for (unsigned long i_ = 0; i_ < (n); i_++) {                                               \
		(x) = (x)*6364136223846793005UL + 1442695040888963407UL;                           \
		__asm__ volatile("" : "+r"(x));                                                    \
	}

static inline __attribute__((always_inline)) unsigned long inlined(unsigned long x, unsigned long n)
{
	STEPS(x, 2 * n); /* two of six */
	return x;
}

#endif
