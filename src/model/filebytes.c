/* In: an open file, or an image in memory. Out: its bytes, as far as they are there. */
#include "model/filebytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

enum { PIECE = 16 << 10 };

static struct err *filebytes_reserve(struct filebytes *b, uint64_t size)
{
	if (size > SIZE_MAX / 2)
		return err_new("a file of %llu bytes is too large", (unsigned long long)size);
	size_t reserved = size ? (size_t)size : 1;
	void *p = mmap(NULL, reserved, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_sys(errno, "reserve %zu bytes of address space", reserved);
	*b = (struct filebytes){ .fd = -1, .data = p, .size = size, .reserved = reserved };
	return NULL;
}

struct err *filebytes_init(struct filebytes *b, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(errno, "fstat");
	if (!S_ISREG(st.st_mode))
		return err_new("not a regular file");
	TRY(filebytes_reserve(b, (uint64_t)st.st_size));
	b->fd = fd;
	/* calloc of zero pages: a sparse file's size costs nothing either. */
	b->have = calloc((size_t)(b->size / PIECE) + 1, 1);
	if (!b->have) {
		filebytes_deinit(b);
		return err_sys(ENOMEM, "a file of %llu bytes", (unsigned long long)st.st_size);
	}
	return NULL;
}

struct err *filebytes_init_memory(struct filebytes *b, const void *image, size_t len)
{
	TRY(filebytes_reserve(b, len));
	if (len)
		memcpy(b->data, image, len);
	return NULL;
}

void filebytes_deinit(struct filebytes *b)
{
	if (b->data)
		munmap(b->data, b->reserved);
	free(b->have);
	*b = (struct filebytes){ .fd = -1 };
}

static bool filebytes_read(struct filebytes *b, uint64_t piece)
{
	uint64_t off = piece * PIECE;
	size_t want = b->size - off < PIECE ? (size_t)(b->size - off) : PIECE;
	size_t done = 0;

	while (done < want) {
		ssize_t n = pread(b->fd, b->data + off + done, want - done, (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	b->have[piece] = 1;
	return true;
}

const uint8_t *filebytes_get(struct filebytes *b, uint64_t off, uint64_t len)
{
	if (off > b->size || len > b->size - off)
		return NULL;
	if (!b->have || !len)
		return b->data + off;
	for (uint64_t piece = off / PIECE; piece <= (off + len - 1) / PIECE; piece++) {
		if (!b->have[piece] && !filebytes_read(b, piece))
			return NULL;
	}
	return b->data + off;
}
