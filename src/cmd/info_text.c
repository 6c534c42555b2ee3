/* In: facts. Out: text for people. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cmd/clean.h"
#include "cmd/cuts.h"
#include "cmd/info_facts.h"
#include "output/output.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void label(FILE *out, const char *name)
{
	fprintf(out, "%-12s ", name);
}

static void line(FILE *out, const char *name, const char *value)
{
	if (!*value)
		return;
	label(out, name);
	clean_print(out, value);
	fputc('\n', out);
}

/* "  1,234 NAME", and the share where there is a whole. */
static void count(FILE *out, uint64_t n, uint64_t whole, const char *name)
{
	struct buf b = { 0 };

	output_number(&b, n);
	buf_u8(&b, 0);
	fprintf(out, "  %14s  ", (const char *)b.data);
	if (whole)
		fprintf(out, "%5.1f %%  ", percent(n, whole));
	fprintf(out, "%s\n", name);
	buf_deinit(&b);
}

static void size(FILE *out, uint64_t n)
{
	if (n < 10240)
		fprintf(out, "%" PRIu64 " bytes", n);
	else if (n < 10 << 20)
		fprintf(out, "%.1f KiB", (double)n / 1024);
	else
		fprintf(out, "%.1f MiB", (double)n / (1 << 20));
}

static void file(const struct info_facts *f, FILE *out)
{
	const struct totals *t = &f->data->totals;

	label(out, "recording");
	clean_print(out, f->path);
	if (f->size) {
		fputs(", ", out);
		size(out, f->size);
	}
	fputs(t->complete ? "" : ", cut off: it has no end", out);
	if (t->damaged_blocks)
		fprintf(out, ", %" PRIu64 " damaged blocks", t->damaged_blocks);
	fputc('\n', out);
}

static void host(const struct meta *m, FILE *out)
{
	if (!*m->host && !*m->os_release)
		return;
	label(out, "host");
	clean_print(out, m->host);
	fputs(", Linux ", out);
	clean_print(out, m->os_release);
	fputc(' ', out);
	clean_print(out, m->machine);
	fprintf(out, ", %u CPUs\n", m->n_cpus);
	if (!m->kernel_build_id_len)
		return;
	label(out, "kernel");
	fputs("build-id ", out);
	clean_hex(out, m->kernel_build_id, m->kernel_build_id_len);
	fputc('\n', out);
}

static void origins(const struct meta *m, FILE *out)
{
	if (m->origins.n < 2)
		return;
	label(out, "merged");
	for (size_t i = 0; i < m->origins.n; i++) {
		fputs(i ? ", " : "", out);
		clean_print(out, m->origins.v[i]);
	}
	fputc('\n', out);
}

static void when(const struct info_facts *f, FILE *out)
{
	time_t s = (time_t)(f->data->meta.wall_start_ns / 1000000000);
	struct tm tm;
	char text[64] = "";
	struct buf b = { 0 };

	if (s && localtime_r(&s, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z, for ", &tm);
	output_duration(&b, f->duration_ns);
	buf_u8(&b, 0);
	label(out, "when");
	fprintf(out, "%s%s\n", text, (const char *)b.data);
	buf_deinit(&b);
}

static void event(const struct info_facts *f, size_t i, FILE *out)
{
	const struct event_desc *e = &f->data->events.v[i];

	fputs("  ", out);
	clean_print(out, e->name);
	if (e->is_freq)
		fprintf(out, " at %" PRIu64 " Hz", e->rate);
	else if (e->rate)
		fprintf(out, " every %" PRIu64 " %s", e->rate, e->unit);
	fprintf(out, ": %" PRIu64 " samples\n", f->events.v[i].samples);
}

static void totals(const struct totals *t, FILE *out)
{
	fputs("\nTotals\n", out);
	count(out, t->samples, 0, "samples");
	count(out, t->lost, t->samples + t->lost, "lost");
	if (t->lost_sideband)
		count(out, t->lost_sideband, 0, "records of mappings and names lost");
	if (t->lost_in_file)
		count(out, t->lost_in_file, t->samples, "with a stack lost in the file");
	if (t->throttled)
		count(out, t->throttled, 0, "times paused by the kernel");
	if (t->duplicates)
		count(out, t->duplicates, 0, "seen twice and counted once");
	if (t->recorder_cpu_ns && t->samples)
		fprintf(out, "  the recorder took %.3f s of CPU, %.0f ns a sample\n",
			(double)t->recorder_cpu_ns / 1e9,
			(double)t->recorder_cpu_ns / (double)t->samples);
}

/* Of an imported file, by kind. */
static void records(const struct dataset *data, FILE *out)
{
	if (data->records.n)
		fputs("\nRecords\n", out);
	for (size_t i = 0; i < data->records.n; i++)
		count(out, data->records.v[i].n, 0, data->records.v[i].name);
}

static void stacks(const struct info_facts *f, FILE *out)
{
	uint64_t all = f->events.v[f->event].samples;

	fputs("\nStacks of ", out);
	clean_print(out, f->data->events.v[f->event].name);
	fprintf(out, ", %" PRIu64 " distinct\n", f->distinct_stacks);
	if (!strcmp(f->data->meta.callgraph, "none"))
		return;
	for (int v = 0; v < N_VERDICTS; v++)
		if (f->verdicts[v] || v == VERDICT_COMPLETE)
			count(out, f->verdicts[v], all, verdict_name((enum verdict)v));
	struct cuts cuts = { .v = f->cuts.v, .n = f->cuts.n, .all = all, .data = f->data };

	for (int v = 1; v < N_VERDICTS; v++) {
		double share;
		_cleanup_free_ char *sentence = cuts_sentence(&cuts, (enum verdict)v, &share);

		if (!sentence)
			continue;
		fputs("  ", out);
		clean_print(out, sentence);
		fputc('\n', out);
	}
}

/* A share of the samples in it; "-" where there is nothing to have one. */
static void share(FILE *out, bool known, uint64_t part, uint64_t whole)
{
	if (known && whole)
		fprintf(out, "%7.1f %%", percent(part, whole));
	else
		fprintf(out, "%7s  ", "-");
}

static void binary(const struct info_facts *f, const struct info_binary *ib, FILE *out)
{
	const struct binary *b = binaries_get(&f->data->binaries, ib->binary);

	share(out, true, ib->samples, f->events.v[f->event].samples);
	share(out, true, ib->named, ib->samples);
	share(out, ib->has_lines, ib->lines, ib->samples);
	share(out, ib->has_lines || ib->inlined, ib->inlined, ib->samples);
	fputs("  ", out);
	clean_print(out, b->kind == BINARY_KIND_FILE ? b->path : binary_name(b));
	fputs(b->deleted ? " (deleted)" : "", out);
	if (b->build_id_len) {
		fputs("  build-id ", out);
		clean_hex(out, b->build_id, b->build_id_len);
	}
	fputc('\n', out);
	if (!ib->advice || percent(ib->samples, f->events.v[f->event].samples) < 1)
		return;
	fprintf(out, "%38s", "");
	clean_print(out, ib->advice);
	fputc('\n', out);
}

static void binaries(const struct info_facts *f, FILE *out)
{
	fputs("\nBinaries: share of the samples in it; of those, with a function's name, with a "
	      "line, in inlined calls\n"
	      "  samples    named    lines  inlined\n",
	      out);
	for (size_t i = 0; i < f->binaries.n; i++)
		if (f->binaries.v[i].any)
			binary(f, &f->binaries.v[i], out);
	fprintf(out, "\n%zu places are named in the recording itself\n", f->n_names);
}

void info_text(const struct info_facts *f, FILE *out)
{
	const struct meta *m = &f->data->meta;

	file(f, out);
	origins(m, out);
	host(m, out);
	line(out, "command", m->cmdline);
	when(f, out);
	line(out, "stacks", m->callgraph);
	for (size_t i = 0; i < m->fallbacks.n; i++)
		line(out, "fallback", m->fallbacks.v[i]);
	fputs("\nEvents\n", out);
	for (size_t i = 0; i < f->data->events.n; i++)
		event(f, i, out);
	totals(&f->data->totals, out);
	records(f->data, out);
	if (f->event >= f->events.n)
		return;
	stacks(f, out);
	binaries(f, out);
}
