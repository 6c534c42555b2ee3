/* Diagnostics by cause: the inner rooms count, src/cmd prints. Each distinct (kind, subject) is
 * kept once with a count and the text of its first occurrence. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum diag_level {
	DIAG_WARNING, /* the result is poorer than it could be: shown */
	DIAG_NOTE,    /* a choice was made for the user: shown */
	DIAG_DETAIL,  /* shown with -v */
};

struct diag_entry {
	enum diag_level level;
	uint64_t count;
	char *cause; /* what makes two reports the same one */
	char *text;  /* what to print: what failed, the value now, the command that changes it */
};

struct diag {
	VEC(struct diag_entry) entries; /* in order of first occurrence */
};

void diag_deinit(struct diag *d);
/* `cause` is a stable key such as "kptr-restrict" or "open /usr/bin/x"; text is a sentence. NULL d
 * is allowed and drops the report. */
void diag_add(struct diag *d, enum diag_level level, const char *cause, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The text of the error; destroys it. */
void diag_err(struct diag *d, enum diag_level level, const char *cause, struct err *err);

#endif
