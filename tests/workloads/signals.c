/* A handler that burns CPU on top of a function that does. `signals KIND SECONDS`: "plain" on the
 * interrupted stack, "alt" on a stack of its own (sigaltstack), "bare" returning through a
 * trampoline that no CFI describes, "coroutine" without a signal, on a stack of swapcontext(). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;
static struct timespec end;

static int is_over(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec > end.tv_sec || (t.tv_sec == end.tv_sec && t.tv_nsec >= end.tv_nsec);
}

NOINLINE static void burn(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

NOINLINE static void in_handler(int sig)
{
	burn(3000000);
	sink += (unsigned long)sig;
}

NOINLINE static void interrupted(void)
{
	while (!is_over())
		burn(100000);
	sink++;
}

/* What the kernel's sigaction(2) takes. */
struct kernel_sigaction {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#ifdef __x86_64__
void bare_restorer(void);
__asm__(".text\n.globl bare_restorer\n.type bare_restorer, @function\nbare_restorer:\n"
	"mov $15, %rax\nsyscall\n.size bare_restorer, .-bare_restorer\n");

static int handle_bare(void)
{
	struct kernel_sigaction a = { .handler = in_handler,
				      .flags = 0x04000000 /* SA_RESTORER */ | SA_RESTART,
				      .restorer = bare_restorer };

	return (int)syscall(SYS_rt_sigaction, SIGALRM, &a, NULL, 8);
}
#else
static int handle_bare(void)
{
	return -1;
}
#endif

static int handle(int flags)
{
	struct sigaction a = { .sa_handler = in_handler, .sa_flags = flags | SA_RESTART };

	return sigaction(SIGALRM, &a, NULL);
}

static int use_alternate(void)
{
	stack_t other = { .ss_size = 1 << 18 };

	other.ss_sp = malloc(other.ss_size);
	return sigaltstack(&other, NULL) || handle(SA_ONSTACK);
}

static ucontext_t outside, inside;

NOINLINE static void coroutine(void)
{
	interrupted();
	sink++;
}

static int run_coroutine(void)
{
	enum { SIZE = 1 << 18 };

	getcontext(&inside);
	inside.uc_stack.ss_sp = malloc(SIZE);
	inside.uc_stack.ss_size = SIZE;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	return swapcontext(&outside, &inside);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "plain";
	struct itimerval timer = { .it_interval = { .tv_usec = 10000 },
				   .it_value = { .tv_usec = 10000 } };

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += argc > 2 ? atoi(argv[2]) : 2;
	if (!strcmp(kind, "coroutine"))
		return run_coroutine();
	if (!strcmp(kind, "bare")  ? handle_bare()
	    : !strcmp(kind, "alt") ? use_alternate()
				   : handle(0))
		return 1;
	setitimer(ITIMER_REAL, &timer, NULL);
	interrupted();
	return 0;
}
