/* The call tree as indented text, heaviest first. */
#ifndef OUTPUT_TREE_H
#define OUTPUT_TREE_H

#include "output/output.h"

/* ctx->options is not used. What ctx->min_percent leaves out is one line "[N below X %]" with its
 * weight. Beyond 60 levels the indentation stops and the depth is written instead. */
extern const struct output tree_output;

#endif
