/* Folded stacks: "group;outer;…;inner COUNT", one line a distinct stack, sorted bytewise: what
 * flamegraph.pl, inferno and speedscope read (FlameGraph, stackcollapse-perf.pl). */
#ifndef OUTPUT_FOLDED_H
#define OUTPUT_FOLDED_H

#include "output/output.h"

/* Which frames get FlameGraph's suffixes that tell the renderer a frame's colour. */
struct folded_options {
	bool mark_kernel;  /* _[k] */
	bool mark_jit;     /* _[j] */
	bool mark_inlined; /* _[i] */
};

/* ctx->options: struct folded_options or NULL. The format has no escapes, so names are changed as
 * little as lets every line be read back as one stack and one count: ';' → ':', blanks of a group →
 * '_', bad bytes → U+FFFD, and blanks before what a reader could take for a second count → '_'.
 * Stacks below ctx->min_percent go into one frame "[pruned]" of their caller, so that sums hold. */
extern const struct output folded_output;

/* Appends a function's name with `mark` behind it, cleaned as said above. */
void folded_name(struct buf *b, const struct func *f, const char *mark, bool is_leaf);

#endif
