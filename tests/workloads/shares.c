/* Twenty stacks of different weight, round and round, until SECONDS of CPU time are used: what two
 * profilers see of one run can be compared, and what one sees can be compared with the truth. */
#include "burn.h"

#define LEAVES(use)                                                                                \
	use(leaf_01, 1) use(leaf_02, 2) use(leaf_03, 3) use(leaf_04, 4) use(leaf_05, 5)            \
		use(leaf_06, 6) use(leaf_07, 7) use(leaf_08, 8) use(leaf_09, 9) use(leaf_10, 10)

/* A loop of its own in each: calls would be frames. */
#define LEAF(name, weight)                                                                         \
	__attribute__((noinline, noclone)) static double name(void)                                \
	{                                                                                          \
		return burn(weight * 0.0004);                                                      \
	}
#define USED(name, weight) static double used_##name[2];
#define CALL(name, weight) used_##name[side] += name();
#define TELL(name, weight)                                                                         \
	truth("left," #name, used_##name[0]);                                                      \
	truth("right," #name, used_##name[1]);

LEAVES(LEAF)
LEAVES(USED)

#define SIDE(name, number)                                                                         \
	__attribute__((noinline, noclone)) static void name(void)                                  \
	{                                                                                          \
		enum { side = number };                                                            \
		LEAVES(CALL)                                                                       \
		__asm__ volatile("");                                                              \
	}
SIDE(left, 0)
SIDE(right, 1)

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 3;
	double start = cpu_seconds();

	puts("ready");
	fflush(stdout);
	while (cpu_seconds() - start < seconds) {
		left();
		right();
		right();
	}
	LEAVES(TELL)
	return 0;
}
