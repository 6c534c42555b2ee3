/* The one macro template: a growable array. VEC(int) v = {0}; vec_push(&v, 3); v.v[0]; v.n;
 * vec_deinit(&v). Pointers into it are valid until the next push. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>

#include "base/alloc.h"

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n;                                                                          \
		size_t cap;                                                                        \
	}

#define vec_reserve(vec, want)                                                                     \
	do {                                                                                       \
		size_t want_ = (want);                                                             \
		if (want_ > (vec)->cap) {                                                          \
			size_t cap_ = (vec)->cap ? (vec)->cap * 2 : 8;                             \
			if (cap_ < want_)                                                          \
				cap_ = want_;                                                      \
			(vec)->v = xreallocarray((vec)->v, cap_, sizeof(*(vec)->v));               \
			(vec)->cap = cap_;                                                         \
		}                                                                                  \
	} while (0)

#define vec_push(vec, item)                                                                        \
	do {                                                                                       \
		vec_reserve((vec), (vec)->n + 1);                                                  \
		(vec)->v[(vec)->n++] = (item);                                                     \
	} while (0)

/* By a comparison as qsort(3) takes it, which in turn takes no NULL, even for nothing. */
#define vec_sort(vec, compare)                                                                     \
	do {                                                                                       \
		if ((vec)->n)                                                                      \
			qsort((vec)->v, (vec)->n, sizeof(*(vec)->v), compare);                     \
	} while (0)

#define vec_deinit(vec)                                                                            \
	do {                                                                                       \
		free((vec)->v);                                                                    \
		(vec)->v = NULL;                                                                   \
		(vec)->n = (vec)->cap = 0;                                                         \
	} while (0)

#endif
