/* Outputs of `singe diff`: like those of a report, but over a difference. */
#ifndef OUTPUT_DIFF_OUTPUT_H
#define OUTPUT_DIFF_OUTPUT_H

#include "output/output.h"
#include "profile/diff.h"

struct diff_context {
	const struct diff *diff;
	const char *title;             /* NULL: the format's own choice */
	const char *about[DIFF_SIDES]; /* what a side is: names of files, samples */
	const char *per;               /* "samples", "time" or "count": what shares are per */
	const char *unit;              /* of weights as recorded */
	size_t limit;                  /* text: rows; 0: all */
	bool dim;                      /* text: a terminal that can show grey */
	unsigned int width;            /* svg: px; 0: its own choice */
};

struct diff_output {
	const char *name, *suffix, *what; /* as in struct output */
	struct err *(*write)(const struct diff_context *ctx, FILE *out);
};

/* A table, largest regressions first. */
extern const struct diff_output diff_text_output;
/* The page of `singe report -f html` over both sides (html.h). */
extern const struct diff_output diff_html_output;
/* A flame graph of both sides together: a frame is as wide as its shares before and after. */
extern const struct diff_output diff_svg_output;
/* "stack BEFORE AFTER", what FlameGraph's difffolded.pl writes with -n: BEFORE is scaled to the
 * whole (or the amount) after, so that flamegraph.pl shows changes only. */
extern const struct diff_output diff_folded_output;
/* doc/json.md */
extern const struct diff_output diff_json_output;

extern const struct diff_output
	*const diff_outputs[]; /* NULL-terminated; the first is the default */
const struct diff_output *diff_output_find(const char *name);
/* By the suffix of a file name; NULL if none fits. */
const struct diff_output *diff_output_by_suffix(const char *path);

/* Margins in percent: of one side's share, and of the change. */
double diff_share_margin(const struct diff_value *v, enum diff_side side);
double diff_change_margin(const struct diff_value *v);

/* "two-proportion z-test" or "Welch's t-test", or what counts per amount are tested by. */
const char *diff_test_name(const struct diff *d);

#endif
