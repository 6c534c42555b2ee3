/* A function whose time is known by line: loops of one line each, with 3 : 1 : 2 of the same steps,
 * the last inlined from another file. `hotline [MILLIONS]`. */
#include "hotline.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, noclone)) unsigned long hot(unsigned long n)
{
	unsigned long x = n;

	STEPS(x, 3 * n); /* three of six */
	STEPS(x, n);     /* one of six */
	x = inlined(x, n);
	return x;
}

int main(int argc, char **argv)
{
	unsigned long millions = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;

	printf("%lu\n", hot(millions * 1000000));
	return 0;
}
