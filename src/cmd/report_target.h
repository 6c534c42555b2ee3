/* Where a report goes: a file, standard output, or a pager on a terminal. */
#ifndef CMD_REPORT_TARGET_H
#define CMD_REPORT_TARGET_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct report_target {
	FILE *out;        /* NULL: not open */
	const char *path; /* NULL: standard output or a pager */
	bool is_pager;
	bool is_regular;
};

/* `path` NULL or "-" is standard output; `page` asks for $PAGER (less if it is unset and there is
 * one; none if it is empty or "cat"). Refuses to write over the file behind `input_fd`. */
ERR_CHECK struct err *report_target_open(struct report_target *t, const char *path, bool page,
					 int input_fd);
/* Fails if `path` is the file behind `input_fd`; for commands with further inputs. */
ERR_CHECK struct err *report_target_check(const char *path, int input_fd);
/* Finishes: `err` is what the writer said and is taken over. A file that is not whole is removed.
 * A reader that went away (EPIPE) is no error. */
ERR_CHECK struct err *report_target_close(struct report_target *t, struct err *err);

#endif
