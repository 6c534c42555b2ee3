/* Allocation that dies: a profiler that is out of memory has nothing better to do than say so.
 * Every function returns a pointer owned by the caller (free with free()); none returns NULL.
 * Lengths that come from outside must be checked against what is there before they get here. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
/* At a multiple of `align`, a power of two. */
void *xcalloc_aligned(size_t align, size_t n, size_t size);
void *xrealloc(void *p, size_t size);
/* n * size, checked for overflow. */
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
void *xmemdup(const void *p, size_t len);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

#endif
