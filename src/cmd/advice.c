/* In: a binary, and what was found of it. Out: the package, path or option that would help. */
#include "cmd/advice.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/cleanup.h"

/* Where gdb's order of search, and so every distribution's package, has it. NULL: no build-id. */
static char *debug_path(const struct binary *b)
{
	static const char digits[] = "0123456789abcdef";
	struct buf hex = { 0 };

	if (b->build_id_len < 2)
		return NULL;
	for (size_t i = 1; i < b->build_id_len; i++) {
		buf_u8(&hex, (uint8_t)digits[b->build_id[i] >> 4]);
		buf_u8(&hex, (uint8_t)digits[b->build_id[i] & 15]);
	}
	buf_u8(&hex, 0);
	char *path = xasprintf("/usr/lib/debug/.build-id/%02x/%s.debug", b->build_id[0],
			       (const char *)hex.data);

	buf_deinit(&hex);
	return path;
}

/* What a distribution installs: nobody here builds it anew. */
static bool is_packaged(const char *path)
{
	static const char *const dirs[] = { "/usr/bin/", "/usr/sbin/", "/usr/lib",
					    "/lib",      "/bin/",      "/sbin/" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			return true;
	return false;
}

static char *of_file(const struct advice_of *of)
{
	const char *what =
		of->has_names ? "lines and inlined calls" : "names, lines and inlined calls";
	_cleanup_free_ char *path = debug_path(of->binary);

	if (of->gone)
		return xasprintf("the file was gone, and its processes, before it could be opened; "
				 "%s need it at its path, or below --sysroot DIR, for `singe %s`",
				 what, of->resolvable ? "resolve" : "report");
	if (of->why)
		return xasprintf("%s need the file that ran, at its path or below --sysroot DIR%s",
				 what, of->resolvable ? " of `singe resolve`" : "");
	if (!path)
		return xasprintf("%s need a recording of a build with -g", what);
	return xasprintf("%s need %sits -dbg, -dbgsym or -debuginfo package (%s), then `singe %s "
			 "[--debug-dir DIR] [--debuginfod]`",
			 what,
			 is_packaged(of->binary->path) ? "" : "a recording of a build with -g, or ",
			 path, of->resolvable ? "resolve" : "report");
}

static char *of_kernel(const struct advice_of *of)
{
	const char *vmlinux = of->resolvable ? "`singe resolve --vmlinux FILE`" : "--vmlinux FILE";

	if (of->has_names)
		return xasprintf("lines and inlined calls need %s", vmlinux);
	return xasprintf("names need `sysctl kernel.kptr_restrict=0` (as root) on the boot that "
			 "recorded, or %s",
			 vmlinux);
}

char *advice(const struct advice_of *of)
{
	if (of->has_lines && of->no_inlines)
		return xasprintf("inlined calls need its .dwo files, where they were built, beside "
				 "it or in DIR, or a .dwp file beside it or in DIR, then `singe %s "
				 "--debug-dir DIR`",
				 of->resolvable ? "resolve" : "report");
	if (of->has_lines)
		return NULL;
	switch (of->binary->kind) {
	case BINARY_KIND_FILE:
		return of_file(of);
	case BINARY_KIND_KERNEL:
		return of_kernel(of);
	case BINARY_KIND_ANON:
		return of->has_names ? NULL
				     : xstrdup("names need /tmp/perf-PID.map or a jitdump while it "
					       "is recorded: node --perf-basic-prof, java "
					       "-XX:+UnlockDiagnosticVMOptions "
					       "-XX:+DumpPerfMapAtExit, python -X perf, "
					       "erl +JPperf true, mono --jitmap");
	case BINARY_KIND_UNKNOWN:
	case BINARY_KIND_VDSO:
	case BINARY_KIND_TEXT:
		break;
	}
	return NULL;
}
