/* The command line of `singe diff`, as understood. */
#ifndef CMD_DIFF_OPTIONS_H
#define CMD_DIFF_OPTIONS_H

#include <stdio.h>

#include "output/diff_output.h"

enum diff_per { DIFF_PER_SAMPLES, DIFF_PER_TIME, DIFF_PER_COUNT };

struct diff_options {
	VEC(const char *) inputs[DIFF_SIDES]; /* views of argv */
	const struct diff_output *chosen;     /* NULL: neither -f nor a suffix of -o said */
	const char *output, *title;
	enum diff_per per;
	double count[DIFF_SIDES]; /* DIFF_PER_COUNT */
	double fail_over;         /* percent points; negative: never */
	size_t limit;
	unsigned int width;
	struct profile_options profile;
	struct filter filter;
	struct frame_filter frames;
	bool no_inlines, verbose, quiet, help, version;
};

void diff_options_deinit(struct diff_options *o);
/* Zeroes and fills `o`, which is to be released in any case. The error is a usage error. */
ERR_CHECK struct err *diff_options_parse(struct diff_options *o, int argc, char **argv);
void diff_usage(FILE *out);

#endif
