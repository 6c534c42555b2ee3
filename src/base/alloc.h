/* Allocation that dies: a profiler that is out of memory has nothing better to do than say so.
 * Every function returns a pointer owned by the caller (free with free()); none returns NULL.
 * Lengths that come from outside must be checked against what is there before they get here. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* For static analysis, which would ask what becomes of a NULL. */
#define ALLOCATES __attribute__((returns_nonnull))

ALLOCATES void *xmalloc(size_t size);
ALLOCATES void *xcalloc(size_t n, size_t size);
/* For a table of a MiB or so that is read here and there all the time: in huge pages where the
 * system has them (madvise(2), MADV_HUGEPAGE), and at a multiple of their size. */
ALLOCATES void *xcalloc_huge(size_t n, size_t size);
ALLOCATES void *xrealloc(void *p, size_t size);
/* n * size, checked for overflow. */
ALLOCATES void *xreallocarray(void *p, size_t n, size_t size);
ALLOCATES char *xstrdup(const char *s);
ALLOCATES char *xstrndup(const char *s, size_t len);
ALLOCATES void *xmemdup(const void *p, size_t len);
ALLOCATES char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
ALLOCATES char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

#endif
