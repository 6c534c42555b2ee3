/* In: numbers and bytes. Out: one run of bytes. */
#include "base/buf.h"

#include <stdlib.h>

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
