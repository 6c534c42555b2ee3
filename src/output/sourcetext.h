/* Lines of source with what each costs: `report --source`. */
#ifndef OUTPUT_SOURCETEXT_H
#define OUTPUT_SOURCETEXT_H

#include "output/output.h"
#include "profile/linecosts.h"

/* ctx->options: struct linecosts of ctx->tree. Lines with samples stand with the text around them
 * where the file can be read here (ctx->sources), else by number alone, which the last lines say
 * once. Not in outputs[]: it is a view of one function, not of the whole. */
extern const struct output sourcetext_output;

/* For this and the disassembly. "hot in app: 95 samples in its code (12.34 %), …". */
void sourcetext_head(struct buf *b, const struct calltree *t, const struct function *f,
		     uint64_t weight, uint64_t samples);
/* "  3.21 %   9.80 %        66  ", of the whole and of the function; blank without samples. */
void sourcetext_share(struct buf *b, const struct profile *p, uint64_t weight, uint64_t samples,
		      uint64_t of);
/* The line over those columns, with what stands right of them. */
void sourcetext_columns(struct buf *b, const struct profile *p, const char *rest);

#endif
