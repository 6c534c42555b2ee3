/* In: argv of `singe diff`. Out: what is asked for, checked; or what is wrong with it. */
#include "cmd/diff_options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

enum {
	OPT_NORMALIZE = 256,
	OPT_FAIL_OVER,
	OPT_BY,
	OPT_EVENT,
	OPT_WEIGHT,
	OPT_COMM,
	OPT_SYMBOL,
	OPT_HIDE,
	OPT_NO_INLINES,
	OPT_LIMIT,
	OPT_TITLE,
	OPT_WIDTH,
};

static const struct option long_options[] = {
	{ "format", required_argument, NULL, 'f' },
	{ "output", required_argument, NULL, 'o' },
	{ "normalize", required_argument, NULL, OPT_NORMALIZE },
	{ "fail-over", required_argument, NULL, OPT_FAIL_OVER },
	{ "by", required_argument, NULL, OPT_BY },
	{ "event", required_argument, NULL, OPT_EVENT },
	{ "weight", required_argument, NULL, OPT_WEIGHT },
	{ "comm", required_argument, NULL, OPT_COMM },
	{ "symbol", required_argument, NULL, OPT_SYMBOL },
	{ "hide", required_argument, NULL, OPT_HIDE },
	{ "no-inlines", no_argument, NULL, OPT_NO_INLINES },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "title", required_argument, NULL, OPT_TITLE },
	{ "width", required_argument, NULL, OPT_WIDTH },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

void diff_usage(FILE *out)
{
	fputs("usage: singe diff [OPTIONS] BEFORE AFTER\n"
	      "       singe diff [OPTIONS] BEFORE... vs AFTER...\n\n"
	      "Says which functions take more or less than before, and whether that is chance.\n\n"
	      "  -f, --format FORMAT      see below; text without -o\n"
	      "  -o, --output OUT         write to OUT; its suffix picks the format\n"
	      "      --normalize PER      samples (default), time, or a count of work "
	      "BEFORE,AFTER\n"
	      "      --fail-over P%       exit with 3 if a function takes P points more\n"
	      "      --by GROUP           group by none (default), comm, pid, tid, cpu or origin\n"
	      "      --event NAME         of this event (the first)\n"
	      "      --weight KIND        samples or period\n"
	      "      --comm NAME          of threads or processes of this name; repeatable\n"
	      "      --symbol REGEX       with a function that matches in its stack\n"
	      "      --hide REGEX         leave functions that match out of the stacks\n"
	      "      --no-inlines         without inlined calls\n"
	      "      --limit N            text: rows of the table (50); 0: all\n"
	      "      --title TEXT         headline of text, svg, html and json\n"
	      "      --width PX           svg: of the picture (1200)\n"
	      "  -v, --verbose            details behind the warnings\n"
	      "  -q, --quiet              errors only\n"
	      "  -h, --help               this text\n"
	      "  -V, --version            the version of this build\n"
	      "\nFormats:\n",
	      out);
	for (size_t i = 0; diff_outputs[i]; i++)
		fprintf(out, "  %-24s %s, %s\n", diff_outputs[i]->name, diff_outputs[i]->what,
			diff_outputs[i]->suffix);
}

void diff_options_deinit(struct diff_options *o)
{
	vec_deinit(&o->inputs[DIFF_BEFORE]);
	vec_deinit(&o->inputs[DIFF_AFTER]);
	filter_deinit(&o->filter);
	frame_filter_deinit(&o->frames);
}

/* A number above `least`, then `end`. */
static struct err *parse_number(const char *option, const char *text, char end, double *ret)
{
	char *rest;

	errno = 0;
	double v = strtod(text, &rest);

	if (errno || rest == text || (*rest && *rest != end) || (*rest && rest[1] && end == '%') ||
	    !isfinite(v) || v < 0)
		return err_new("--%s takes a number, not '%s'", option, text);
	*ret = v;
	return NULL;
}

static struct err *parse_whole(const char *option, const char *text, size_t *ret)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 9 || text[digits])
		return err_new("--%s takes a whole number, not '%s'", option, text);
	*ret = strtoul(text, NULL, 10);
	return NULL;
}

/* "samples", "time", "1000" (the same work on either side) or "1000,1200". */
static struct err *parse_normalize(struct diff_options *o, const char *text)
{
	const char *comma = strchr(text, ',');

	if (!strcmp(text, "samples") || !strcmp(text, "time")) {
		o->per = *text == 't' ? DIFF_PER_TIME : DIFF_PER_SAMPLES;
		return NULL;
	}
	o->per = DIFF_PER_COUNT;
	TRY(parse_number("normalize", text, ',', &o->count[DIFF_BEFORE]));
	TRY(parse_number("normalize", comma ? comma + 1 : text, '\0', &o->count[DIFF_AFTER]));
	if (o->count[DIFF_BEFORE] <= 0 || o->count[DIFF_AFTER] <= 0)
		return err_new("--normalize takes counts above 0, not '%s'", text);
	return NULL;
}

static struct err *choose(const char *option, const char *text, const char *const *words, int *ret)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			*ret = i;
			return NULL;
		}
	}
	return err_new("--%s does not know '%s'; see --help", option, text);
}

static struct err *take_samples(struct diff_options *o, int c, const char *arg)
{
	static const char *const groups[] = { "comm", "pid", "tid", "cpu", "none", "origin", NULL };
	static const char *const weights[] = { "default", "samples", "period", NULL };
	int word = 0;

	switch (c) {
	case OPT_BY:
		TRY(choose("by", arg, groups, &word));
		o->profile.by = (enum group_by)word;
		break;
	case OPT_WEIGHT:
		TRY(choose("weight", arg, weights, &word));
		o->profile.weight = (enum weight_kind)word;
		break;
	case OPT_EVENT:
		o->profile.event = arg;
		break;
	case OPT_COMM:
		filter_add_names(arg, &o->filter.comms);
		break;
	case OPT_SYMBOL:
		return frame_filter_set_symbol(&o->frames, arg);
	case OPT_HIDE:
		return frame_filter_set_hide(&o->frames, arg);
	case OPT_NO_INLINES:
		o->no_inlines = true;
		break;
	}
	return NULL;
}

static struct err *take_look(struct diff_options *o, int c, const char *arg)
{
	size_t width = 0;

	switch (c) {
	case 'f':
		o->chosen = diff_output_find(arg);
		return o->chosen ? NULL : err_new("there is no format '%s'; see --help", arg);
	case 'o':
		o->output = arg;
		break;
	case OPT_NORMALIZE:
		return parse_normalize(o, arg);
	case OPT_FAIL_OVER:
		return parse_number("fail-over", arg, '%', &o->fail_over);
	case OPT_LIMIT:
		return parse_whole("limit", arg, &o->limit);
	case OPT_WIDTH:
		TRY(parse_whole("width", arg, &width));
		o->width = (unsigned int)width;
		break;
	case OPT_TITLE:
		o->title = arg;
		break;
	case 'v':
		o->verbose = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'h':
		o->help = true;
		break;
	case 'V':
		o->version = true;
		break;
	}
	return NULL;
}

/* BEFORE AFTER, or any number of either with "vs" between. */
static struct err *take_inputs(struct diff_options *o, int n, char **args)
{
	int vs = -1;

	for (int i = 0; i < n; i++)
		if (!strcmp(args[i], "vs"))
			vs = i;
	if (vs < 0 && n != 2)
		return err_new("two recordings, or several BEFORE... vs AFTER...; there are %d", n);
	for (int i = 0; i < n; i++) {
		if (i == vs)
			continue;
		bool after = vs < 0 ? i == 1 : i > vs;

		vec_push(&o->inputs[after ? DIFF_AFTER : DIFF_BEFORE], args[i]);
	}
	if (!o->inputs[DIFF_BEFORE].n || !o->inputs[DIFF_AFTER].n)
		return err_new("there must be recordings on both sides of vs");
	return NULL;
}

static struct err *choose_format(struct diff_options *o)
{
	if (!o->chosen && o->output && strcmp(o->output, "-") != 0) {
		o->chosen = diff_output_by_suffix(o->output);
		if (!o->chosen)
			return err_new("the name %s does not say which format: give -f", o->output);
	}
	if (!o->chosen)
		o->chosen = diff_outputs[0];
	return NULL;
}

/* No option is accepted and ignored. */
static struct err *suit(const struct diff_options *o, bool limit_given)
{
	const char *name = o->chosen->name;

	if (limit_given && o->chosen != &diff_text_output)
		return err_new("--limit means nothing to -f %s, only to: text", name);
	if (o->width && o->chosen != &diff_svg_output)
		return err_new("--width means nothing to -f %s, only to: svg", name);
	if (o->title && o->chosen == &diff_folded_output)
		return err_new("--title means nothing to -f %s", name);
	return NULL;
}

struct err *diff_options_parse(struct diff_options *o, int argc, char **argv)
{
	enum { LIMIT_DEFAULT = 50 };
	bool limit_given = false;

	*o = (struct diff_options){ .fail_over = -1,
				    .limit = LIMIT_DEFAULT,
				    .profile.by = GROUP_NONE };
	optind = 0; /* glibc: start anew */
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, ":f:o:vqhV", long_options, NULL)) != -1;) {
		const char *what = argv[optind - 1];

		if (c == ':')
			return err_new("%s needs a value", what);
		if (c == '?')
			return err_new("cannot take %s", what);
		TRY(take_samples(o, c, optarg));
		TRY(take_look(o, c, optarg));
		limit_given |= c == OPT_LIMIT;
	}
	if (o->help || o->version)
		return NULL;
	TRY(take_inputs(o, argc - optind, argv + optind));
	TRY(choose_format(o));
	return suit(o, limit_given);
}
