/* In: what failed and why. Out: one error value that remembers errno and file offset. */
#include "base/err.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

struct err {
	char *msg;
	int errnum;
	bool has_offset;
	uint64_t offset;
};

static struct err *err_take(char *msg, int errnum)
{
	struct err *err = xcalloc(1, sizeof(*err));

	err->msg = msg;
	err->errnum = errnum;
	return err;
}

struct err *err_new(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *msg = xvasprintf(fmt, ap);
	va_end(ap);
	return err_take(msg, 0);
}

struct err *err_sys(int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *msg = xvasprintf(fmt, ap);
	va_end(ap);
	return err_take(xasprintf("%s: %s", msg, strerror(errnum)), errnum);
}

struct err *err_at(uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *msg = xvasprintf(fmt, ap);
	va_end(ap);
	struct err *err =
		err_take(xasprintf("%s (at offset %llu)", msg, (unsigned long long)offset), 0);
	err->has_offset = true;
	err->offset = offset;
	return err;
}

struct err *err_wrap(struct err *inner, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *msg = xvasprintf(fmt, ap);
	va_end(ap);
	_cleanup_free_ char *old = inner->msg;
	inner->msg = xasprintf("%s: %s", msg, old);
	return inner;
}

const char *err_msg(const struct err *err)
{
	return err->msg;
}

int err_errno(const struct err *err)
{
	return err->errnum;
}

int err_offset(const struct err *err, uint64_t *ret)
{
	if (err->has_offset)
		*ret = err->offset;
	return err->has_offset;
}

void err_destroy(struct err *err)
{
	if (!err)
		return;
	free(err->msg);
	free(err);
}
