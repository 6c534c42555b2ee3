/* In: a profile and its names. Out: a line a binary, with what would help. */
#include "cmd/report_coverage.h"

#include "profile/coverage.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static const char *remedy(const struct binary *b, const struct coverage_row *row)
{
	bool has_names = row->named * 100 >= row->samples * 99;

	if (row->has_lines)
		return "";
	switch (b->kind) {
	case BINARY_KIND_FILE:
		return has_names
			       ? "; lines and inlined calls need its debug information: its -dbg, "
				 "-dbgsym or -debuginfo package, --debug-dir or --debuginfod"
			       : "; names need its debug information: its -dbg, -dbgsym or "
				 "-debuginfo package, --debug-dir or --debuginfod";
	case BINARY_KIND_KERNEL:
		return "; lines and inlined calls need --vmlinux";
	case BINARY_KIND_ANON:
		return has_names ? "" : "; names need a map in /tmp/perf-PID.map";
	case BINARY_KIND_UNKNOWN:
	case BINARY_KIND_VDSO:
	case BINARY_KIND_TEXT:
		break;
	}
	return "";
}

void report_coverage(struct diag *diag, const struct profile *p, bool lines)
{
	struct coverage c;
	uint64_t with_lines = 0;

	coverage_init(&c, p, &p->data->names);
	for (size_t i = 0; i < c.v.n; i++) {
		const struct coverage_row *row = &c.v.v[i];
		const struct binary *b = binaries_get(&p->data->binaries, row->binary);
		_cleanup_free_ char *cause = xasprintf("coverage %u", row->binary);
		bool missed = lines && !row->has_lines && percent(row->samples, c.samples) >= 5;

		with_lines += row->lines;
		diag_add(
			diag, missed ? DIAG_NOTE : DIAG_DETAIL, cause,
			"%s: %.1f %% of the samples, of which %.0f %% have a name, %.0f %% a line, "
			"%.0f %% are in inlined calls%s",
			b->kind == BINARY_KIND_FILE ? b->path : binary_name(b),
			percent(row->samples, c.samples), percent(row->named, row->samples),
			percent(row->lines, row->samples), percent(row->inlined, row->samples),
			remedy(b, row));
	}
	if (lines && !with_lines && c.samples)
		diag_add(diag, DIAG_WARNING, "no-lines",
			 "no line is known: there is no debug information (build with -g)");
	coverage_deinit(&c);
}
