/* Many distinct stacks: a walk down a tree of calls whose branches are chosen by a generator, so
 * that almost every sample is a stack of its own. `deep SECONDS [DEPTH]`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state = 88172645463325252ULL;

static uint32_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

#define BRANCHES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define DECLARE(n) static uint64_t branch_##n(int depth);
BRANCHES(DECLARE)

typedef uint64_t (*branch_fn)(int depth);
#define NAME(n) branch_##n,
static const branch_fn branches[] = { BRANCHES(NAME) };

/* noinline and the addition after the call keep every level a frame of its own. */
#define DEFINE(n)                                                                                  \
	__attribute__((noinline)) static uint64_t branch_##n(int depth)                            \
	{                                                                                          \
		uint64_t sum = n;                                                                  \
                                                                                                   \
		for (int i = 0; i < 40; i++)                                                       \
			sum = sum * 31 + draw();                                                   \
		if (depth > 0)                                                                     \
			sum += branches[sum >> 40 & 7](depth - 1);                                 \
		return sum + 1;                                                                    \
	}
BRANCHES(DEFINE)

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	int depth = argc > 2 ? atoi(argv[2]) : 24;
	uint64_t sum = 0;
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (int i = 0; i < 1000; i++)
			sum += branches[draw() & 7](depth);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) +
			 1e-9 * (double)(now.tv_nsec - start.tv_nsec) <
		 seconds);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
