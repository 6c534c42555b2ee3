/* What `perf script` prints → samples. Names are tidied as stackcollapse-perf.pl does it: ';'
 * becomes ':', what follows the first '(' goes unless it is "(anonymous namespace)" or a Go method,
 * quotes go, Java loses the 'L' of its classes; "a->b" is a call of b that is inlined into a. */
#ifndef IMPORT_SCRIPTTEXT_H
#define IMPORT_SCRIPTTEXT_H

#include "base/buf.h"
#include "base/diag.h"
#include "import/scriptline.h"
#include "import/textcache.h"

struct scripttext {
	struct dataset *data;
	struct diag *diag;
	struct textcache stacks;  /* all lines below a header → node */
	struct textcache frames;  /* a line → index into places */
	struct textcache threads; /* the start of a header → thread */
	VEC(struct frame_place) places;
	VEC(struct frame_place) stack; /* of the sample at hand, innermost first */
	struct buf tidied;
	uint32_t event; /* of the sample before */
	VEC(struct sample) samples;
	uint64_t n_bad;
	bool keep_java; /* the 'L' of Java's classes */
};

void scripttext_init(struct scripttext *t, struct dataset *data, struct diag *diag);
void scripttext_deinit(struct scripttext *t);
/* The whole samples in [p, end), into t->samples; with `last` all there is, but for a stack at the
 * end that no blank line ends. Returns how far it came. */
const char *scripttext_read(struct scripttext *t, const char *p, const char *end, bool last);

#endif
