/* A table of functions: what each weighs with all it calls (total) and by itself (self), and its
 * three heaviest callers. */
#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include "output/output.h"
#include "profile/functions.h"
#include "profile/samenames.h"

struct text_options {
	bool by_self;    /* sort by self, leaving out functions without any; else by total */
	size_t limit;    /* rows; 0: all */
	bool no_callers; /* only the table */
};

/* ctx->options: struct text_options or NULL. Totals count a function once a stack, whatever the
 * recursion; a function that is inlined in some places is one row. What the limit and
 * ctx->min_percent leave out is stated in the last line. */
extern const struct output text_output;

/* The lines with '#' that head text and tree: the subtitle, the unit, other events. */
void text_header(struct buf *b, const struct output_context *ctx);

/* A function's name, with its binary where other binaries have one of that name. */
void text_func(struct buf *b, const struct calltree *t, const struct samenames *names,
	       uint32_t func);
/* The column of a table that tells the binary; left out where text_no_binaries(). */
#define TEXT_BINARY_HEAD "binary              "
void text_binary(struct buf *b, const char *name);
/* True if of no function's binary anything is known: folded stacks have names only. */
bool text_no_binaries(const struct functions *f);

#endif
