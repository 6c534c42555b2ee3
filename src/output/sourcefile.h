/* Source files that a listing or a page may show. */
#ifndef OUTPUT_SOURCEFILE_H
#define OUTPUT_SOURCEFILE_H

#include "base/buf.h"

enum { SOURCE_FILE_MAX = 1 << 20, SOURCE_ALL_MAX = 16 << 20 };

/* Where files may be that are not where the compiler read them. */
struct source_dirs {
	const char *const *v;
	size_t n;
};

/* The file that a recording names `path`, as gdb finds one: itself; then below each directory, with
 * fewer and fewer of its own directories, so that the most of its name fits; a relative one last
 * below the working directory. NULL: there is none. The caller frees. */
char *sourcefile_find(const struct source_dirs *dirs, const char *path);

/* The text of the file that sourcefile_find() found, appended to `ret`; false if it cannot be read,
 * is larger than SOURCE_FILE_MAX, no regular file, or not named like a source file: names come from
 * the recording, and a hostile one must not bring other files into a page that is passed on. */
bool sourcefile_read(const char *path, struct buf *ret);

#endif
