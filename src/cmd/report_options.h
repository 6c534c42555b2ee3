/* The command line of `singe report`, as typed and as understood. */
#ifndef CMD_REPORT_OPTIONS_H
#define CMD_REPORT_OPTIONS_H

#include "output/folded.h"
#include "output/html.h"
#include "output/svg.h"
#include "output/text.h"
#include "profile/displayname.h"
#include "profile/focus.h"
#include "unwind/unwinder.h"

struct arg_list {
	VEC(const char *) v;
};

struct report_options {
	/* As typed. NULL, false or empty: not given. Views of argv. */
	const char *input, *format, *output, *dump;
	struct arg_list comms, binaries, debug_dirs, source_dirs, origins;
	const char *pids, *tids, *cpus, *time, *event, *symbol, *hide;
	const char *by, *weight, *min_percent, *callers, *callees, *source, *assembly;
	const char *title, *subtitle;
	const char *unwinder;
	const char *mark, *limit;                                        /* folded; text */
	const char *width, *min_width, *font_size, *colors, *count_name; /* svg */
	bool no_children, inverted, embed_source;                        /* text; svg; html */
	const char *embed_asm;                                           /* html; "": no number */
	const char *templates, *sysroot, *vmlinux;
	bool reverse, no_inlines, lines, addrs, fold_clones, debuginfod;
	bool verbose, quiet, help, version;

	/* As understood, by report_options_parse(). */
	const struct output *chosen; /* NULL: neither -f nor a suffix of -o said */
	struct filter filter;
	struct frame_filter frames;
	struct profile_options profile;
	struct displayname names;
	double percent;
	enum unwind_engine engine;
	struct folded_options folded;
	struct text_options text;
	struct svg_options svg;
	struct html_options html; /* but for the notes, which come last */
};

void report_options_deinit(struct report_options *o);
/* Zeroes and fills `o`, which is to be released in any case. The error is a usage error. */
ERR_CHECK struct err *report_options_parse(struct report_options *o, int argc, char **argv);
/* Fails if an option was given that `output` knows nothing of: none is accepted and ignored. */
ERR_CHECK struct err *report_options_suit(const struct report_options *o,
					  const struct output *output);
/* What this output gets as output_context.options; a view of `o`, NULL for those without any. */
const void *report_options_for(const struct report_options *o, const struct output *output);
void report_usage(FILE *out);

#endif
