/* In: argv of `singe report`. Out: a report, and on stderr what the reader of it must know. */
#include "cmd/report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/diag_print.h"
#include "cmd/dump.h"
#include "cmd/names_progress.h"
#include "cmd/report_asm.h"
#include "cmd/report_coverage.h"
#include "cmd/report_input.h"
#include "cmd/report_options.h"
#include "cmd/report_target.h"
#include "cmd/report_warnings.h"
#include "config.h"
#include "output/asmtext.h"
#include "output/sourcetext.h"
#include "output/tree.h"
#include "symbol/debuginfod.h"
#include "symbol/improve.h"
#include "symbol/symbolizer.h"

/* Everything between input and output; released in main so that leak checks mean something. */
struct report {
	struct report_options opt;
	struct report_input input;
	struct profile *profile;
	struct symbolizer *symbols;
	struct calltree *tree;
	struct calltree *focused; /* NULL: none asked for */
	struct linecosts lines;   /* of --source */
	struct asmlist code;      /* of --asm or --embed-asm */
	struct diag diag;
};

static void report_deinit(struct report *r)
{
	linecosts_deinit(&r->lines);
	asmlist_deinit(&r->code);
	calltree_destroy(r->focused);
	calltree_destroy(r->tree);
	symbolizer_destroy(r->symbols);
	profile_destroy(r->profile);
	report_input_deinit(&r->input);
	report_options_deinit(&r->opt);
	diag_deinit(&r->diag);
}

/* Who says where names may come from wants them instead of poorer stored ones. */
static struct err *name_all(struct report *r)
{
	const struct report_options *opt = &r->opt;

	if (opt->debug_dirs.v.n || opt->sysroot || opt->debuginfod || opt->vmlinux)
		TRY(improve_names(r->symbols, &r->input.data));
	return symbolizer_run(r->symbols);
}

static struct err *report_read(struct report *r, const struct output *output)
{
	const struct report_options *opt = &r->opt;
	struct calltree_options tree = {
		.reverse = opt->reverse,
		.no_inlines = opt->no_inlines,
		.names = opt->names,
		.addrs = opt->addrs,
		.lines = output->needs_lines,
		.frames = &r->opt.frames,
	};

	struct profile_options profile = opt->profile;

	profile.keep = output->needs_samples;
	TRY(profile_build(r->input.source, &profile, &opt->filter, &r->profile));
	r->symbols = symbolizer_create(&r->input.data, &r->diag);
	symbolizer_configure(r->symbols, &(struct symbolizer_options){
						 .search.dirs = opt->debug_dirs.v.v,
						 .search.n_dirs = opt->debug_dirs.v.n,
						 .search.sysroot = opt->sysroot,
						 .search.debuginfod = opt->debuginfod,
						 .vmlinux = opt->vmlinux,
					 });
	if (!opt->quiet) {
		symbolizer_on_progress(r->symbols, print_resolve_progress, NULL);
		debuginfod_on_progress(print_debuginfod_progress);
	}
	struct err *err = name_all(r);

	print_progress_clear();
	TRY(err);
	TRY(calltree_build(r->profile, &r->input.data.names, &tree, &r->tree));
	if (opt->callers)
		TRY(focus_build(r->tree, opt->callers, FOCUS_CALLERS, &r->focused));
	if (opt->callees)
		TRY(focus_build(r->tree, opt->callees, FOCUS_CALLEES, &r->focused));
	if (opt->source)
		return linecosts_init(&r->lines, r->tree, opt->source);
	r->code.no_inlines = opt->no_inlines;
	if (opt->assembly)
		TRY(asmlist_init(&r->code, r->tree, opt->assembly));
	else if (opt->html.embed_code)
		asmlist_init_hottest(&r->code, r->tree, opt->html.embed_code);
	return report_asm(&r->code, &r->input.data, r->symbols, opt->sysroot, opt->vmlinux);
}

static bool to_terminal(const struct report_options *opt)
{
	return (!opt->output || !strcmp(opt->output, "-")) && isatty(STDOUT_FILENO);
}

/* The table of a tree that begins with one function says little: its tree does. */
static const struct output *output_of(const struct report_options *opt)
{
	const struct output *o = opt->chosen ?: to_terminal(opt) ? &text_output : &folded_output;

	if (opt->source || opt->assembly)
		return opt->source ? &sourcetext_output : &asmtext_output;
	return o == &text_output && (opt->callers || opt->callees) ? &tree_output : o;
}

static struct err *report_write(struct report *r, const struct output *output, FILE *out)
{
	const struct report_options *opt = &r->opt;
	struct output_context ctx = {
		.tree = r->focused ?: r->tree,
		.title = opt->title,
		.subtitle = opt->subtitle,
		.min_percent = opt->percent,
		.sources = &(struct source_dirs){ opt->source_dirs.v.v, opt->source_dirs.v.n },
	};

	r->opt.html.notes = &r->diag;
	r->opt.html.code = &r->code;
	ctx.options = output == &sourcetext_output ? &r->lines
		      : output == &asmtext_output  ? &r->code
						   : report_options_for(opt, output);
	return output->write(&ctx, out);
}

static struct err *report_dump(struct report *r)
{
	const struct report_options *opt = &r->opt;
	struct report_target target;

	TRY(report_input_open(&r->input, opt->input ?: "singe.rec", &r->diag));
	TRY(report_target_open(&target, opt->output, false, r->input.fd));
	if (r->input.kind != INPUT_RECORDING && !strcmp(opt->dump, "records"))
		return report_target_close(&target, dump_counts(r->input.source, target.out));
	if (strcmp(opt->dump, "records") != 0)
		report_input_follow_code(&r->input);
	return report_target_close(&target, dump_write(r->input.source, opt->dump, target.out));
}

/* Before writing: some outputs show them. */
static void report_notes(struct report *r, const struct output *output)
{
	bool for_people = output == &text_output || output == &tree_output ||
			  output == &sourcetext_output || output == &asmtext_output;
	struct report_coverage_of coverage = {
		.symbols = r->symbols,
		.resolvable = r->input.kind == INPUT_RECORDING,
		.shown = for_people,
		.lines = r->opt.lines,
	};

	report_warnings(&r->diag, r->tree, r->symbols, coverage.resolvable, for_people);
	report_coverage(&r->diag, r->profile, &coverage);
}

static struct err *report_run(struct report *r)
{
	const struct report_options *opt = &r->opt;
	const struct output *output = output_of(opt);
	bool page = to_terminal(opt) && output != &folded_output;
	struct report_target target;

	if (opt->assembly || opt->embed_asm)
		TRY(disasm_missing());
	TRY(report_input_open(&r->input, opt->input ?: "singe.rec", &r->diag));
	if (opt->unwinder && !report_input_has_stacks(&r->input))
		return err_new("--unwinder: the recording kept no stacks (`record --keep-stacks`)");
	TRY(report_input_unwind(&r->input, opt->engine));
	report_input_grouped(&r->input, opt->profile.by);
	report_input_follow_code(&r->input);
	TRY(report_read(r, output));
	report_notes(r, output);
	TRY(report_target_open(&target, opt->output, page, r->input.fd));
	TRY(report_target_close(&target, report_write(r, output, target.out)));
	return NULL;
}

static int usage_error(struct err *err)
{
	diag_print_err(stderr, "singe report", err);
	fprintf(stderr, "`singe report --help` lists the options.\n");
	err_destroy(err);
	return 2;
}

int report_main(int argc, char **argv)
{
	struct report r = { .input.fd = -1 };
	struct err *err = report_options_parse(&r.opt, argc, argv);
	int status = 0;

	if (!err && r.opt.help) {
		report_usage(stdout);
	} else if (!err && r.opt.version) {
		printf("singe %s\n", PACKAGE_VERSION);
	} else if (err || (err = report_options_suit(&r.opt, output_of(&r.opt)))) {
		status = usage_error(err);
	} else {
		err = r.opt.dump ? report_dump(&r) : report_run(&r);
		size_t from = 0;

		if (!r.opt.quiet)
			diag_print(stderr, &r.diag, "singe report", r.opt.verbose, &from);
		if (err) {
			diag_print_err(stderr, "singe report", err);
			err_destroy(err);
			status = 1;
		}
	}
	report_deinit(&r);
	return status;
}
