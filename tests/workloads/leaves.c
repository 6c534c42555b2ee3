/* A build with frame pointers that spends its time where they do not help: in the C library's
 * memcpy and memset, in functions without a frame, in prologues. Who calls whom is fixed, so that
 * every stack can be judged:
 *
 *	main - run_rounds - clear_block  - memset
 *	                  - copy_block   - memcpy
 *	                  - copy_records - copy_record - memcpy
 *	                  - sum_block    - mix
 *
 * `leaves SECONDS` of CPU time. */
#include <string.h>

#include "burn.h"

#define NOINLINE __attribute__((noinline, noclone))
#define NO_TAIL_CALL() __asm__ volatile("")

enum { BLOCK = 1 << 14, RECORD = 24, N_RECORDS = 1 << 9, N_WORDS = 1 << 10 };

static char from[BLOCK], to[BLOCK];
static volatile size_t block_size = BLOCK, record_size = RECORD; /* a call, not its expansion */

NOINLINE static void clear_block(int value)
{
	memset(to, value, block_size);
	NO_TAIL_CALL();
}

NOINLINE static void copy_block(void)
{
	memcpy(to, from, block_size);
	NO_TAIL_CALL();
}

NOINLINE static void copy_record(int i)
{
	memcpy(to + i, from + i, record_size);
	NO_TAIL_CALL();
}

NOINLINE static void copy_records(void)
{
	for (int i = 0; i < N_RECORDS; i++)
		copy_record(i);
	NO_TAIL_CALL();
}

NOINLINE static unsigned long mix(unsigned long sum, unsigned long word)
{
	return (sum << 5 | sum >> 59) ^ word;
}

NOINLINE static void sum_block(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < N_WORDS; i++)
		sum = mix(sum, (unsigned long)to[i]);
	burn_sink = sum;
}

NOINLINE static void run_rounds(int n)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 8; k++) {
			clear_block(i);
			copy_block();
		}
		copy_records();
		sum_block();
	}
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	double end = cpu_seconds() + (argc > 1 ? atof(argv[1]) : 1);

	while (cpu_seconds() < end)
		run_rounds(100);
	return 0;
}
