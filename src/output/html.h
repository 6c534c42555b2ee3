/* The interactive page: one HTML file without references to any other, with every sample in it. */
#ifndef OUTPUT_HTML_H
#define OUTPUT_HTML_H

#include <stdbool.h>

#include "base/diag.h"
#include "output/output.h"
#include "profile/asmlist.h"

/* Two recordings over one tree: weights and numbers of samples that end in each callnode. */
struct html_diff {
	const char *name_a, *name_b; /* "before.rec", "after.rec" */
	const uint64_t *self_a;      /* by callnode; NULL: the tree's own */
	const uint64_t *samples_a;   /* by callnode; NULL: the tree's own */
	const uint64_t *self_b;      /* by callnode */
	const uint64_t *samples_b;   /* by callnode; NULL: as self_b */
	/* By function of the tree, 1: its share differs by more than chance. NULL: the page tells
	 * by itself, from the numbers of samples. */
	const uint8_t *significant;
};

/* What output_context.options points to. A zeroed struct, or NULL, means the defaults. */
struct html_options {
	enum group_by by;             /* how the page groups at first */
	bool embed_source;            /* source files that can be read here go into the page */
	uint32_t embed_code;          /* asked for: instructions of so many functions; 0: no */
	const struct asmlist *code;   /* they, by asmlist_init_hottest(); may be NULL if 0 */
	const struct diag *notes;     /* what the reader must know; NULL: nothing */
	const struct html_diff *diff; /* NULL: one recording */
};

extern const struct output html_output;

#endif
