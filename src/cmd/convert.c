/* In: argv of `singe convert`. Out: one recording or perf.data file of all inputs. */
#include "cmd/convert.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/diag_print.h"
#include "cmd/record_output.h"
#include "cmd/report_input.h"
#include "config.h"
#include "import/merge.h"
#include "import/perfwrite.h"
#include "recording/writer.h"
#include "singe/recording.h"
#include "symbol/symbolizer.h"

struct convert_options {
	const char *output, *codec;
	char **inputs; /* of argv */
	int n_inputs;
	enum codec parsed_codec;
	bool to_perf;
	bool no_resolve, verbose, quiet, help, version;
};

/* One input, opened, with its first batch taken: by then its events are known. */
struct part {
	struct report_input input;
	struct merge_input merge;
	struct batch first;
	struct batch batch;  /* in the merge's numbers */
	size_t at, event_at; /* of the batch: written so far */
	bool at_end;
};

struct convert {
	struct convert_options opt;
	struct dataset data; /* the merge */
	struct merge merge;
	struct part *parts; /* owned */
	struct record_output out;
	struct writer *writer; /* one of the two */
	struct perfwrite *perf;
	struct diag diag;
	uint64_t n_samples;
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' }, { "compress", required_argument, NULL, 'z' },
	{ "no-resolve", no_argument, NULL, 'n' },   { "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },        { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },      { NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("usage: singe convert [OPTIONS] IN... -o OUT.rec|OUT.data\n\n"
	      "Turns recordings, perf.data, the text of perf script and folded stacks into one\n"
	      "recording, or into a perf.data file if OUT ends in .data; several inputs are "
	      "merged.\n\n"
	      "  -o, --output OUT         where to; - is stdout (a recording)\n"
	      "      --compress CODEC     none, zlib or zstd (zlib), of a recording\n"
	      "      --no-resolve         store no names of functions\n"
	      "  -v, --verbose            details behind the warnings\n"
	      "  -q, --quiet              errors only\n"
	      "  -h, --help               this text\n"
	      "  -V, --version            the version of this build\n",
	      out);
}

static bool parse_one(struct convert_options *o, int c)
{
	switch (c) {
	case 'o':
		o->output = optarg;
		return true;
	case 'z':
		o->codec = optarg;
		return true;
	case 'n':
		o->no_resolve = true;
		return true;
	case 'v':
		o->verbose = true;
		return true;
	case 'q':
		o->quiet = true;
		return true;
	case 'h':
		o->help = true;
		return true;
	case 'V':
		o->version = true;
		return true;
	default:
		return false;
	}
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = strlen(suffix);

	return len > n && !strcmp(path + len - n, suffix);
}

/* False after a usage error, which is printed. */
static bool parse(struct convert_options *o, int argc, char **argv)
{
	for (int c; (c = getopt_long(argc, argv, "o:vqhV", long_options, NULL)) >= 0;)
		if (!parse_one(o, c))
			return false;
	o->inputs = argv + optind;
	o->n_inputs = argc - optind;
	if (o->help || o->version)
		return true;
	if (!o->output || !o->n_inputs) {
		fprintf(stderr, "singe convert: %s\n",
			o->output ? "which file? - is stdin"
				  : "where to? -o OUT.rec or -o OUT.data");
		return false;
	}
	o->to_perf = ends_in(o->output, ".data");
	o->parsed_codec = CODEC_ZLIB;
	struct err *err = o->codec ? codec_parse(o->codec, &o->parsed_codec) : NULL;

	if (!err && o->codec && o->to_perf)
		err = err_new("--compress is for recordings, not for perf.data");
	if (!err)
		return true;
	diag_print_err(stderr, "singe convert", err);
	err_destroy(err);
	return false;
}

static struct err *drain(struct source *src)
{
	struct batch batch;

	do
		TRY(src->next(src, &batch));
	while (batch.n_samples || batch.n_events);
	return NULL;
}

static void copy_events(struct dataset *to, const struct dataset *from)
{
	for (size_t i = to->events.n; i < from->events.n; i++) {
		struct event_desc e = from->events.v[i];

		e.name = xstrdup(e.name);
		e.unit = xstrdup(e.unit);
		e.attr = NULL;
		e.attr_len = 0;
		vec_push(&to->events, e);
	}
}

/* Text may name an event in its last line, but a recording has its events in its header: such
 * inputs are read twice. */
static struct err *know_events(struct part *p, const char *path)
{
	if (p->input.kind != INPUT_TEXT || p->input.is_stdin)
		return NULL;
	struct report_input scan;
	struct err *err = report_input_open(&scan, path, NULL);

	if (!err)
		err = drain(scan.source);
	if (!err)
		copy_events(&p->input.data, &scan.data);
	report_input_deinit(&scan);
	return err;
}

/* The input's clock when it began, or its first sample's; 0: not known. */
static uint64_t start_of(const struct part *p)
{
	uint64_t start = p->input.data.meta.clock_start_ns;

	return start || !p->first.n_samples ? start : p->first.samples[0].time_ns;
}

/* What a recording has room for. */
static struct err *check_header(const struct dataset *d)
{
	if (d->meta.origins.n > SINGE_ORIGINS_MAX || d->events.n > SINGE_EVENTS_MAX)
		return err_new("more than %d inputs or %d events", SINGE_ORIGINS_MAX,
			       SINGE_EVENTS_MAX);
	return NULL;
}

static struct err *open_part(struct convert *c, struct part *p, const char *path)
{
	const char *slash = strrchr(path, '/');

	TRY(report_input_open(&p->input, path, &c->diag));
	TRY(report_input_unwind(&p->input, ENGINE_ROWS));
	TRY(know_events(p, path));
	TRY(p->input.source->next(p->input.source, &p->first));
	merge_add(&c->merge, &p->input.data, start_of(p), slash ? slash + 1 : path, &p->merge);
	if (p->input.kind == INPUT_TEXT && c->opt.to_perf)
		return err_new("%s is text, whose names have no place in perf.data: convert it to "
			       "a recording (-o OUT.rec)",
			       path);
	return NULL;
}

/* The next batch, or the end. */
static struct err *take_batch(struct convert *c, struct part *p, const struct batch *batch)
{
	p->at = p->event_at = 0;
	p->batch = (struct batch){ 0 };
	if (batch->n_samples || batch->n_events) {
		if (p->input.data.events.n > p->merge.events.n)
			return err_new("several events in text from standard input: put it into a "
				       "file");
		p->batch = merge_batch(&c->merge, &p->merge, batch);
		return NULL;
	}
	p->at_end = true;
	if (!c->perf && !c->opt.no_resolve) {
		CLEANUP(symbolizer_destroy)
		struct symbolizer *symbols = symbolizer_create(&p->input.data, &c->diag);

		TRY(symbolizer_run(symbols));
	}
	merge_finish(&c->merge, &p->merge);
	return NULL;
}

static struct err *put_event(struct convert *c, const struct proc_event *e)
{
	if (!c->perf)
		return writer_event(c->writer, e);
	perfwrite_event(c->perf, e);
	return NULL;
}

static struct err *put_sample(struct convert *c, const struct sample *s)
{
	c->n_samples++;
	return c->perf ? perfwrite_sample(c->perf, s) : writer_sample(c->writer, s);
}

/* What is next of a part, up to a sample that is later than `until_ns`. What happened to processes
 * stands where it stood among the samples. */
static struct err *put_part(struct convert *c, struct part *p, uint64_t until_ns)
{
	const struct batch *b = &p->batch;

	for (bool first = true; !p->at_end; first = false) {
		for (; p->event_at < b->n_events && b->events[p->event_at].samples_before <= p->at;
		     p->event_at++)
			TRY(put_event(c, &b->events[p->event_at]));
		if (p->at == b->n_samples)
			break;
		if (!first && b->samples[p->at].time_ns > until_ns)
			return NULL;
		TRY(put_sample(c, &b->samples[p->at++]));
	}
	struct batch next;

	TRY(p->input.source->next(p->input.source, &next));
	return take_batch(c, p, &next);
}

static uint64_t next_ns(const struct part *p)
{
	return p->at < p->batch.n_samples ? p->batch.samples[p->at].time_ns : 0;
}

/* The inputs side by side, by the times of their samples: a report counts from the first. */
static struct err *put_parts(struct convert *c)
{
	for (int i = 0; i < c->opt.n_inputs; i++)
		TRY(take_batch(c, &c->parts[i], &c->parts[i].first));
	for (;;) {
		struct part *next = NULL;
		uint64_t until_ns = UINT64_MAX;

		for (int i = 0; i < c->opt.n_inputs; i++) {
			struct part *p = &c->parts[i];

			if (p->at_end)
				continue;
			if (next && next_ns(p) >= next_ns(next)) {
				until_ns = next_ns(p) < until_ns ? next_ns(p) : until_ns;
				continue;
			}
			until_ns = next ? next_ns(next) : until_ns;
			next = p;
		}
		if (!next)
			return NULL;
		TRY(put_part(c, next, until_ns));
	}
}

static struct err *finish(struct convert *c)
{
	struct totals *t = &c->data.totals;
	size_t from = 0;

	if (c->perf) {
		uint64_t n = perfwrite_n_unplaced(c->perf);

		if (n)
			diag_add(&c->diag, DIAG_WARNING, "frames without address",
				 "%llu frames have no address that perf.data could hold",
				 (unsigned long long)n);
		return perfwrite_end(c->perf);
	}
	t->samples = c->n_samples; /* of folded stacks: records, not what they count */
	TRY(writer_end(c->writer, t));
	TRY(writer_names(c->writer, &c->data.names, &from));
	return writer_code(c->writer);
}

static struct err *convert_run(struct convert *c)
{
	const struct convert_options *o = &c->opt;

	if (!o->to_perf)
		TRY(record_output_check(o->output));
	c->parts = xcalloc((size_t)o->n_inputs, sizeof(*c->parts));
	for (int i = 0; i < o->n_inputs; i++)
		c->parts[i].input.fd = -1;
	merge_init(&c->merge, &c->data, o->n_inputs > 1);
	for (int i = 0; i < o->n_inputs; i++)
		TRY(open_part(c, &c->parts[i], o->inputs[i]));
	TRY(check_header(&c->data));
	TRY(record_output_open(&c->out, o->output));
	if (o->to_perf)
		TRY(perfwrite_create(c->out.fd, &c->data, &c->perf));
	else
		TRY(writer_create(c->out.fd, o->parsed_codec, &c->data, &c->writer));
	TRY(put_parts(c));
	return finish(c);
}

static void convert_deinit(struct convert *c)
{
	writer_destroy(c->writer);
	perfwrite_destroy(c->perf);
	for (int i = 0; c->parts && i < c->opt.n_inputs; i++) {
		merge_input_deinit(&c->parts[i].merge);
		if (c->parts[i].input.fd >= 0)
			report_input_deinit(&c->parts[i].input);
	}
	merge_deinit(&c->merge);
	free(c->parts);
	record_output_deinit(&c->out);
	dataset_deinit(&c->data);
	diag_deinit(&c->diag);
}

int convert_main(int argc, char **argv)
{
	struct convert c = { 0 };
	size_t from = 0;

	if (!parse(&c.opt, argc, argv)) {
		fprintf(stderr, "`singe convert --help` lists the options.\n");
		return 2;
	}
	if (c.opt.help || c.opt.version) {
		if (c.opt.help)
			usage(stdout);
		else
			printf("singe %s\n", PACKAGE_VERSION);
		return 0;
	}
	signal(SIGPIPE, SIG_IGN); /* a write says it */
	signal(SIGXFSZ, SIG_IGN);
	dataset_init(&c.data);
	record_output_init(&c.out);
	struct err *err = convert_run(&c);

	if (err && !c.n_samples)
		record_output_abandon(&c.out);
	if (!c.opt.quiet)
		diag_print(stderr, &c.diag, "singe convert", c.opt.verbose, &from);
	if (err)
		diag_print_err(stderr, "singe convert", err);
	convert_deinit(&c);
	int status = err ? 1 : 0;

	err_destroy(err);
	return status;
}
