/* In: how far the search for names is. Out: a line on the terminal. */
#include "cmd/names_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool shown;

/* Ten times a second is enough for the eye; a search that takes less than that shows nothing. */
static bool is_due(void)
{
	static struct timespec last;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!last.tv_sec)
		last = now;
	double elapsed =
		(double)(now.tv_sec - last.tv_sec) + (double)(now.tv_nsec - last.tv_nsec) / 1e9;

	if (elapsed < 0.1 || !isatty(STDERR_FILENO))
		return false;
	last = now;
	shown = true;
	return true;
}

bool print_resolve_progress(void *ctx, size_t done, size_t of, const char *what)
{
	(void)ctx;
	if (is_due())
		fprintf(stderr, "\r\033[Knames: %zu of %zu places (%.40s)", done, of, what);
	return false;
}

void print_debuginfod_progress(const char *path, long got, long of)
{
	if (!is_due())
		return;
	if (of > 0)
		fprintf(stderr, "\r\033[Kdebuginfod: %ld of %ld KB for %.60s", got / 1024,
			of / 1024, path);
	else
		fprintf(stderr, "\r\033[Kdebuginfod: waiting for %.60s", path);
}

void print_progress_clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
