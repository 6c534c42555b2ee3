/* In: a build-id. Out: a debug file from a server. */
#include "symbol/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* As in elfutils' debuginfod.h; the library need not be there when this is built. */
typedef void *begin_fn(void);
typedef int find_fn(void *client, const unsigned char *build_id, int len, char **path);
typedef int progress_fn(void *client, long a, long b);
typedef void set_progress_fn(void *client, progress_fn *fn);

static struct {
	char *urls; /* what the environment had; NULL: nothing */
	bool off;
	void *client;
	find_fn *find_debug_file, *find_executable;
	debuginfod_progress_fn *progress;
	const char *path; /* of the binary asked for */
} state;

void debuginfod_forbid(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls && *urls && !state.urls)
		state.urls = xstrdup(urls);
	unsetenv("DEBUGINFOD_URLS");
}

void debuginfod_on_progress(debuginfod_progress_fn *fn)
{
	state.progress = fn;
}

static int on_progress(void *client, long got, long of)
{
	(void)client;
	if (state.progress)
		state.progress(state.path, got, of);
	return 0;
}

/* NULL or why not. */
static const char *load(void)
{
	if (!state.urls)
		return "DEBUGINFOD_URLS names no server";
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		return "libdebuginfod.so.1 is not installed (package libdebuginfod1)";
	begin_fn *begin = (begin_fn *)dlsym(lib, "debuginfod_begin");
	set_progress_fn *set_progress = (set_progress_fn *)dlsym(lib, "debuginfod_set_progressfn");

	state.find_debug_file = (find_fn *)dlsym(lib, "debuginfod_find_debuginfo");
	state.find_executable = (find_fn *)dlsym(lib, "debuginfod_find_executable");
	if (!begin || !set_progress || !state.find_debug_file || !state.find_executable)
		return "libdebuginfod.so.1 is not what it should be";
	/* Seconds: for the connection and while nothing comes; for a whole file. */
	setenv("DEBUGINFOD_TIMEOUT", "5", 0);
	setenv("DEBUGINFOD_MAXTIME", "300", 0);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
	state.client = begin();
	if (!state.client)
		return "libdebuginfod does not start";
	set_progress(state.client, on_progress);
	return NULL;
}

static void give_up(struct diag *diag, const char *why)
{
	state.off = true;
	diag_add(diag, DIAG_WARNING, "debuginfod",
		 "no debug files from debuginfod: %s; not asked again", why);
}

/* False: servers are not to be asked. */
static bool is_ready(struct diag *diag)
{
	debuginfod_forbid();
	if (state.off)
		return false;
	const char *why = state.client ? NULL : load();

	if (why)
		give_up(diag, why);
	return !why;
}

static int ask(find_fn *find, const uint8_t *build_id, size_t len, struct diag *diag)
{
	char *found = NULL;

	setenv("DEBUGINFOD_URLS", state.urls, 1);
	int fd = find(state.client, build_id, (int)len, &found);

	unsetenv("DEBUGINFOD_URLS");
	free(found);
	/* "Not there" is an answer; anything else is a server that does not give one. */
	if (fd < 0 && fd != -ENOENT)
		give_up(diag, strerror(-fd));
	return fd < 0 ? -1 : fd;
}

int debuginfod_debug_file(const uint8_t *build_id, size_t len, const char *path, struct diag *diag)
{
	if (!is_ready(diag))
		return -1;
	state.path = path;
	return ask(state.find_debug_file, build_id, len, diag);
}

int debuginfod_executable(const uint8_t *build_id, size_t len, const char *path, struct diag *diag)
{
	if (!is_ready(diag))
		return -1;
	state.path = path;
	return ask(state.find_executable, build_id, len, diag);
}
