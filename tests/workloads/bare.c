/* Hand-written assembly without CFI, called by C and calling C. `bare KIND SECONDS`; who calls
 *whom:
 *
 *	leaf      main - call_leaf    - bare_leaf
 *	pushes    main - call_pushes  - bare_pushes: with a register on the stack
 *	framed    main - call_framed  - bare_framed: frame pointer and uninitialized locals
 *	outer     main - call_outer   - bare_outer - called_back: frame pointer
 *	frameless main - call_frameless - bare_frameless - called_back: no frame pointer
 *	pointer   main - call_pointer - bare_leaf: through a pointer
 *	tail      main - bare_leaf: by a jump at the end of call_tail
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

#define NOINLINE __attribute__((noinline, noclone))
#define NO_TAIL_CALL() __asm__ volatile("")

void bare_leaf(long n);
void bare_pushes(long n);
void bare_framed(long n);
void bare_outer(long n);
void bare_frameless(long n);
NOINLINE void called_back(long n);

#ifdef __x86_64__
#define FUNCTION(name) ".globl " name "\n.type " name ", @function\n" name ":\n"
#define END(name) ".size " name ", .-" name "\n"
#define SPIN "1: dec %rdi\n jnz 1b\n"

__asm__(".text\n" FUNCTION("bare_leaf") SPIN "ret\n" END("bare_leaf") FUNCTION(
	"bare_pushes") "push %rbx\n" SPIN "pop %rbx\n ret\n" END("bare_pushes")
		FUNCTION(
			"bare_framed") "push %rbp\n mov %rsp, %rbp\n sub $64, %rsp\n" SPIN
				       "leave\n ret\n" END("bare_framed") FUNCTION(
					       "bare_outer") "push %rbp\n mov %rsp, %rbp\n call "
							     "called_back\n"
							     "pop %rbp\n ret\n" END("bare_outer") FUNCTION(
								     "bare_frameless") "sub $8, "
										       "%rsp\n "
										       "call "
										       "called_"
										       "back\n"
										       "add $8, "
										       "%rsp\n "
										       "ret\n" END(
											       "bar"
											       "e_"
											       "fra"
											       "mel"
											       "es"
											       "s"));
#endif

NOINLINE void called_back(long n)
{
	for (long i = 0; i < n; i++)
		burn_sink += (unsigned long)i;
}

/* Leaves return addresses where bare_framed's locals will be. Not a tail call either. */
NOINLINE static void litter(int depth)
{
	if (depth)
		litter(depth - 1);
	burn_sink++;
}

NOINLINE static void call_leaf(long n)
{
	bare_leaf(n);
	NO_TAIL_CALL();
}

NOINLINE static void call_pushes(long n)
{
	bare_pushes(n);
	NO_TAIL_CALL();
}

NOINLINE static void call_framed(long n)
{
	litter(16);
	bare_framed(n);
	NO_TAIL_CALL();
}

NOINLINE static void call_outer(long n)
{
	bare_outer(n);
	NO_TAIL_CALL();
}

NOINLINE static void call_frameless(long n)
{
	bare_frameless(n);
	NO_TAIL_CALL();
}

static void (*volatile to_leaf)(long) = bare_leaf;

NOINLINE static void call_pointer(long n)
{
	to_leaf(n);
	NO_TAIL_CALL();
}

NOINLINE static void call_tail(long n)
{
	burn_sink++;
	bare_leaf(n);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*call)(long n);
	} kinds[] = {
		{ "leaf", call_leaf },           { "pushes", call_pushes },
		{ "framed", call_framed },       { "outer", call_outer },
		{ "frameless", call_frameless }, { "pointer", call_pointer },
		{ "tail", call_tail },
	};
	double end = cpu_seconds() + (argc > 2 ? atof(argv[2]) : 1);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		while (argc > 1 && !strcmp(argv[1], kinds[i].name) && cpu_seconds() < end)
			for (int k = 0; k < 1000; k++)
				kinds[i].call(100);
	return 0;
}
