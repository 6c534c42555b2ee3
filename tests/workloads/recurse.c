/* A stack deeper than the kernel follows: `recurse DEPTH`. */
#include "burn.h"

HOT(at_the_bottom)

__attribute__((noinline)) static int descend(int n)
{
	if (!n) {
		at_the_bottom(0.3);
		return 0;
	}
	int below = descend(n - 1);

	__asm__ volatile("" : "+r"(below)); /* no loop made of it */
	return below + 1;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 300;

	return descend(depth) != depth;
}
