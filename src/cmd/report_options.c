/* In: argv of `singe report`. Out: what is asked for, checked; or what is wrong with it. */
#include "cmd/report_options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "cmd/dump.h"

enum kind { FLAG, STRING, LIST, OPTIONAL /* --name or --name=VALUE */ };

struct option_row {
	int letter; /* 0: none */
	const char *name;
	enum kind kind;
	size_t at;           /* in struct report_options */
	const char *formats; /* the only ones it is for, between blanks; NULL: all */
	const char *argument, *help;
};

#define AT(field) offsetof(struct report_options, field)

/* Everything but the listings of one function, which show neither callers nor places as names. */
#define ALL_BUT_LISTINGS                                                                           \
	" folded svg html text tree json pprof firefox speedscope callgrind perf-script "

static const struct option_row rows[] = {
	{ 'i', "input", STRING, AT(input), NULL, "FILE",
	  "what to report on (singe.rec); - is stdin" },
	{ 'f', "format", STRING, AT(format), NULL, "FORMAT", "see below" },
	{ 'o', "output", STRING, AT(output), NULL, "OUT",
	  "write to OUT; its suffix picks the format" },
	{ 0, NULL, FLAG, 0, NULL, NULL, "Which samples" },
	{ 0, "comm", LIST, AT(comms), NULL, "NAME",
	  "of threads or processes of this name; repeatable" },
	{ 0, "pid", STRING, AT(pids), NULL, "LIST", "of these processes: 1,2,5-7" },
	{ 0, "tid", STRING, AT(tids), NULL, "LIST", "of these threads" },
	{ 0, "cpu", STRING, AT(cpus), NULL, "LIST", "on these CPUs" },
	{ 0, "origin", LIST, AT(origins), NULL, "NAME", "from this input of a merge; repeatable" },
	{ 0, "binary", LIST, AT(binaries), NULL, "FILE",
	  "with a frame in this file, by name or path; repeatable" },
	{ 0, "time", STRING, AT(time), NULL, "FROM,TO",
	  "seconds from the first sample: 1.5,3 or ,2 or 10," },
	{ 0, "event", STRING, AT(event), NULL, "NAME",
	  "of this event (the first); events are never summed" },
	{ 0, "symbol", STRING, AT(symbol), NULL, "REGEX",
	  "with a function that matches in its stack" },
	{ 0, NULL, FLAG, 0, NULL, NULL, "What they show" },
	{ 0, "by", STRING, AT(by), " folded svg html text tree json speedscope ", "GROUP",
	  "group by comm (default), pid, tid, cpu, origin or none" },
	{ 0, "hide", STRING, AT(hide), ALL_BUT_LISTINGS, "REGEX",
	  "leave functions that match out of the stacks" },
	{ 0, "reverse", FLAG, AT(reverse), " folded svg html text tree json ", NULL,
	  "innermost function first" },
	{ 0, "callers", STRING, AT(callers), " folded svg html text tree json ", "FUNCTION",
	  "only who calls FUNCTION (a name or a regex)" },
	{ 0, "callees", STRING, AT(callees), " folded svg html text tree json ", "FUNCTION",
	  "only what FUNCTION calls" },
	{ 0, "source", STRING, AT(source), " source ", "FUNCTION",
	  "lines of source of FUNCTION and what each weighs" },
	{ 0, "asm", STRING, AT(assembly), " asm ", "FUNCTION",
	  "instructions of FUNCTION and what each weighs" },
	{ 0, "source-dir", LIST, AT(source_dirs), " html source asm ", "DIR",
	  "look for source files below DIR too; repeatable" },
	{ 0, "no-inlines", FLAG, AT(no_inlines), NULL, NULL, "without inlined calls" },
	{ 0, "lines", FLAG, AT(lines), ALL_BUT_LISTINGS, NULL,
	  "each line for itself: \"f (file.c:12)\"" },
	{ 0, "addrs", FLAG, AT(addrs), ALL_BUT_LISTINGS, NULL, "each address for itself" },
	{ 0, "templates", STRING, AT(templates), NULL, "short|full",
	  "C++ and Rust names without type arguments, or with (full)" },
	{ 0, "fold-clones", FLAG, AT(fold_clones), NULL, NULL,
	  "without a compiler's suffixes: .cold, .part.0, .constprop.0" },
	{ 0, "weight", STRING, AT(weight),
	  " folded svg html text tree json speedscope firefox pprof callgrind source asm ", "KIND",
	  "samples or period (samples for clocks, else the period)" },
	{ 0, "min-percent", STRING, AT(min_percent), " folded svg text tree ", "P",
	  "leave out what weighs less, saying how much that is" },
	{ 0, "unwinder", STRING, AT(unwinder), NULL, "ENGINE",
	  "rows (default) or libunwind, for stacks kept in the file" },
	{ 0, NULL, FLAG, 0, NULL, NULL, "Where names come from that the recording lacks" },
	{ 0, "debug-dir", LIST, AT(debug_dirs), NULL, "DIR",
	  "look for debug files here first; repeatable" },
	{ 0, "sysroot", STRING, AT(sysroot), NULL, "DIR",
	  "binaries and debug files lie below DIR" },
	{ 0, "debuginfod", FLAG, AT(debuginfod), NULL, NULL,
	  "ask the servers in DEBUGINFOD_URLS for debug files" },
	{ 0, "vmlinux", STRING, AT(vmlinux), NULL, "FILE",
	  "the kernel's own file, with debug information" },
	{ 0, NULL, FLAG, 0, NULL, NULL, "How they look" },
	{ 0, "title", STRING, AT(title), " svg html text tree speedscope firefox json source asm ",
	  "TEXT", "headline" },
	{ 0, "subtitle", STRING, AT(subtitle), " svg html text tree source asm ", "TEXT",
	  "second line, instead of the figures" },
	{ 0, "mark", STRING, AT(mark), " folded ", "k,j,i",
	  "suffixes _[k] kernel, _[j] JIT, _[i] inlined" },
	{ 0, "no-children", FLAG, AT(no_children), " text ", NULL,
	  "sort by self instead of total" },
	{ 0, "limit", STRING, AT(limit), " text ", "N", "rows of the table (100); 0: all" },
	{ 0, "width", STRING, AT(width), " svg ", "PX", "of the picture (1200)" },
	{ 0, "min-width", STRING, AT(min_width), " svg ", "PX",
	  "frames narrower than this are merged (0.1)" },
	{ 0, "font-size", STRING, AT(font_size), " svg ", "PX", "of the names (12)" },
	{ 0, "colors", STRING, AT(colors), " svg ", "NAME", "origin (default), safe, hot or mono" },
	{ 0, "count-name", STRING, AT(count_name), " svg ", "TEXT",
	  "what the numbers count, instead of the unit" },
	{ 0, "inverted", FLAG, AT(inverted), " svg ", NULL, "root at the top" },
	{ 0, "embed-source", FLAG, AT(embed_source), " html ", NULL,
	  "put the source files that are found here into the page" },
	{ 0, "embed-asm", OPTIONAL, AT(embed_asm), " html ", "N",
	  "put the instructions of the N hottest functions (50) into it" },
	{ 0, NULL, FLAG, 0, NULL, NULL, "To find faults" },
	{ 0, "dump", STRING, AT(dump), NULL, "STAGE",
	  "records, samples, maps, stacks or frames, as text" },
	{ 0, NULL, FLAG, 0, NULL, NULL, "Messages" },
	{ 'v', "verbose", FLAG, AT(verbose), NULL, NULL, "details behind the warnings" },
	{ 'q', "quiet", FLAG, AT(quiet), NULL, NULL, "errors only" },
	{ 'h', "help", FLAG, AT(help), NULL, NULL, "this text" },
	{ 'V', "version", FLAG, AT(version), NULL, NULL, "the version of this build" },
};

enum { N_ROWS = sizeof(rows) / sizeof(*rows), LONG_BASE = 256 };

void report_usage(FILE *out)
{
	fputs("usage: singe report [OPTIONS] [FILE]\n\n"
	      "Turns a recording into text or a picture: without -f and -o a table on a terminal,\n"
	      "folded stacks into a pipe.\n\n",
	      out);
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct option_row *r = &rows[i];
		char left[48] = "";

		if (!r->name) {
			fprintf(out, "\n%s:\n", r->help);
			continue;
		}
		bool optional = r->kind == OPTIONAL;
		const char *before = optional ? "[=" : r->argument ? " " : "";

		snprintf(left, sizeof(left), "--%s%s%s%s", r->name, before, r->argument ?: "",
			 optional ? "]" : "");
		if (r->letter)
			fprintf(out, "  -%c, %-20s %s\n", r->letter, left, r->help);
		else
			fprintf(out, "      %-20s %s\n", left, r->help);
	}
	fputs("\nFormats:\n", out);
	for (size_t i = 0; outputs[i]; i++)
		fprintf(out, "  %-24s %s%s%s\n", outputs[i]->name, outputs[i]->what,
			*outputs[i]->suffix ? ", " : "", outputs[i]->suffix);
}

void report_options_deinit(struct report_options *o)
{
	vec_deinit(&o->comms.v);
	vec_deinit(&o->binaries.v);
	vec_deinit(&o->debug_dirs.v);
	vec_deinit(&o->source_dirs.v);
	vec_deinit(&o->origins.v);
	filter_deinit(&o->filter);
	frame_filter_deinit(&o->frames);
}

static void take(struct report_options *o, const struct option_row *r, const char *value)
{
	char *at = (char *)o + r->at;

	switch (r->kind) {
	case FLAG:
		*(bool *)at = true;
		break;
	case STRING:
		*(const char **)at = value;
		break;
	case OPTIONAL:
		*(const char **)at = value ?: "";
		break;
	case LIST:
		vec_push(&((struct arg_list *)(void *)at)->v, value);
		break;
	}
}

static struct err *take_all(struct report_options *o, int argc, char **argv)
{
	static const int has_arg[] = { no_argument, required_argument, required_argument,
				       optional_argument };
	struct option longs[N_ROWS + 1] = { 0 };
	char shorts[2 * N_ROWS + 2] = ":";
	size_t n_longs = 0, n_shorts = 1;

	for (int i = 0; i < N_ROWS; i++) {
		if (!rows[i].name)
			continue;
		longs[n_longs++] =
			(struct option){ rows[i].name, has_arg[rows[i].kind], NULL, LONG_BASE + i };
		if (rows[i].letter)
			shorts[n_shorts++] = (char)rows[i].letter;
		if (rows[i].letter && rows[i].kind != FLAG)
			shorts[n_shorts++] = ':';
	}
	optind = 0; /* glibc: start anew */
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
		const char *what = argv[optind - 1];
		int row = c - LONG_BASE;

		if (c == ':')
			return err_new("%s needs a value", what);
		if (c == '?')
			return optopt && optopt < LONG_BASE
				       ? err_new("there is no option -%c", optopt)
				       : err_new("cannot take %s", what);
		for (int i = 0; c < LONG_BASE && i < N_ROWS; i++)
			if (rows[i].letter == c)
				row = i;
		take(o, &rows[row], optarg);
	}
	for (; optind < argc; optind++) {
		if (o->input)
			return err_new("one input at a time: %s or %s", o->input, argv[optind]);
		o->input = argv[optind];
	}
	return NULL;
}

/* The place of `text` in a NULL-terminated list of words; NULL text keeps `ret`. */
static struct err *choose(const char *option, const char *text, const char *const *words, int *ret)
{
	if (!text)
		return NULL;
	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			*ret = i;
			return NULL;
		}
	}
	return err_new("--%s does not know '%s'; see --help", option, text);
}

static struct err *parse_number(const char *option, const char *text, double least, double *ret)
{
	char *end;

	if (!text)
		return NULL;
	errno = 0;
	double value = strtod(text, &end);

	if (errno || end == text || *end || !isfinite(value) || value < least)
		return err_new("--%s takes a number, not '%s'", option, text);
	*ret = value;
	return NULL;
}

static struct err *parse_count(const char *option, const char *text, unsigned int *ret)
{
	size_t digits;

	if (!text)
		return NULL;
	digits = strspn(text, "0123456789");
	if (!digits || digits > 9 || text[digits])
		return err_new("--%s takes a whole number, not '%s'", option, text);
	*ret = (unsigned int)strtoul(text, NULL, 10);
	return NULL;
}

static struct err *understand_formats(struct report_options *o)
{
	const char *mark = o->mark ?: "";
	unsigned int rows_asked = 100;

	if (strspn(mark, "kji,") != strlen(mark))
		return err_new("--mark takes letters of k,j,i, not '%s'", mark);
	o->folded = (struct folded_options){
		.mark_kernel = strchr(mark, 'k'),
		.mark_jit = strchr(mark, 'j'),
		.mark_inlined = strchr(mark, 'i'),
	};
	TRY(parse_count("limit", o->limit, &rows_asked));
	o->text = (struct text_options){ .by_self = o->no_children, .limit = rows_asked };
	o->svg = (struct svg_options){
		.has_min_width = o->min_width,
		.colors = o->colors,
		.count_name = o->count_name,
		.inverted = o->inverted,
	};
	TRY(parse_count("width", o->width, &o->svg.width));
	TRY(parse_count("font-size", o->font_size, &o->svg.font_size));
	return parse_number("min-width", o->min_width, 0, &o->svg.min_width);
}

static struct err *understand_filters(struct report_options *o)
{
	struct filter *f = &o->filter;

	for (size_t i = 0; i < o->comms.v.n; i++)
		filter_add_names(o->comms.v.v[i], &f->comms);
	for (size_t i = 0; i < o->binaries.v.n; i++)
		filter_add_names(o->binaries.v.v[i], &f->binaries);
	for (size_t i = 0; i < o->origins.v.n; i++)
		filter_add_names(o->origins.v.v[i], &f->origins);
	if (o->pids)
		TRY(filter_add_numbers("--pid", o->pids, &f->pids));
	if (o->tids)
		TRY(filter_add_numbers("--tid", o->tids, &f->tids));
	if (o->cpus)
		TRY(filter_add_numbers("--cpu", o->cpus, &f->cpus));
	if (o->time)
		TRY(filter_set_time(f, o->time));
	if (o->symbol)
		TRY(frame_filter_set_symbol(&o->frames, o->symbol));
	if (o->hide)
		TRY(frame_filter_set_hide(&o->frames, o->hide));
	return NULL;
}

static struct err *understand_format(struct report_options *o)
{
	if (o->format && !(o->chosen = output_find(o->format)))
		return err_new("there is no format '%s'; see --help", o->format);
	if (o->chosen || !o->output || !strcmp(o->output, "-"))
		return NULL;
	o->chosen = output_by_suffix(o->output);
	return o->chosen || o->dump
		       ? NULL
		       : err_new("the name %s does not say which format: give -f", o->output);
}

/* What a sample hit is not known of the trees that --callers and --callees make, and code that
 * --hide took out of the stacks belongs to no function of the page. */
static struct err *understand_code(struct report_options *o)
{
	if (!o->embed_asm)
		return NULL;
	if (o->callers || o->callees || o->hide)
		return err_new("--embed-asm excludes --callers, --callees and --hide");
	o->html.embed_code = 50;
	TRY(parse_count("embed-asm", *o->embed_asm ? o->embed_asm : NULL, &o->html.embed_code));
	return o->html.embed_code ? NULL : err_new("--embed-asm=0 would embed nothing");
}

struct err *report_options_parse(struct report_options *o, int argc, char **argv)
{
	static const char *const groups[] = { "comm", "pid", "tid", "cpu", "none", "origin", NULL };
	static const char *const weights[] = { "default", "samples", "period", NULL };
	static const char *const engines[] = { "rows", "libunwind", NULL };
	static const char *const templates[] = { "full", "short", NULL };
	int by = GROUP_COMM, weight = WEIGHT_DEFAULT, engine = ENGINE_ROWS, is_short = 0;

	*o = (struct report_options){ 0 };
	TRY(take_all(o, argc, argv));
	TRY(understand_format(o));
	TRY(understand_filters(o));
	TRY(choose("by", o->by, groups, &by));
	TRY(choose("weight", o->weight, weights, &weight));
	TRY(choose("unwinder", o->unwinder, engines, &engine));
	o->engine = (enum unwind_engine)engine;
	TRY(choose("templates", o->templates, templates, &is_short));
	TRY(parse_number("min-percent", o->min_percent, 0, &o->percent));
	TRY(understand_formats(o));
	if (o->callers && o->callees)
		return err_new("--callers and --callees exclude each other");
	if (o->source && o->assembly)
		return err_new("--source and --asm exclude each other");
	if ((o->source || o->assembly) && o->chosen && o->chosen != &text_output)
		return err_new("--%s is a text of its own, not -f %s", o->source ? "source" : "asm",
			       o->chosen->name);
	o->names = (struct displayname){
		.short_templates = is_short,
		.fold_clones = o->fold_clones,
		.lines = o->lines,
	};
	o->profile = (struct profile_options){
		.by = (enum group_by)by,
		.weight = (enum weight_kind)weight,
		.event = o->event,
	};
	o->html = (struct html_options){ .by = o->profile.by, .embed_source = o->embed_source };
	return understand_code(o);
}

static bool is_given(const struct report_options *o, const struct option_row *r)
{
	const char *at = (const char *)o + r->at;

	return r->kind == FLAG ? *(const bool *)at : *(const char *const *)at != NULL;
}

/* A dump shows everything, as it is. */
static struct err *suit_dump(const struct report_options *o)
{
	static const char *const fit[] = { "input", "output", "dump", "verbose", "quiet" };

	if (!dump_stage(o->dump))
		return err_new("there is no stage '%s' to dump; see --help", o->dump);
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct option_row *r = &rows[i];
		bool fits = !r->name || !is_given(o, r);

		for (size_t k = 0; k < sizeof(fit) / sizeof(*fit); k++)
			fits = fits || !strcmp(r->name, fit[k]);
		if (!fits)
			return err_new("--%s means nothing to --dump", r->name);
	}
	return NULL;
}

struct err *report_options_suit(const struct report_options *o, const struct output *output)
{
	if (o->dump)
		return suit_dump(o);
	_cleanup_free_ char *name = xasprintf(" %s ", output->name);

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct option_row *r = &rows[i];

		if (!r->name || !r->formats || strstr(r->formats, name))
			continue;
		if (is_given(o, r) && (o->source || o->assembly))
			return err_new("--%s means nothing to --%s", r->name, output->name);
		if (is_given(o, r))
			return err_new("--%s means nothing to -f %s, only to:%.*s", r->name,
				       output->name, (int)strlen(r->formats) - 1, r->formats);
	}
	if (o->source_dirs.v.n && output == &html_output && !o->embed_source)
		return err_new("--source-dir means nothing to a page without --embed-source");
	return NULL;
}

const void *report_options_for(const struct report_options *o, const struct output *output)
{
	if (output == &folded_output)
		return &o->folded;
	if (output == &text_output)
		return &o->text;
	if (output == &html_output)
		return &o->html;
	return output == &svg_output ? &o->svg : NULL;
}
