/* Works until it is killed, under names the build chooses (-DNAME=…, -DOTHER=…): three parts in the
 * first, one in the second. Prints "ready" first. */
#include "burn.h"

__attribute__((noinline)) static void NAME(void)
{
	burn(0.003);
	__asm__ volatile("");
}

__attribute__((noinline)) static void OTHER(void)
{
	burn(0.001);
	__asm__ volatile("");
}

int main(void)
{
	puts("ready");
	fflush(stdout);
	for (;;) {
		NAME();
		OTHER();
	}
}
