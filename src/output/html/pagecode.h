/* Instructions in the page: the code of the hottest functions, and which of it each sample hit. */
#ifndef OUTPUT_HTML_PAGECODE_H
#define OUTPUT_HTML_PAGECODE_H

#include "output/html/pagecolumns.h"
#include "output/html/pagesamples.h"
#include "profile/asmlist.h"

/* A place that was hit, and the number of its instruction, from 1. */
struct code_hit {
	uint64_t off;
	uint32_t binary, insn;
};

struct pagecode {
	const struct asmlist *list;
	const struct profile *profile;
	uint32_t asked;         /* of how many functions */
	VEC(uint32_t) parts;    /* of the list, that go into the page */
	bool cut;               /* some do not: CODE_INSNS_MAX */
	VEC(struct code_hit) v; /* by binary and offset, each once */
};

enum { CODE_INSNS_MAX = 200000 }; /* in a page */

/* `list` by asmlist_init_hottest(), with its parts, and `p` outlive this. */
void pagecode_init(struct pagecode *c, const struct asmlist *list, uint32_t asked,
		   const struct profile *p);
void pagecode_deinit(struct pagecode *c);
/* The code, into JSON and columns; the lines it came from into `tree`, whose places are written
 * after. */
void pagecode_put(const struct pagecode *c, struct calltree *tree, struct buf *json,
		  struct pagecolumns *columns);
/* The column of what each sample hit. */
void pagecode_put_samples(const struct pagecode *c, const struct pagesamples *s,
			  struct pagecolumns *columns);

#endif
