/* Two hot functions, 2 : 1, one called by the other's sister. What address tests build in many
 * ways. `hotspots [SECONDS]`. */
#include "burn.h"

#ifndef SECTION_B
#define SECTION_B
#endif

HOT(hot_one)
SECTION_B HOT(hot_two)

SECTION_B __attribute__((noinline)) static void calls_two(double seconds)
{
	hot_two(seconds);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.6;

	hot_one(seconds * 2 / 3);
	calls_two(seconds / 3);
	return 0;
}
