/* In: a file descriptor. Out: windows of its bytes. */
#include "import/perfbytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

void perfbytes_init(struct perfbytes *b, int fd, uint64_t offset)
{
	*b = (struct perfbytes){ .fd = fd, .base = offset, .end = UINT64_MAX };
	b->window = xmalloc(PERFBYTES_WINDOW);
}

void perfbytes_deinit(struct perfbytes *b)
{
	free(b->window);
}

/* Not the whole window at once: what was read is to be in a near cache when it is looked at. */
enum { READ_AT_ONCE = 1 << 17 };

static struct err *fill(struct perfbytes *b, size_t want)
{
	memmove(b->window, b->window + b->at, b->len - b->at);
	b->base += b->at;
	b->len -= b->at;
	b->at = 0;
	while (b->len < want && !b->eof) {
		uint64_t offset = b->base + b->len;
		size_t room = PERFBYTES_WINDOW - b->len;

		if (offset >= b->end) {
			b->eof = true;
			break;
		}
		if (room > READ_AT_ONCE)
			room = READ_AT_ONCE;
		if (room > b->end - offset)
			room = b->end - offset;
		ssize_t n = read(b->fd, b->window + b->len, room);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "cannot read at offset %llu",
				       (unsigned long long)offset);
		b->eof = !n;
		b->len += (size_t)n;
	}
	return NULL;
}

struct err *perfbytes_peek(struct perfbytes *b, size_t want, const uint8_t **ret, size_t *ret_len)
{
	if (b->len - b->at < want)
		TRY(fill(b, want));
	*ret = b->window + b->at;
	*ret_len = b->len - b->at;
	return NULL;
}

struct err *perfbytes_skip(struct perfbytes *b, uint64_t len, bool *ret)
{
	while (len) {
		const uint8_t *p;
		size_t have;

		TRY(perfbytes_peek(b, 1, &p, &have));
		if (!have)
			break;
		if (have > len)
			have = (size_t)len;
		perfbytes_take(b, have);
		len -= have;
	}
	*ret = !len;
	return NULL;
}
