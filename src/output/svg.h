/* The interactive flame graph: one SVG file without references to any other, readable as a still
 * picture where scripts do not run. */
#ifndef OUTPUT_SVG_H
#define OUTPUT_SVG_H

#include <stdbool.h>

#include "output/output.h"

/* What a picture that is not of weights says of a node instead. */
struct svg_note {
	char class_name[3]; /* by palette_change_class() */
	char *text;         /* a line of clean text */
};

/* What output_context.options points to. A zeroed struct, or NULL, means the defaults. */
struct svg_options {
	unsigned int width; /* px of the still picture, SVG_WIDTH_MIN..SVG_WIDTH_MAX; 0: 1200 */
	bool has_min_width;
	double min_width;             /* px; narrower frames are merged, not drawn; default 0.1 */
	const char *colors;           /* "origin", "safe", "hot", "mono"; NULL: origin */
	const char *count_name;       /* replaces profile_unit(); NULL: that */
	bool inverted;                /* icicle: the root at the top */
	unsigned int font_size;       /* px, 6..40; 0: 12 */
	const struct svg_note *notes; /* by node, instead of colours and weights; NULL: none */
};

enum { SVG_WIDTH_MIN = 200, SVG_WIDTH_MAX = 100000 };

/* An option out of range is an error that names it. */
extern const struct output svg_output;

#endif
