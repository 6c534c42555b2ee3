/* The file a recording goes to: its owner's alone, never through a link, the older one kept. */
#ifndef CMD_RECORD_OUTPUT_H
#define CMD_RECORD_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"

struct record_output {
	int fd;
	char *path;     /* owned; NULL: standard output */
	char *old;      /* owned; where the older file went; NULL: there was none */
	bool is_stream; /* a pipe, a device: nothing can follow its end */
};

void record_output_init(struct record_output *o);
/* Before anything is started: "-", standard output, must not be a terminal. */
ERR_CHECK struct err *record_output_check(const char *path);
ERR_CHECK struct err *record_output_open(struct record_output *o, const char *path);
/* Takes an empty recording away again and puts the older one back. */
void record_output_abandon(struct record_output *o);
void record_output_deinit(struct record_output *o);

#endif
