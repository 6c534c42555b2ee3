/* In: reports of what went less than well. Out: one entry a cause, counted. */
#include "base/diag.h"

#include <string.h>

void diag_deinit(struct diag *d)
{
	for (size_t i = 0; i < d->entries.n; i++) {
		free(d->entries.v[i].cause);
		free(d->entries.v[i].text);
	}
	vec_deinit(&d->entries);
}

void diag_add(struct diag *d, enum diag_level level, const char *cause, const char *fmt, ...)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->entries.n; i++) {
		if (!strcmp(d->entries.v[i].cause, cause)) {
			d->entries.v[i].count++;
			return;
		}
	}
	va_list ap;

	va_start(ap, fmt);
	struct diag_entry entry = {
		.level = level,
		.count = 1,
		.cause = xstrdup(cause),
		.text = xvasprintf(fmt, ap),
	};
	va_end(ap);
	vec_push(&d->entries, entry);
}

void diag_err(struct diag *d, enum diag_level level, const char *cause, struct err *err)
{
	diag_add(d, level, cause, "%s", err_msg(err));
	err_destroy(err);
}
