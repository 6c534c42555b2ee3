/* From a memsource to an output's text, for tests of what comes after samples. */
#ifndef SUPPORT_REPORTING_H
#define SUPPORT_REPORTING_H

#include "output/output.h"
#include "support/memsource.h"

/* A fresh memsource as cmocka state, and its release. */
int memsource_setup(void **state);
int memsource_teardown(void **state);

struct reporting {
	struct profile *profile;
	struct calltree *tree;
};

/* From the first sample on, whatever was taken before. */
void reporting_init(struct reporting *r, struct memsource *m, enum group_by by,
		    const struct calltree_options *opt);
void reporting_deinit(struct reporting *r);
/* What the output writes; caller frees. ctx->tree may be NULL: r's. */
char *reporting_text(const struct reporting *r, const struct output *output,
		     struct output_context ctx);

#endif
