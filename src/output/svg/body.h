/* The frames of the picture: one <g> each, with its tooltip, its box and as much of its name as
 * fits. */
#ifndef OUTPUT_SVG_BODY_H
#define OUTPUT_SVG_BODY_H

#include "base/buf.h"
#include "output/svg.h"
#include "output/svg/drawing.h"

/* Everything in px; a frame's label is monospaced. */
struct body_style {
	double width;                /* of the root frame */
	double char_width, baseline; /* baseline: from the top of a row */
	unsigned int row;
	bool inverted;
	const char *unit;             /* of weights */
	bool show_samples;            /* weights are not samples: tooltips tell both */
	const struct svg_note *notes; /* svg_options.notes */
};

/* Where in body.text: `clean` for labels, the other two ready for a tooltip. */
struct body_name {
	size_t clean, clean_len, title, title_len, where, where_len;
	char class_name[3];
};

struct body {
	const struct calltree *tree;
	const struct drawing *drawing;
	struct body_style style;
	VEC(struct body_name) names;      /* by function, filled when first drawn */
	struct buf text;                  /* what names points into */
	bool origins[ORIGIN_UNKNOWN + 1]; /* those that were drawn */
};

/* `tree` and `drawing` must outlive it. */
void body_init(struct body *b, const struct calltree *tree, const struct drawing *drawing,
	       const struct body_style *style);
void body_deinit(struct body *b);
/* Appends the markup of frame `i` of the drawing. */
void body_put(struct body *b, size_t i, struct buf *out);
/* "1,234 samples" */
void body_put_count(struct buf *out, uint64_t n, const char *unit);

#endif
