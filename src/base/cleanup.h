/* Scope guards: a variable marked _cleanup_X_ is released when it goes out of scope, on every path.
 * return_ptr(p) hands the value to the caller and disarms the guard. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFINE_CLEANUP(type, func)                                                                 \
	static inline void cleanup_##func(type *p)                                                 \
	{                                                                                          \
		if (*p)                                                                            \
			func(*p);                                                                  \
	}                                                                                          \
	struct cleanup_##func##_semicolon

/* `unused`: to clang a variable that is only released was never used. */
#define CLEANUP(func) __attribute__((cleanup(cleanup_##func), unused))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_ CLEANUP(free)
#define _cleanup_close_ CLEANUP(close)
#define _cleanup_fclose_ CLEANUP(fclose)

#define take_ptr(p)                                                                                \
	({                                                                                         \
		__auto_type taken_ = (p);                                                          \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

#define take_fd(fd)                                                                                \
	({                                                                                         \
		int taken_ = (fd);                                                                 \
		(fd) = -1;                                                                         \
		taken_;                                                                            \
	})

#define return_ptr(p) return take_ptr(p)

#endif
