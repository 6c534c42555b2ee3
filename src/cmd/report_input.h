/* The file to report on: opened, and told apart by its content, never by its name. */
#ifndef CMD_REPORT_INPUT_H
#define CMD_REPORT_INPUT_H

#include "base/diag.h"
#include "sample/dataset.h"
#include "unwind/unwinder.h"

struct report_input {
	int fd; /* -1: none; owned */
	bool is_stdin;
	struct source *source; /* owned */
	struct dataset data;   /* owned */
};

/* `input` is to be released in any case. "-" is standard input. An error says what the file is. */
ERR_CHECK struct err *report_input_open(struct report_input *input, const char *path,
					struct diag *diag);
/* Unwinds the samples anew if the recording kept their stacks. Before the first batch. */
ERR_CHECK struct err *report_input_unwind(struct report_input *input, enum unwind_engine engine);
void report_input_deinit(struct report_input *input);

#endif
