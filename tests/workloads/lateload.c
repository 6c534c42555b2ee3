/* A library that comes late: `lateload LIB.so [BEFORE [AFTER]]` prints "ready", works on for BEFORE
 * seconds, then loads the library (built from codepage.c as hot_late) and runs it in a thread of
 * its own for AFTER seconds. */
#include <dlfcn.h>
#include <pthread.h>

#include "burn.h"

typedef unsigned long late_fn(unsigned long n);

HOT(before_load)

static late_fn *late;
static double seconds_after = 0.4;

static void *late_thread(void *arg)
{
	double start = cpu_seconds(), now;

	(void)arg;
	do {
		burn_sink += late(200000);
		now = cpu_seconds();
	} while (now - start < seconds_after);
	truth("hot_late", now - start);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	puts("ready");
	fflush(stdout);
	if (argc > 3)
		seconds_after = atof(argv[3]);
	before_load(argc > 2 ? atof(argv[2]) : 0.8);
	void *lib = dlopen(argv[1], RTLD_NOW);

	late = lib ? (late_fn *)dlsym(lib, "hot_late") : NULL;
	if (!late || pthread_create(&thread, NULL, late_thread, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
