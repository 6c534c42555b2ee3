/* Outputs: one file per format behind one small struct. A writer gets the finished call tree and
 * the dataset it came from, writes to `out`, and reports write errors (ferror) as its result. */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include <stdio.h>

#include "base/err.h"
#include "profile/calltree.h"

/* What every format may say about where the numbers come from. */
struct output_context {
	const struct calltree *tree;
	const char *title;    /* NULL: the format's own choice */
	const char *subtitle; /* NULL: output_subtitle() */
	double min_percent;   /* leave out what weighs less; 0: nothing */
	const void *options;  /* the format's own struct (svg.h, text.h, folded.h), or NULL */
};

struct output {
	const char *name;   /* as in -f NAME */
	const char *suffix; /* ".svg"; "" if no suffix means this format */
	const char *what;   /* one line for --help */
	struct err *(*write)(const struct output_context *ctx, FILE *out);
};

extern const struct output *const outputs[]; /* NULL-terminated */
const struct output *output_find(const char *name);
/* By the suffix of a file name; NULL if none fits. */
const struct output *output_by_suffix(const char *path);

/* "cpu-clock · 10.0 s · 9,932 samples · 0 lost · 99.7 % complete" plus warnings; caller frees. */
char *output_subtitle(const struct calltree *tree);

/* `name` as valid UTF-8 without control bytes (each bad byte becomes U+FFFD). Appends to buf. */
struct buf;
void output_clean_utf8(struct buf *b, const char *name, size_t len);

#endif
