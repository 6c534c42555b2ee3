/* The file to report on: opened, and told apart by its content, never by its name. */
#ifndef CMD_REPORT_INPUT_H
#define CMD_REPORT_INPUT_H

#include "base/diag.h"
#include "profile/profile.h"
#include "sample/dataset.h"
#include "unwind/unwinder.h"

enum input_kind {
	INPUT_RECORDING,
	INPUT_PERFDATA,
	INPUT_TEXT, /* perf script's output, or folded stacks */
};

struct report_input {
	enum input_kind kind;
	int fd; /* -1: none; owned */
	bool is_stdin, is_dir;
	bool needs_seek;       /* it cannot be read as a stream */
	struct source *source; /* owned */
	struct dataset data;   /* owned */
};

/* `input` is to be released in any case. "-" is standard input. An error says what the file is. */
ERR_CHECK struct err *report_input_open(struct report_input *input, const char *path,
					struct diag *diag);
/* True if the input has stacks to unwind, as far as is known yet. */
bool report_input_has_stacks(const struct report_input *input);
/* Unwinds the samples with `engine`, those of a recording that kept their stacks anew. Before the
 * first batch. */
ERR_CHECK struct err *report_input_unwind(struct report_input *input, enum unwind_engine engine);
/* How stacks are to be grouped, which decides how perf script's text is read (text_keep_java()).
 * Before the first batch. */
void report_input_grouped(struct report_input *input, enum group_by by);
/* Samples from here on have the code of their time in their stacks (codefollow.h). Last, before the
 * first batch. */
void report_input_follow_code(struct report_input *input);
void report_input_deinit(struct report_input *input);

#endif
