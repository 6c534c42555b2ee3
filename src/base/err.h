/* The error value. A fallible function returns struct err *, NULL is fine, and its result goes
 * through the last parameter (`ret`), which is untouched on error. The caller owns the error:
 * return it, wrap it, or err_destroy() it. Only src/cmd prints. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdint.h>

#include "base/cleanup.h"

struct err;

#define ERR_CHECK __attribute__((warn_unused_result))

struct err *err_new(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "MESSAGE: strerror(errnum)"; err_errno() gives errnum back. */
struct err *err_sys(int errnum, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Damage in a file: "MESSAGE (at offset N)"; err_offset() gives the offset back. */
struct err *err_at(uint64_t offset, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "MESSAGE: INNER", keeps errno and offset of inner; takes inner over. */
struct err *err_wrap(struct err *inner, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Valid until the error is destroyed. */
const char *err_msg(const struct err *err);
/* 0 if the error did not come from a system call. */
int err_errno(const struct err *err);
/* False if the error names no offset. */
int err_offset(const struct err *err, uint64_t *ret);
void err_destroy(struct err *err);

DEFINE_CLEANUP(struct err *, err_destroy);
#define _cleanup_err_ CLEANUP(err_destroy)

#define TRY(call)                                                                                  \
	do {                                                                                       \
		struct err *err_try_ = (call);                                                     \
		if (err_try_)                                                                      \
			return err_try_;                                                           \
	} while (0)

#endif
