/* Outputs: one file per format behind one small struct. A writer gets the finished call tree and
 * the dataset it came from, writes to `out`, and reports write errors (ferror) as its result. */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "output/sourcefile.h"
#include "profile/calltree.h"

/* What every format may say about where the numbers come from. */
struct output_context {
	const struct calltree *tree;
	const char *title;                 /* NULL: the format's own choice */
	const char *subtitle;              /* NULL: output_subtitle() */
	double min_percent;                /* leave out what weighs less; 0: nothing */
	const struct source_dirs *sources; /* NULL: source files are where the recording says */
	const void *options; /* the format's own struct (svg.h, text.h, folded.h), or NULL */
};

struct output {
	const char *name;   /* as in -f NAME */
	const char *suffix; /* ".svg"; "" if no suffix means this format */
	const char *what;   /* one line for --help */
	bool needs_samples; /* profile_options.keep: it shows time or threads */
	bool needs_lines;   /* calltree_options.lines: it shows lines of source */
	struct err *(*write)(const struct output_context *ctx, FILE *out);
};

extern const struct output *const outputs[]; /* NULL-terminated */
const struct output *output_find(const char *name);
/* By the suffix of a file name; NULL if none fits. */
const struct output *output_by_suffix(const char *path);

/* What ferror() says of `out`, flushed: the last line of every writer. */
ERR_CHECK struct err *output_finish(FILE *out, const char *format);

/* "cpu-clock · 10.0 s · 9,932 samples · 0 lost · 99.7 % complete" plus warnings; caller frees. */
char *output_subtitle(const struct calltree *tree);

/* What the weights are of: "9,932 samples", "1.50 s", "12,345 events"; appends to buf. */
void output_amount(struct buf *b, const struct profile *p, uint64_t weight);
/* 1234567 → "1,234,567"; appends to buf. */
void output_number(struct buf *b, uint64_t n);
/* Percent of stacks that are complete, rounded down so that 100.0 means all; negative where that
 * makes no sense (no samples, no call graph recorded). */
double output_complete_percent(const struct calltree *tree);
/* How long the recording took: to its end where that is known, else from sample to sample. */
uint64_t output_duration_ns(const struct profile *p);
/* Seconds with sensible digits: "10.0 s", "0.053 s"; appends to buf. */
void output_duration(struct buf *b, uint64_t ns);
void output_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* `name` as valid UTF-8 without control characters (each bad byte, and each character that XML
 * does not allow, becomes U+FFFD). Appends to buf. */
void output_clean_utf8(struct buf *b, const char *name, size_t len);
/* Length of the valid UTF-8 character at `p` (Unicode 15, table 3-7), 0 if there is none or if it
 * is a control character or no character (U+FFFE, U+FFFF). */
size_t output_utf8_len(const char *p, size_t left);

#endif
