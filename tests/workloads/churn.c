/* Threads that come and go: LINEAGES lines of threads, each thread burning BURN_US of CPU, then
 * making its successor and ending. Prints "TID CPU_NS BORN_NS" for each thread (CLOCK_MONOTONIC).
 * With two lineages on two CPUs and 8 ms a thread some 200 threads a second are born.
 *
 * churn SECONDS [LINEAGES [BURN_US]] */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t end_ns, burn_ns;
static int alive;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

__attribute__((noinline)) static unsigned int churn_burn(unsigned int x)
{
	for (int i = 0; i < 20000; i++)
		x = x * 1103515245 + 12345;
	return x;
}

static void line_ends(void)
{
	pthread_mutex_lock(&lock);
	alive--;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
}

static void make_thread(void);

static void *thread_main(void *arg)
{
	uint64_t born = clock_ns(CLOCK_MONOTONIC);
	volatile unsigned int x = 1;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < burn_ns)
		x = churn_burn(x);
	if (clock_ns(CLOCK_MONOTONIC) < end_ns)
		make_thread();
	else
		line_ends();
	printf("%d %llu %llu\n", gettid(), (unsigned long long)clock_ns(CLOCK_THREAD_CPUTIME_ID),
	       (unsigned long long)born);
	return arg;
}

static void make_thread(void)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&t, &attr, thread_main, NULL)) {
		perror("pthread_create");
		_exit(1);
	}
	pthread_attr_destroy(&attr);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	int lineages = argc > 2 ? atoi(argv[2]) : 2;

	burn_ns = (uint64_t)(argc > 3 ? atoi(argv[3]) : 8000) * 1000;
	end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	alive = lineages;
	for (int i = 0; i < lineages; i++)
		make_thread();
	pthread_mutex_lock(&lock);
	while (alive)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	usleep(20000); /* for the last lines */
	fflush(stdout);
	return 0;
}
