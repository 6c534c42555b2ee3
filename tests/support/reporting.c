/* In: a memsource. Out: profile, call tree, text; any failure ends the test. */
#include "support/reporting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int memsource_setup(void **state)
{
	struct memsource *m = xcalloc(1, sizeof(*m));

	memsource_init(m);
	*state = m;
	return 0;
}

int memsource_teardown(void **state)
{
	memsource_deinit(*state);
	free(*state);
	return 0;
}

void reporting_init(struct reporting *r, struct memsource *m, enum group_by by,
		    const struct calltree_options *opt)
{
	static const struct calltree_options plain;
	struct profile_options popt = { .by = by };

	*r = (struct reporting){ 0 };
	m->taken = 0;
	assert_null(profile_build(&m->source, &popt, NULL, &r->profile));
	assert_null(calltree_build(r->profile, &m->data.names, opt ? opt : &plain, &r->tree));
}

void reporting_deinit(struct reporting *r)
{
	calltree_destroy(r->tree);
	profile_destroy(r->profile);
}

char *reporting_text(const struct reporting *r, const struct output *output,
		     struct output_context ctx)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	if (!ctx.tree)
		ctx.tree = r->tree;
	assert_null(output->write(&ctx, out));
	assert_int_equal(fclose(out), 0);
	return text;
}
