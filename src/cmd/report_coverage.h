/* How well each binary is named, for the end of a report. */
#ifndef CMD_REPORT_COVERAGE_H
#define CMD_REPORT_COVERAGE_H

#include "base/diag.h"
#include "profile/profile.h"
#include "symbol/symbolizer.h"

struct report_coverage_of {
	const struct symbolizer *symbols; /* NULL: nothing is known of files */
	bool resolvable;                  /* as in advice.h */
	bool shown;                       /* what a binary lacks is a note, not a detail */
	bool lines;                       /* lines were asked for */
};

/* One line a binary, with what would help. A binary with less than 5 % of the samples is a detail,
 * and so is one that another warning is about (report_warnings(), which comes before). */
void report_coverage(struct diag *diag, const struct profile *p,
		     const struct report_coverage_of *of);

#endif
