/* A whole file in memory without reading it: debug information of hundreds of MB, of which a few
 * units are looked at. What a file that shrinks meanwhile no longer holds reads as zeros, damage
 * like any other, instead of ending the program by SIGBUS. Not thread-safe: maps are made and
 * closed by one thread. */
#ifndef SYMBOL_FILEMAP_H
#define SYMBOL_FILEMAP_H

#include <stddef.h>

#include "base/err.h"

struct filemap;

/* Borrows `fd` for the call. Fails on what is empty or cannot be mapped. */
ERR_CHECK struct err *filemap_open(int fd, struct filemap **ret);
void filemap_close(struct filemap *m);
/* Private: writing changes no file. Valid as long as m. */
void *filemap_data(const struct filemap *m);
size_t filemap_len(const struct filemap *m);

#endif
