/* Two threads with stacks DEPTH frames deep of about 200 bytes each; every level burns a little.
 * `frames SECONDS [DEPTH]`. With one-way branches the stacks are few, whatever their depth. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct timespec end;

__attribute__((noinline)) static uint64_t level(int depth, uint64_t seed)
{
	volatile uint64_t words[20];

	for (int i = 0; i < 20; i++)
		words[i] = seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	uint64_t sum = words[seed >> 60] + words[depth % 20];

	if (depth > 0)
		sum += level(depth - 1, sum);
	return sum + words[sum >> 60];
}

static void *thread(void *depth)
{
	struct timespec now;
	uint64_t sum = 0;

	do {
		for (int i = 0; i < 1000; i++)
			sum += level(*(int *)depth, sum);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	*(int *)depth = (int)sum;
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	int depth[2] = { argc > 2 ? atoi(argv[2]) : 60, 0 };
	pthread_t other;

	depth[1] = depth[0];
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)seconds;
	if (pthread_create(&other, NULL, thread, &depth[1]))
		return 1;
	thread(&depth[0]);
	pthread_join(other, NULL);
	printf("%d\n", depth[0] + depth[1]);
	return 0;
}
