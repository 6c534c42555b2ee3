/* Threads that work. `threads short N` starts N threads one after the other, 15 ms of work each;
 * `threads rename` does three phases under three names, one in a thread; `threads pool N SECONDS`
 * prints "ready", then N threads work together for SECONDS of CPU time each, after which the
 * program ends; `threads exec IMAGE ARGS…` prints "ready" and works for a while in the main thread
 * and in another, which then executes IMAGE. */
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

#include "burn.h"

HOT(in_short_thread)
HOT(phase_one)
HOT(phase_two)
HOT(phase_thread)
HOT(in_pool)

static double pool_seconds;

static void *short_thread(void *arg)
{
	(void)arg;
	in_short_thread(0.015);
	return NULL;
}

static void *named_thread(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "the worker");
	phase_thread(0.2);
	return NULL;
}

static void *pool_thread(void *arg)
{
	(void)arg;
	in_pool(pool_seconds);
	return NULL;
}

static char **exec_line;

static void *exec_thread(void *arg)
{
	(void)arg;
	in_short_thread(0.4);
	execv(exec_line[0], exec_line);
	abort();
}

static void run(void *(*fn)(void *))
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, NULL) || pthread_join(t, NULL))
		abort();
}

static void pool(int n)
{
	pthread_t threads[1024];

	for (int i = 0; i < n && i < 1024; i++)
		if (pthread_create(&threads[i], NULL, pool_thread, NULL))
			abort();
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < n && i < 1024; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(mode, "short")) {
		for (int i = 0; i < n; i++)
			run(short_thread);
	} else if (!strcmp(mode, "rename")) {
		prctl(PR_SET_NAME, "first");
		phase_one(0.2);
		prctl(PR_SET_NAME, "second");
		phase_two(0.2);
		run(named_thread);
	} else if (!strcmp(mode, "pool") && argc > 3) {
		pool_seconds = atof(argv[3]);
		pool(n);
	} else if (!strcmp(mode, "exec") && argc > 2) {
		pthread_t t;

		exec_line = argv + 2;
		puts("ready");
		fflush(stdout);
		if (pthread_create(&t, NULL, exec_thread, NULL))
			abort();
		phase_one(0.2);
		pthread_join(t, NULL); /* never: this thread ends by the other's execve */
	} else {
		return 2;
	}
	return 0;
}
