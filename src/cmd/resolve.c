/* In: a recording, and the files that are here. Out: names added to it that it lacked. */
#include "cmd/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/diag_print.h"
#include "cmd/names_progress.h"
#include "cmd/report_input.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "symbol/debuginfod.h"
#include "symbol/symbolizer.h"

static const char usage_text[] =
	"usage: singe resolve [OPTIONS] [FILE]\n\n"
	"Finds names for what a recording (singe.rec) holds without, or only poorer ones of, and "
	"adds\n"
	"them to it: functions, inlined calls, files and lines.\n\n"
	"      --debug-dir DIR      look for debug files here first; repeatable\n"
	"      --sysroot DIR        binaries and debug files lie below DIR\n"
	"      --debuginfod         ask the servers in DEBUGINFOD_URLS for debug files\n"
	"      --vmlinux FILE       the kernel's own file, with debug information\n"
	"  -v, --verbose            details behind the warnings\n"
	"  -q, --quiet              errors only\n"
	"  -h, --help               this text\n";

struct resolve {
	const char *path;
	VEC(const char *) dirs;
	struct symbolizer_options opt;
	bool verbose, quiet, help;
	struct report_input input;
	struct diag diag;
	struct names stored; /* what the recording had */
	uint64_t n_places, n_better;
};

static struct err *parse(struct resolve *r, int argc, char **argv)
{
	enum { DEBUG_DIR = 256, SYSROOT, DEBUGINFOD, VMLINUX };
	static const struct option longs[] = {
		{ "debug-dir", required_argument, NULL, DEBUG_DIR },
		{ "sysroot", required_argument, NULL, SYSROOT },
		{ "debuginfod", no_argument, NULL, DEBUGINFOD },
		{ "vmlinux", required_argument, NULL, VMLINUX },
		{ "verbose", no_argument, NULL, 'v' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":vqh", longs, NULL)) >= 0) {
		if (c == DEBUG_DIR)
			vec_push(&r->dirs, optarg);
		else if (c == SYSROOT)
			r->opt.search.sysroot = optarg;
		else if (c == DEBUGINFOD)
			r->opt.search.debuginfod = true;
		else if (c == VMLINUX)
			r->opt.vmlinux = optarg;
		else if (c == 'v')
			r->verbose = true;
		else if (c == 'q')
			r->quiet = true;
		else if (c == 'h')
			r->help = true;
		else if (c == ':')
			return err_new("%s needs a value", argv[optind - 1]);
		else
			return err_new("there is no option %s", argv[optind - 1]);
	}
	if (argc - optind > 1)
		return err_new("one recording at a time, not %s too", argv[optind + 1]);
	r->path = argc > optind ? argv[optind] : "singe.rec";
	r->opt.search.dirs = r->dirs.v;
	r->opt.search.n_dirs = r->dirs.n;
	return NULL;
}

static struct err *drain(struct source *src)
{
	struct batch batch;

	do
		TRY(src->next(src, &batch));
	while (batch.n_samples || batch.n_events);
	return NULL;
}

/* Named, with lines: it can't become better. */
static bool is_good(const struct name_entry *e)
{
	return e && (e->flags & NAME_FOUND) && (e->flags & NAME_HAS_LINES);
}

static bool is_better(const struct name_entry *now, const struct name_entry *was)
{
	if (!was)
		return true;
	int gained = (now->flags & NAME_FOUND) - (was->flags & NAME_FOUND);

	if (gained)
		return gained > 0;
	return (now->flags & NAME_FOUND) && (now->flags & NAME_HAS_LINES) &&
	       !(was->flags & NAME_HAS_LINES);
}

/* Leaves in data->names what is found now, and nothing else. */
static struct err *look_up(struct resolve *r)
{
	struct dataset *data = &r->input.data;
	VEC(struct place) places = { 0 };
	CLEANUP(symbolizer_destroy) struct symbolizer *s = symbolizer_create(data, &r->diag);

	symbolizer_configure(s, &r->opt);
	for (size_t i = 1; i < data->tree.frames.n; i++) {
		const struct frame *f = &data->tree.frames.v[i];

		if (f->kind != FRAME_CUT &&
		    !is_good(names_find(&r->stored, f->binary, names_key(f))))
			vec_push(&places, ((struct place){ f->binary, names_key(f) }));
	}
	symbolizer_on_progress(s, r->quiet ? NULL : print_resolve_progress, NULL);
	struct err *err = symbolizer_run_places(s, places.v, places.n);

	vec_deinit(&places);
	return err;
}

/* Into `ret`, which is empty. */
static void choose_better(struct resolve *r, struct names *ret)
{
	const struct names *found = &r->input.data.names;
	VEC(struct name_line) lines = { 0 };

	for (size_t i = 0; i < found->entries.n; i++) {
		const struct name_entry *e = &found->entries.v[i];

		if (!is_better(e, names_find(&r->stored, e->binary, e->off)))
			continue;
		lines.n = 0;
		for (uint16_t k = 0; k < e->n; k++) {
			struct name_line l = found->lines.v[e->first + k];

			l.function =
				intern_add(&ret->strings, intern_str(&found->strings, l.function));
			l.file = intern_add(&ret->strings, intern_str(&found->strings, l.file));
			vec_push(&lines, l);
		}
		names_set(ret, e->binary, e->off, lines.v, e->n, e->flags);
	}
	vec_deinit(&lines);
	r->n_places = found->entries.n;
	r->n_better = ret->entries.n;
}

/* Behind the last whole block: what a killed recorder left of another is no loss. */
static struct err *append(struct resolve *r, const struct names *names)
{
	_cleanup_close_ int fd = open(r->path, O_WRONLY | O_CLOEXEC);
	uint64_t end = reader_end_offset(r->input.source);
	size_t from = 0;

	if (fd < 0)
		return err_sys(errno, "cannot write %s", r->path);
	if (ftruncate(fd, (off_t)end) || lseek(fd, (off_t)end, SEEK_SET) < 0)
		return err_sys(errno, "cannot add to %s", r->path);
	CLEANUP(writer_destroy)
	struct writer *w = writer_append(fd, CODEC_ZLIB, &r->input.data);

	return writer_names(w, names, &from);
}

static struct err *resolve(struct resolve *r)
{
	struct names better;

	TRY(report_input_open(&r->input, r->path, &r->diag));
	if (r->input.kind != INPUT_RECORDING)
		return err_new(
			"%s is no recording of singe; `singe convert %s -o OUT.rec` makes one, "
			"with names",
			r->path, r->path);
	if (r->input.is_stdin)
		return err_new("names are added to a file, not to a pipe");
	TRY(drain(r->input.source));
	r->stored = r->input.data.names;
	names_init(&r->input.data.names);
	TRY(look_up(r));
	names_init(&better);
	choose_better(r, &better);
	struct err *err = better.entries.n ? append(r, &better) : NULL;

	names_deinit(&better);
	return err;
}

static void resolve_deinit(struct resolve *r)
{
	report_input_deinit(&r->input);
	names_deinit(&r->stored);
	vec_deinit(&r->dirs);
	diag_deinit(&r->diag);
}

int resolve_main(int argc, char **argv)
{
	struct resolve r = { .input.fd = -1 };
	struct err *err = parse(&r, argc, argv);
	int status = 0;

	if (err) {
		diag_print_err(stderr, "singe resolve", err);
		fputs("`singe resolve --help` lists the options.\n", stderr);
		status = 2;
	} else if (r.help) {
		fputs(usage_text, stdout);
	} else {
		size_t from = 0;

		if (!r.quiet)
			debuginfod_on_progress(print_debuginfod_progress);
		err = resolve(&r);
		print_progress_clear();
		if (!r.quiet)
			diag_print(stderr, &r.diag, "singe resolve", r.verbose, &from);
		if (err)
			diag_print_err(stderr, "singe resolve", err);
		else if (!r.quiet)
			fprintf(stderr,
				"singe resolve: %" PRIu64
				" places were without name or lines; %" PRIu64
				" have better ones now\n",
				r.n_places, r.n_better);
		status = err ? 1 : 0;
	}
	err_destroy(err);
	resolve_deinit(&r);
	return status;
}
