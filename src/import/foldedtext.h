/* Folded stacks: lines "a;b;c 12". The first name is the thread's, as collapsers write it. */
#ifndef IMPORT_FOLDEDTEXT_H
#define IMPORT_FOLDEDTEXT_H

#include "base/diag.h"
#include "import/textplaces.h"

struct foldedtext_level {
	size_t end;    /* of the name, in the line */
	uint32_t node; /* of the stack up to it */
};

struct foldedtext {
	struct dataset *data;
	struct diag *diag;
	VEC(struct foldedtext_level) levels; /* of the line before */
	const char *before;                  /* that line; NULL: none */
	size_t before_len;
	uint32_t thread;                /* of it */
	VEC(struct frame_place) stack;  /* what the line has beyond `levels` */
	VEC(uint32_t) nodes;            /* of `stack` */
	VEC(struct frame_place) places; /* by string number; binary 0: not known yet */
	VEC(uint32_t) threads;          /* likewise; UINT32_MAX: not known yet */
	uint32_t program, kernel, jit;  /* binaries */
	uint64_t n_lines, n_bad;
	VEC(struct sample) samples;
};

/* True if the line (without its end) is "text count". */
bool foldedtext_is(const char *line, size_t len);
void foldedtext_init(struct foldedtext *f, struct dataset *data, struct diag *diag);
void foldedtext_deinit(struct foldedtext *f);
/* The lines in [p, end), each with its '\n' but perhaps the last, into f->samples. */
void foldedtext_read(struct foldedtext *f, const char *p, const char *end);

#endif
