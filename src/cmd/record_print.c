/* In: counts. Out: a line of progress, and a summary of what the recording is worth. */
#include "cmd/record_print.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/cuts.h"
#include "unwind/unwinder.h"

static const double ns_per_s = 1e9;

static void print_bytes(uint64_t n)
{
	if (n < 10240)
		fprintf(stderr, "%" PRIu64 " bytes", n);
	else if (n < 10 << 20)
		fprintf(stderr, "%.1f KiB", (double)n / 1024);
	else
		fprintf(stderr, "%.1f MiB", (double)n / (1 << 20));
}

void record_print_progress(void *ctx, const struct session_stats *stats)
{
	(void)ctx;
	fprintf(stderr, "\r%.0f s, %" PRIu64 " samples, %" PRIu64 " lost, ",
		(double)stats->elapsed_ns / ns_per_s, stats->samples, stats->lost);
	print_bytes(stats->bytes);
	fputs("\033[K", stderr);
	fflush(stderr);
}

void record_print_clear(void)
{
	fputs("\r\033[K", stderr);
	fflush(stderr);
}

static void print_losses(const struct totals *t)
{
	uint64_t all = t->samples + t->lost;

	fprintf(stderr, "singe: lost %" PRIu64 " samples (%.2f %%)", t->lost,
		all ? 100 * (double)t->lost / (double)all : 0);
	if (t->throttled)
		fprintf(stderr, ", throttled %" PRIu64 " times", t->throttled);
	fputc('\n', stderr);
	if (t->lost)
		fputs("singe: larger rings (-m) or a lower rate (-F) lose less\n", stderr);
	if (t->lost_sideband)
		fprintf(stderr,
			"singe: warning: %" PRIu64
			" records of mappings and names were lost: names "
			"may be wrong\n",
			t->lost_sideband);
	if (t->duplicates)
		fprintf(stderr,
			"singe: %" PRIu64 " samples came twice, from threads born while attaching; "
			"each is counted once\n",
			t->duplicates);
}

/* How the others ended, by binary, and what helps; what is rare is said with -v. */
static void print_stacks(const struct record_options *o, const struct record_resolved *r,
			 const struct dataset *data)
{
	struct cuts cuts = { .v = r->cuts, .n = r->n_cuts, .all = r->stacks, .data = data };

	fprintf(stderr, "singe: complete stacks: %.1f %%\n",
		100 * (double)r->complete / (double)r->stacks);
	for (int v = 1; v < N_VERDICTS; v++) {
		double share;
		_cleanup_free_ char *text = cuts_sentence(&cuts, (enum verdict)v, &share);

		if (text && (share >= 0.5 || o->verbose))
			fprintf(stderr, "singe: %s\n", text);
	}
}

static void print_resolved(const struct record_options *o, const struct record_resolved *r,
			   const struct dataset *data)
{
	if (o->session.callgraph != CALLGRAPH_NONE && r->stacks)
		print_stacks(o, r, data);
	if (o->resolve)
		fprintf(stderr, "singe: names for %" PRIu64 " of %" PRIu64 " places%s\n", r->named,
			r->places,
			r->interrupted ? "; interrupted: the rest can be named by a report" : "");
}

void record_print_summary(const struct session *s, const struct record_options *o,
			  const struct record_resolved *resolved, uint64_t size)
{
	const struct totals *t = &s->data->totals;
	double seconds = s->started_ns && t->end_ns > s->started_ns
				 ? (double)(t->end_ns - s->started_ns) / ns_per_s
				 : 0;
	double cpu = (double)t->recorder_cpu_ns / ns_per_s;

	if (!t->samples)
		fprintf(stderr, "singe: 0 samples in %.1f s (target slept?)\n", seconds);
	else
		fprintf(stderr, "singe: %" PRIu64 " samples of %s in %.1f s\n", t->samples,
			s->data->events.v[0].name, seconds);
	print_losses(t);
	if (resolved)
		print_resolved(o, resolved, s->data);
	if (o->verbose && unwinder_n_no_cfi(s->unwinder))
		fprintf(stderr,
			"singe: %" PRIu64 " callers of code without CFI were found by the calls "
			"that lead to it\n",
			unwinder_n_no_cfi(s->unwinder));
	fprintf(stderr, "singe: the recorder took %.3f s of CPU", cpu);
	if (t->samples)
		fprintf(stderr, ", %.0f ns a sample",
			(double)t->recorder_cpu_ns / (double)t->samples);
	fprintf(stderr, "\nsinge: wrote %s, ", o->output);
	print_bytes(size);
	fputc('\n', stderr);
}
