/* In: totals, verdicts, unnamed frames. Out: one sentence a cause. */
#include "cmd/report_warnings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/advice.h"
#include "cmd/cuts.h"
#include "output/output.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void warn_losses(struct diag *diag, const struct profile *p, bool headed)
{
	const struct totals *t = &p->data->totals;

	if (t->lost)
		diag_add(diag, DIAG_WARNING, "lost",
			 "%" PRIu64
			 " samples were lost (%.1f %%): the buffers ran over; record with "
			 "larger ones (-m) or less often (-F)",
			 t->lost, percent(t->lost, t->lost + t->samples));
	if (t->lost_sideband)
		diag_add(diag, DIAG_WARNING, "lost-sideband",
			 "%" PRIu64 " records of mappings and names were lost: some functions may "
			 "have wrong names",
			 t->lost_sideband);
	if (t->throttled)
		diag_add(diag, DIAG_WARNING, "throttled",
			 "the rate was too high %" PRIu64 " times, and the kernel paused sampling; "
			 "record with a lower -F",
			 t->throttled);
	for (size_t i = 0; i < p->data->meta.fallbacks.n; i++)
		diag_add(diag, headed ? DIAG_DETAIL : DIAG_NOTE, p->data->meta.fallbacks.v[i],
			 "when this was recorded: %s", p->data->meta.fallbacks.v[i]);
}

static void warn_empty(struct diag *diag, const struct calltree *tree)
{
	const struct profile *p = tree->profile;
	uint64_t left_out = p->filtered + tree->unmatched_samples;

	if (p->other_events) {
		struct buf names = { 0 };

		for (uint32_t i = 0; i < p->data->events.n; i++)
			if (i != p->event)
				output_printf(&names, " %s", p->data->events.v[i].name);
		buf_u8(&names, 0);
		diag_add(diag, DIAG_NOTE, "other-events",
			 "this is %s; %" PRIu64
			 " samples of other events are not in it; choose with "
			 "--event:%s",
			 profile_event(p) ? profile_event(p)->name : "no event", p->other_events,
			 (const char *)names.data);
		buf_deinit(&names);
	}
	if (tree->nodes.v[0].total_samples)
		return;
	if (left_out)
		diag_add(diag, DIAG_WARNING, "empty",
			 "the filters leave none of %" PRIu64 " samples", left_out);
	else
		diag_add(diag, DIAG_WARNING, "empty",
			 "0 samples in %.1f s: the target did not run, or not where it was watched",
			 (double)output_duration_ns(p) / 1e9);
}

static void warn_cuts(struct diag *diag, const struct calltree *tree)
{
	struct cuts cuts = { .v = tree->cuts.v, .n = tree->cuts.n, .data = tree->profile->data };

	if (output_complete_percent(tree) < 0)
		return;
	for (int v = 0; v < N_VERDICTS; v++)
		cuts.all += tree->verdicts[v];
	for (int v = 1; v < N_VERDICTS; v++) {
		double share;
		_cleanup_free_ char *text = cuts_sentence(&cuts, (enum verdict)v, &share);

		if (text)
			diag_add(diag, share >= 1 ? DIAG_WARNING : DIAG_DETAIL,
				 verdict_name((enum verdict)v), "%s", text);
	}
}

struct unnamed {
	uint32_t binary;
	uint64_t samples;
};

static int unnamed_cmp(const void *a, const void *b)
{
	const struct unnamed *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return (x->binary > y->binary) - (x->binary < y->binary);
}

/* By number of a file: enum name_flags that any of its places has. The caller frees. */
static uint16_t *find_flags(const struct dataset *data)
{
	_cleanup_free_ uint32_t *same = binaries_same(&data->binaries);
	uint16_t *flags = xcalloc(data->binaries.v.n, sizeof(*flags));

	for (size_t i = 0; i < data->names.entries.n; i++) {
		const struct name_entry *e = &data->names.entries.v[i];

		flags[same[e->binary]] |= e->flags;
	}
	return flags;
}

/* What is wrong, and what would help; NULL: nobody can. The caller frees. */
static char *why_unnamed(const struct advice_of *of)
{
	_cleanup_free_ char *help = advice(of);

	if (of->why)
		return xasprintf("%s%s%s", of->why, help ? "; " : "", help ?: "");
	if (help)
		return take_ptr(help);
	if (of->binary->kind == BINARY_KIND_FILE)
		return xstrdup("no symbol and no debug information covers them");
	return NULL;
}

static void warn_names(struct diag *diag, const struct calltree *tree,
		       const struct symbolizer *symbols, bool resolvable)
{
	const struct binaries *binaries = &tree->profile->data->binaries;
	_cleanup_free_ uint16_t *flags = find_flags(tree->profile->data);
	uint64_t all = tree->nodes.v[0].total_samples;
	size_t n = binaries->v.n;
	_cleanup_free_ struct unnamed *u = xcalloc(n, sizeof(*u));

	for (uint32_t i = 0; i < n; i++)
		u[i].binary = i;
	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct func *f = &tree->funcs.v[tree->nodes.v[i].func];

		if (!f->named && f->origin != ORIGIN_GROUP && f->origin != ORIGIN_UNKNOWN)
			u[f->binary].samples += tree->nodes.v[i].self_samples;
	}
	qsort(u, n, sizeof(*u), unnamed_cmp);
	for (size_t i = 0; i < n && u[i].samples; i++) {
		const struct binary *b = binaries_get(binaries, u[i].binary);
		bool much = i < 5 && percent(u[i].samples, all) >= 1;
		_cleanup_free_ char *cause = xasprintf("unnamed %u", u[i].binary);
		_cleanup_free_ char *why = why_unnamed(&(struct advice_of){
			.binary = b,
			.has_lines = flags[u[i].binary] & NAME_HAS_LINES,
			.gone = flags[u[i].binary] & NAME_GONE,
			.resolvable = resolvable,
			.why = symbols ? symbolizer_status(symbols, u[i].binary)->why : NULL,
		});

		const char *of = b->kind == BINARY_KIND_FILE ? b->path : binary_name(b);

		diag_add(diag, much ? DIAG_WARNING : DIAG_DETAIL, cause,
			 "%.1f %% of the samples are in functions%s%s without a name%s%s",
			 percent(u[i].samples, all), *of ? " of " : "", of, why ? ": " : "",
			 why ?: "");
	}
}

void report_warnings(struct diag *diag, const struct calltree *tree,
		     const struct symbolizer *symbols, bool resolvable, bool headed)
{
	warn_empty(diag, tree);
	warn_losses(diag, tree->profile, headed);
	warn_cuts(diag, tree);
	warn_names(diag, tree, symbols, resolvable);
}
