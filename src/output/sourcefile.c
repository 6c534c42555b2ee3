/* In: a path that a recording claims to be of a source file. Out: its text, if it looks like one.
 */
#include "output/sourcefile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"

static const char *const suffixes[] = {
	".c",     ".h",   ".cc",  ".hh", ".cpp", ".hpp", ".cxx",  ".hxx", ".c++",   ".inl",
	".ipp",   ".tcc", ".S",   ".s",  ".asm", ".rs",  ".go",   ".d",   ".zig",   ".nim",
	".swift", ".m",   ".mm",  ".f",  ".f90", ".f95", ".pas",  ".adb", ".ads",   ".ml",
	".hs",    ".js",  ".mjs", ".ts", ".py",  ".rb",  ".java", ".kt",  ".scala", ".cs",
	".lua",   ".php", ".pl",  ".y",  ".l",   ".cu",  ".v",    ".jl",  ".ex",
};

static bool is_named_like_source(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	if (!dot || dot == name)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* NULL: below none of them. */
static char *find_below(const struct source_dirs *dirs, const char *rest)
{
	for (size_t i = 0; i < dirs->n; i++) {
		char *path = xasprintf("%s/%s", dirs->v[i], rest);

		if (is_file(path))
			return path;
		free(path);
	}
	return NULL;
}

/* Behind its first directory; NULL: it has none. */
static const char *without_first(const char *path)
{
	const char *slash = strchr(path, '/');

	return slash ? slash + strspn(slash, "/") : NULL;
}

char *sourcefile_find(const struct source_dirs *dirs, const char *path)
{
	if (!is_named_like_source(path))
		return NULL;
	if (path[0] == '/' && is_file(path))
		return xstrdup(path);
	for (const char *rest = path + strspn(path, "/"); dirs && rest && *rest;
	     rest = without_first(rest)) {
		char *found = find_below(dirs, rest);

		if (found)
			return found;
	}
	return path[0] != '/' && is_file(path) ? xstrdup(path) : NULL;
}

bool sourcefile_read(const char *path, struct buf *ret)
{
	struct stat st;

	if (!is_named_like_source(path))
		return false;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_FILE_MAX)
		return false;
	size_t before = ret->len;

	for (;;) {
		buf_room(ret, 1 << 16);
		ssize_t n = read(fd, ret->data + ret->len, 1 << 16);

		if (n < 0 || ret->len - before > SOURCE_FILE_MAX) {
			ret->len = before;
			return false;
		}
		if (!n)
			return true;
		ret->len += (size_t)n;
	}
}
