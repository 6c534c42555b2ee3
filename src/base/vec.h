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

#define vec_deinit(vec)                                                                            \
	do {                                                                                       \
		free((vec)->v);                                                                    \
		(vec)->v = NULL;                                                                   \
		(vec)->n = (vec)->cap = 0;                                                         \
	} while (0)

#endif
