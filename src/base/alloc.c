/* In: sizes. Out: memory, or the end of the process with a message. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void __attribute__((noreturn)) out_of_memory(size_t size)
{
	fprintf(stderr, "singe: out of memory (asked for %zu bytes)\n", size);
	abort();
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory(size);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory(n * size);
	return p;
}

void *xcalloc_huge(size_t n, size_t size)
{
	const size_t page = (size_t)2 << 20;
	size_t bytes, whole;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_add_overflow(bytes, page - 1, &whole) ||
	    posix_memalign(&p, page, whole & ~(page - 1)))
		out_of_memory(n * size);
	(void)madvise(p, whole & ~(page - 1), MADV_HUGEPAGE);
	return memset(p, 0, bytes);
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		out_of_memory(size);
	return p;
}

void *xreallocarray(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory(SIZE_MAX);
	return xrealloc(old, bytes);
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t len)
{
	size_t n = strnlen(s, len);
	char *p = xmalloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

void *xmemdup(const void *src, size_t len)
{
	void *p = xmalloc(len);

	if (len)
		memcpy(p, src, len);
	return p;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		out_of_memory(0);
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}
