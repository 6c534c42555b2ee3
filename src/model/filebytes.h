/* A file's bytes by offset, read when they are first asked for and kept.
 *
 * Not mmap: a file that shrinks while it is mapped (a library overwritten in place by a careless
 * install) kills the reader with SIGBUS. Not read whole: binaries of several hundred MB are looked
 * at in a few dozen places. So: address space for the whole file is reserved, and 64 KiB pieces are
 * read into it with pread(2). What is not read costs no memory, and pointers never move. */
#ifndef MODEL_FILEBYTES_H
#define MODEL_FILEBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct filebytes {
	int fd; /* -1: all of it is in memory */
	uint8_t *data;
	uint64_t size;
	size_t reserved; /* bytes of the mapping at `data` */
	uint8_t *have;   /* one byte a piece; NULL: all of it is in memory */
};

/* Borrows `fd`, which must stay open. Fails on what is no regular file. */
ERR_CHECK struct err *filebytes_init(struct filebytes *b, int fd);
/* Copies `len` bytes of `image`. */
ERR_CHECK struct err *filebytes_init_memory(struct filebytes *b, const void *image, size_t len);
void filebytes_deinit(struct filebytes *b);
/* NULL if the file does not hold them all, or could not be read. Valid as long as `b`. */
const uint8_t *filebytes_get(struct filebytes *b, uint64_t off, uint64_t len);

#endif
