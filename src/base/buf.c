/* In: numbers and bytes. Out: one run of bytes. */
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"

void buf_grow(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap * 2 : 256;

	if (cap < b->len + more)
		cap = b->len + more;
	b->data = xrealloc(b->data, cap);
	b->cap = cap;
}

void buf_deinit(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

bool buf_read_at(struct buf *b, int fd, uint64_t off, size_t len)
{
	size_t done = 0;

	buf_room(b, len);
	while (done < len) {
		ssize_t n = pread(fd, b->data + b->len, len - done, (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (!n)
			break;
		b->len += (size_t)n;
		done += (size_t)n;
	}
	return true;
}
