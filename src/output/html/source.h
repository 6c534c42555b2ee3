/* Source files that the page may show. */
#ifndef OUTPUT_HTML_SOURCE_H
#define OUTPUT_HTML_SOURCE_H

#include "base/buf.h"

enum { SOURCE_FILE_MAX = 1 << 20, SOURCE_ALL_MAX = 16 << 20 };

/* The text of the file at `path`, appended to `ret`; false if it cannot be read here, is larger
 * than SOURCE_FILE_MAX, no regular file, or not named like a source file: paths come from the
 * recording, and a hostile one must not bring other files into a page that is passed on. */
bool source_read(const char *path, struct buf *ret);

#endif
