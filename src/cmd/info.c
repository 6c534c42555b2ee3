/* In: argv of `singe info`. Out: what is in the recording. */
#include "cmd/info.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/diag_print.h"
#include "cmd/info_facts.h"
#include "cmd/report_input.h"
#include "config.h"
#include "output/output.h"

struct info_options {
	const char *input, *event;
	bool json, verbose, quiet, help, version;
};

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' }, { "json", no_argument, NULL, 'j' },
	{ "event", required_argument, NULL, 'e' }, { "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },       { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },     { NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("usage: singe info [OPTIONS] [FILE]\n\n"
	      "Says what is in a recording (singe.rec), and what is missing.\n\n"
	      "  -i, --input FILE         the recording; - is stdin\n"
	      "      --json               as JSON, see singe-info(1)\n"
	      "      --event NAME         stacks and binaries of this event (the first)\n"
	      "  -v, --verbose            details behind the warnings\n"
	      "  -q, --quiet              errors only\n"
	      "  -h, --help               this text\n"
	      "  -V, --version            the version of this build\n",
	      out);
}

/* False after a usage error, which getopt has printed. */
static bool parse(struct info_options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "i:vqhV", long_options, NULL)) >= 0) {
		switch (c) {
		case 'i':
			o->input = optarg;
			break;
		case 'j':
			o->json = true;
			break;
		case 'e':
			o->event = optarg;
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
		default:
			return false;
		}
	}
	if (optind < argc && !o->input)
		o->input = argv[optind++];
	if (optind == argc)
		return true;
	fprintf(stderr, "singe info: one recording at a time; what is '%s'?\n", argv[optind]);
	return false;
}

static struct err *info_run(const struct info_options *o, struct report_input *input,
			    struct info_facts *f, struct diag *diag)
{
	struct stat st;

	f->path = o->input ? o->input : "singe.rec";
	TRY(report_input_open(input, f->path, diag));
	f->resolvable = input->kind == INPUT_RECORDING;
	if (!fstat(input->fd, &st) && S_ISREG(st.st_mode))
		f->size = (uint64_t)st.st_size;
	report_input_follow_code(input);
	TRY(info_facts_collect(f, input->source, o->event, diag));
	if (o->json)
		info_json(f, stdout);
	else
		info_text(f, stdout);
	return output_finish(stdout, "info");
}

int info_main(int argc, char **argv)
{
	struct info_options o = { 0 };
	struct report_input input = { .fd = -1 };
	struct info_facts facts = { 0 };
	struct diag diag = { 0 };
	size_t from = 0;

	if (!parse(&o, argc, argv)) {
		fprintf(stderr, "`singe info --help` lists the options.\n");
		return 2;
	}
	if (o.help || o.version) {
		if (o.help)
			usage(stdout);
		else
			printf("singe %s\n", PACKAGE_VERSION);
		return 0;
	}
	struct err *err = info_run(&o, &input, &facts, &diag);

	if (!o.quiet)
		diag_print(stderr, &diag, "singe info", o.verbose, &from);
	if (err)
		diag_print_err(stderr, "singe info", err);
	info_facts_deinit(&facts);
	report_input_deinit(&input);
	diag_deinit(&diag);
	int status = err ? 1 : 0;

	err_destroy(err);
	return status;
}
