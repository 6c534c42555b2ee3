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
#include "symbol/improve.h"

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
	CLEANUP(symbolizer_destroy)
	struct symbolizer *s = symbolizer_create(&r->input.data, &r->diag);

	symbolizer_configure(s, &r->opt);
	symbolizer_on_progress(s, r->quiet ? NULL : print_resolve_progress, NULL);
	struct err *err = improve_find(s, &r->input.data, &better, &r->n_places);

	r->n_better = better.entries.n;
	if (!err && better.entries.n)
		err = append(r, &better);
	names_deinit(&better);
	return err;
}

static void resolve_deinit(struct resolve *r)
{
	report_input_deinit(&r->input);
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
				" places lacked a name, lines or inlined calls; %" PRIu64
				" have better ones now\n",
				r.n_places, r.n_better);
		status = err ? 1 : 0;
	}
	err_destroy(err);
	resolve_deinit(&r);
	return status;
}
