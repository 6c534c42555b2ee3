/* In: a profile and its names. Out: a line a binary, with what would help. */
#include "cmd/report_coverage.h"

#include <string.h>

#include "cmd/advice.h"
#include "profile/coverage.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Of what it lacks, by what names it for the first time. */
static bool is_told(const struct diag *diag, const struct binary *b, uint32_t number)
{
	_cleanup_free_ char *unnamed = xasprintf("unnamed %u", number);
	_cleanup_free_ char *dwo = xasprintf("dwo %s", b->path);

	for (size_t i = 0; i < diag->entries.n; i++)
		if (diag->entries.v[i].level == DIAG_WARNING &&
		    (!strcmp(diag->entries.v[i].cause, unnamed) ||
		     !strcmp(diag->entries.v[i].cause, dwo)))
			return true;
	return false;
}

/* The kernel's lines are missed by few, its names by many. */
static bool is_missed(const struct binary *b, const struct coverage_row *row,
		      const struct report_coverage_of *of)
{
	if (of->lines && !row->has_lines)
		return true;
	return of->shown && !(coverage_has_names(row) && b->kind == BINARY_KIND_KERNEL);
}

static void tell(struct diag *diag, const struct profile *p, const struct coverage_row *row,
		 uint64_t all, const struct report_coverage_of *of)
{
	const struct binary *b = binaries_get(&p->data->binaries, row->binary);
	const struct symbol_status *status =
		of->symbols ? symbolizer_status(of->symbols, row->binary) : NULL;
	_cleanup_free_ char *cause = xasprintf("coverage %u", row->binary);
	_cleanup_free_ char *help = advice(&(struct advice_of){
		.binary = b,
		.has_names = coverage_has_names(row),
		.has_lines = row->has_lines,
		.gone = row->gone,
		.no_inlines = row->no_inlines,
		.resolvable = of->resolvable,
		.why = status ? status->why : NULL,
	});
	bool note = is_missed(b, row, of) && help && percent(row->samples, all) >= 5 &&
		    !is_told(diag, b, row->binary);

	diag_add(diag, note ? DIAG_NOTE : DIAG_DETAIL, cause,
		 "%s: %.1f %% of the samples, of which %.0f %% have a name, %.0f %% a line, "
		 "%.0f %% are in inlined calls%s%s",
		 b->kind == BINARY_KIND_FILE ? b->path : binary_name(b), percent(row->samples, all),
		 percent(row->named, row->samples), percent(row->lines, row->samples),
		 percent(row->inlined, row->samples), help ? "; " : "", help ?: "");
}

void report_coverage(struct diag *diag, const struct profile *p,
		     const struct report_coverage_of *of)
{
	struct coverage c;
	uint64_t with_lines = 0;

	coverage_init(&c, p, &p->data->names);
	for (size_t i = 0; i < c.v.n; i++) {
		with_lines += c.v.v[i].lines;
		tell(diag, p, &c.v.v[i], c.samples, of);
	}
	if (of->lines && !with_lines && c.samples)
		diag_add(diag, DIAG_WARNING, "no-lines",
			 "no line is known: there is no debug information (build with -g)");
	coverage_deinit(&c);
}
