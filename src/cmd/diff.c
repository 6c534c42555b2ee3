/* In: argv of `singe diff`. Out: the difference, and whether it is one to fail for. */
#include "cmd/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/diag_print.h"
#include "cmd/diff_options.h"
#include "cmd/report_input.h"
#include "cmd/report_target.h"
#include "cmd/report_warnings.h"
#include "config.h"
#include "symbol/symbolizer.h"

enum { STATUS_OVER = 3 };

/* One recording, from file to call tree. */
struct recording {
	struct report_input input;
	struct profile *profile;
	struct symbolizer *symbols;
	struct calltree *tree;
	struct diag diag;
};

struct differ {
	struct diff_options opt;
	VEC(struct recording *) recordings; /* before, then after */
	VEC(struct diff_input) inputs;      /* the same */
	struct diff *diff;
};

static void recording_destroy(struct recording *r)
{
	calltree_destroy(r->tree);
	symbolizer_destroy(r->symbols);
	profile_destroy(r->profile);
	report_input_deinit(&r->input);
	diag_deinit(&r->diag);
	free(r);
}

static void differ_deinit(struct differ *d)
{
	diff_destroy(d->diff);
	for (size_t i = 0; i < d->recordings.n; i++)
		recording_destroy(d->recordings.v[i]);
	vec_deinit(&d->recordings);
	vec_deinit(&d->inputs);
	diff_options_deinit(&d->opt);
}

static struct err *recording_read(struct recording *r, struct diff_options *opt, const char *path)
{
	struct calltree_options tree = { .no_inlines = opt->no_inlines, .frames = &opt->frames };

	TRY(report_input_open(&r->input, path, &r->diag));
	TRY(report_input_unwind(&r->input, ENGINE_ROWS));
	report_input_follow_code(&r->input);
	TRY(profile_build(r->input.source, &opt->profile, &opt->filter, &r->profile));
	r->symbols = symbolizer_create(&r->input.data, &r->diag);
	TRY(symbolizer_run(r->symbols));
	TRY(calltree_build(r->profile, &r->input.data.names, &tree, &r->tree));
	report_warnings(&r->diag, r->tree, r->symbols, r->input.kind == INPUT_RECORDING, false);
	return NULL;
}

static struct err *amount_of(const struct differ *d, const struct recording *r, const char *path,
			     enum diff_side side, double *ret)
{
	*ret = 0;
	if (d->opt.per == DIFF_PER_COUNT)
		*ret = d->opt.count[side];
	if (d->opt.per == DIFF_PER_TIME) {
		*ret = (double)output_duration_ns(r->profile) / 1e9;
		if (*ret <= 0)
			return err_new("%s does not say how long it took: normalize by samples",
				       path);
	}
	return NULL;
}

static struct err *read_side(struct differ *d, enum diff_side side)
{
	for (size_t i = 0; i < d->opt.inputs[side].n; i++) {
		const char *path = d->opt.inputs[side].v[i];
		struct recording *r = xcalloc(1, sizeof(*r));
		_cleanup_free_ char *name = xasprintf("singe diff: %s", path);
		size_t from = 0;

		r->input.fd = -1;
		vec_push(&d->recordings, r);
		struct err *err = recording_read(r, &d->opt, path);

		if (!d->opt.quiet)
			diag_print(stderr, &r->diag, name, d->opt.verbose, &from);
		if (err)
			return err;
		struct diff_input in = { .tree = r->tree, .side = side };

		TRY(amount_of(d, r, path, side, &in.amount));
		vec_push(&d->inputs, in);
	}
	return NULL;
}

/* "before.rec, 9,932 samples" */
static char *about_side(const struct differ *d, enum diff_side side)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < d->opt.inputs[side].n; i++)
		output_printf(&b, "%s, ", d->opt.inputs[side].v[i]);
	output_number(&b, d->diff->samples[side]);
	output_printf(&b, " samples");
	buf_u8(&b, 0);
	return (char *)b.data;
}

static bool can_dim(const struct diff_options *opt)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return (!opt->output || !strcmp(opt->output, "-")) && isatty(STDOUT_FILENO) && term &&
	       strcmp(term, "dumb") != 0 && !(no && *no);
}

static struct err *write_diff(struct differ *d)
{
	static const char *const per[] = { "samples", "time", "count" };
	const struct diff_options *opt = &d->opt;
	_cleanup_free_ char *before = about_side(d, DIFF_BEFORE);
	_cleanup_free_ char *after = about_side(d, DIFF_AFTER);
	struct report_target target;
	struct diff_context ctx = {
		.diff = d->diff,
		.title = opt->title,
		.about = { before, after },
		.per = per[opt->per],
		.unit = profile_unit(d->recordings.v[0]->profile),
		.limit = opt->limit,
		.dim = can_dim(opt),
		.width = opt->width,
	};
	bool page = opt->chosen == &diff_text_output && isatty(STDOUT_FILENO);

	for (size_t i = 1; opt->output && i < d->recordings.n; i++)
		TRY(report_target_check(opt->output, d->recordings.v[i]->input.fd));
	TRY(report_target_open(&target, opt->output, page, d->recordings.v[0]->input.fd));
	return report_target_close(&target, opt->chosen->write(&ctx, target.out));
}

static struct err *diff_run(struct differ *d)
{
	TRY(read_side(d, DIFF_BEFORE));
	TRY(read_side(d, DIFF_AFTER));
	TRY(diff_build(d->inputs.v, d->inputs.n, &d->diff));
	return write_diff(d);
}

static bool is_over(const struct diff_value *v, double limit)
{
	return v->significant && 100 * diff_change(v) > limit;
}

/* Says which, so that a log of CI does. */
static int over_limit(const struct differ *d)
{
	const struct diff *diff = d->diff;
	double limit = d->opt.fail_over;
	size_t n = 0;

	for (size_t i = 0; i < diff->changes.n; i++)
		n += is_over(&diff->changes.v[i].total, limit);
	bool whole = is_over(&diff->nodes[0], limit);

	if (!n && !whole)
		return 0;
	if (whole)
		fprintf(stderr, "singe diff: the whole takes %.2f %% more: over %g %%\n",
			100 * diff_change(&diff->nodes[0]), limit);
	if (n)
		fprintf(stderr, "singe diff: %zu function%s over %g points more than before\n", n,
			n == 1 ? " takes" : "s take", limit);
	return STATUS_OVER;
}

int diff_main(int argc, char **argv)
{
	struct differ d = { 0 };
	struct err *err = diff_options_parse(&d.opt, argc, argv);
	int status = 0;

	if (err) {
		diag_print_err(stderr, "singe diff", err);
		fprintf(stderr, "`singe diff --help` lists the options.\n");
		status = 2;
	} else if (d.opt.help) {
		diff_usage(stdout);
	} else if (d.opt.version) {
		printf("singe %s\n", PACKAGE_VERSION);
	} else {
		err = diff_run(&d);
		if (err)
			diag_print_err(stderr, "singe diff", err);
		status = err ? 1 : d.opt.fail_over >= 0 ? over_limit(&d) : 0;
	}
	err_destroy(err);
	differ_deinit(&d);
	return status;
}
