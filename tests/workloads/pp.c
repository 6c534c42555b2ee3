/* Threads in a ring that pass bytes through pipes: nothing but context switches.
 * `pp SECONDS [THREADS]` prints hops and CPU nanoseconds per hop. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1000, BYTES_UNDER_WAY = 4 };

static int pipes[MAX_THREADS][2];
static int n_threads = 200;
static atomic_ulong hops;

static void *pass(void *arg)
{
	int i = (int)(long)arg;
	char byte;

	while (read(pipes[i][0], &byte, 1) == 1) {
		atomic_fetch_add_explicit(&hops, 1, memory_order_relaxed);
		if (write(pipes[(i + 1) % n_threads][1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static double cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return 1e9 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 5;

	if (argc > 2)
		n_threads = atoi(argv[2]);
	if (n_threads < 1 || n_threads > MAX_THREADS)
		return 2;
	for (int i = 0; i < n_threads; i++) {
		pthread_t thread;

		if (pipe(pipes[i]))
			return 1;
		if (i && pthread_create(&thread, NULL, pass, (void *)(long)i))
			return 1;
	}
	pthread_t first;

	if (pthread_create(&first, NULL, pass, NULL))
		return 1;
	for (int i = 0; i < BYTES_UNDER_WAY; i++)
		if (write(pipes[i * n_threads / BYTES_UNDER_WAY][1], "x", 1) != 1)
			return 1;
	/* The profiler under test attaches in the first second. */
	sleep(1);
	unsigned long before = hops;
	double cpu = cpu_ns();
	struct timespec pause = { (time_t)seconds,
				  (long)((seconds - (double)(time_t)seconds) * 1e9) };

	nanosleep(&pause, NULL);
	unsigned long n = hops - before;

	cpu = cpu_ns() - cpu;
	printf("hops %lu ns_per_hop %.1f\n", n, n ? cpu / (double)n : 0);
	return 0;
}
