/* In: a call tree's figures, foreign names. Out: the words and the clean text that all formats use.
 */
#include "output/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "output/callgrind.h"
#include "output/firefox.h"
#include "output/folded.h"
#include "output/html.h"
#include "output/json.h"
#include "output/perfscript.h"
#include "output/pprof.h"
#include "output/speedscope.h"
#include "output/svg.h"
#include "output/text.h"
#include "output/tree.h"

const struct output *const outputs[] = {
	&folded_output,    &svg_output,        &html_output,    &text_output,
	&tree_output,      &pprof_output,      &firefox_output, &speedscope_output,
	&callgrind_output, &perfscript_output, &json_output,    NULL,
};

const struct output *output_find(const char *name)
{
	for (size_t i = 0; outputs[i]; i++)
		if (!strcmp(outputs[i]->name, name))
			return outputs[i];
	return NULL;
}

/* Longer suffixes stand before those they end in. */
const struct output *output_by_suffix(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; outputs[i]; i++) {
		size_t n = strlen(outputs[i]->suffix);

		if (n && len > n && !strcmp(path + len - n, outputs[i]->suffix))
			return outputs[i];
	}
	return NULL;
}

struct err *output_finish(FILE *out, const char *format)
{
	if (!fflush(out) && !ferror(out))
		return NULL;
	return err_sys(errno, "cannot write %s output", format);
}

void output_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *text = xvasprintf(fmt, ap);

	va_end(ap);
	buf_bytes(b, text, strlen(text));
}

void output_number(struct buf *b, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf_u8(b, ',');
		buf_u8(b, (uint8_t)digits[i]);
	}
}

void output_duration(struct buf *b, uint64_t ns)
{
	double s = (double)ns / 1e9;

	output_printf(b, s >= 1 || !ns ? "%.1f s" : "%.3f s", s);
}

void output_amount(struct buf *b, const struct profile *p, uint64_t weight)
{
	const char *unit = profile_unit(p);

	if (!strcmp(unit, "ns")) {
		output_duration(b, weight);
		return;
	}
	output_number(b, weight);
	output_printf(b, " %s", unit);
}

double output_complete_percent(const struct calltree *tree)
{
	const char *callgraph = tree->profile->data->meta.callgraph;
	uint64_t all = 0;

	for (int v = 0; v < N_VERDICTS; v++)
		all += tree->verdicts[v];
	if (!all || !strcmp(callgraph, "none") ||
	    (!*callgraph && all == tree->verdicts[VERDICT_COMPLETE]))
		return -1;
	return (double)(uint64_t)((double)tree->verdicts[VERDICT_COMPLETE] * 1000.0 / (double)all) /
	       10;
}

uint64_t output_duration_ns(const struct profile *p)
{
	const struct dataset *d = p->data;

	if (d->totals.end_ns > d->meta.clock_start_ns && d->meta.clock_start_ns)
		return d->totals.end_ns - d->meta.clock_start_ns;
	if (d->totals.last_ns > d->totals.first_ns)
		return d->totals.last_ns - d->totals.first_ns;
	return p->last_ns - p->first_ns;
}

/* Which binaries cut most stacks, and how. */
static void subtitle_cuts(struct buf *b, const struct calltree *tree)
{
	enum { NAMED = 2 };
	const struct binaries *binaries = &tree->profile->data->binaries;
	uint64_t all = 0;
	size_t n = 0;

	if (output_complete_percent(tree) < 0)
		return;
	for (int v = 0; v < N_VERDICTS; v++)
		all += tree->verdicts[v];
	for (; n < tree->cuts.n && n < NAMED && tree->cuts.v[n].samples * 1000 >= all; n++) {
		const struct cut_binary *c = &tree->cuts.v[n];

		output_printf(b, "%s%s", n ? ", " : " (", verdict_name(c->verdict));
		if (c->binary != BINARY_UNKNOWN) {
			const char *name = binary_name(binaries_get(binaries, c->binary));

			output_printf(b, " in ");
			output_clean_utf8(b, name, strlen(name));
		}
		output_printf(b, " %.1f %%", 100 * (double)c->samples / (double)all);
	}
	if (n)
		output_printf(b, ")");
}

static void subtitle_warnings(struct buf *b, const struct calltree *tree)
{
	const struct totals *t = &tree->profile->data->totals;
	uint64_t left_out = tree->profile->filtered + tree->unmatched_samples;

	if (left_out) {
		output_printf(b, " · ");
		output_number(b, left_out);
		output_printf(b, " filtered out");
	}
	if (t->throttled)
		output_printf(b, " · throttled %" PRIu64 " times", t->throttled);
	if (t->lost_sideband)
		output_printf(b, " · mappings lost: names may be wrong");
	if (t->lost_in_file || t->damaged_blocks) {
		output_printf(b, " · file damaged, ");
		output_number(b, t->lost_in_file);
		output_printf(b, " stacks lost in it");
	}
	if (!t->complete && *tree->profile->data->meta.callgraph)
		output_printf(b, " · recording without end");
}

char *output_subtitle(const struct calltree *tree)
{
	const struct profile *p = tree->profile;
	const struct event_desc *e = profile_event(p);
	double complete = output_complete_percent(tree);
	struct buf b = { 0 };

	output_clean_utf8(&b, e ? e->name : "no event", e ? strlen(e->name) : 8);
	output_printf(&b, " · ");
	output_duration(&b, output_duration_ns(p));
	output_printf(&b, " · ");
	output_number(&b, tree->nodes.v[0].total_samples);
	output_printf(&b, " samples");
	if (p->by_period && !p->counts_samples) {
		output_printf(&b, " of ");
		output_amount(&b, p, tree->nodes.v[0].total);
	}
	output_printf(&b, " · ");
	output_number(&b, p->data->totals.lost);
	output_printf(&b, " lost");
	if (complete >= 0)
		output_printf(&b, " · %.1f %% complete", complete);
	subtitle_cuts(&b, tree);
	subtitle_warnings(&b, tree);
	buf_u8(&b, 0);
	return (char *)b.data;
}
