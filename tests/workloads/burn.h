/* Work of known cost under known names. HOT(f) defines a function f(seconds) that uses that much
 * CPU time of its thread and adds what it used to the file named by $TRUTH, a line "f SECONDS
 * THREAD". Tests compare shares of samples with shares of these. */
#ifndef WORKLOADS_BURN_H
#define WORKLOADS_BURN_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long burn_sink;

static inline double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void truth(const char *name, double seconds)
{
	const char *path = getenv("TRUTH");
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	char line[128];
	int len = snprintf(line, sizeof(line), "%s %.6f %ld\n", name, seconds, syscall(SYS_gettid));

	if (fd < 0)
		return;
	if (write(fd, line, (size_t)len) != len) /* one write: several processes append */
		abort();
	close(fd);
}

/* In the caller's own frame; the clock is read once in some 0.2 ms. */
static inline __attribute__((always_inline)) double burn(double seconds)
{
	double start = cpu_seconds(), now;

	do {
		unsigned long x = burn_sink;

		for (int i = 0; i < 200000; i++) {
			x = x * 6364136223846793005UL + 1442695040888963407UL;
			__asm__ volatile("" : "+r"(x));
		}
		burn_sink = x;
		now = cpu_seconds();
	} while (now - start < seconds);
	return now - start;
}

#define HOT(name) HOT_EXPANDED(name) /* so that `name` may be a macro of the build's */
#define HOT_EXPANDED(name)                                                                         \
	__attribute__((noinline, noclone)) static void name(double seconds)                        \
	{                                                                                          \
		double used = burn(seconds);                                                       \
                                                                                                   \
		truth(#name, used);                                                                \
		__asm__ volatile(""); /* no tail call */                                           \
	}

#endif
