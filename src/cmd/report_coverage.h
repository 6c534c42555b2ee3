/* How well each binary is named, for the end of a report. */
#ifndef CMD_REPORT_COVERAGE_H
#define CMD_REPORT_COVERAGE_H

#include "base/diag.h"
#include "profile/profile.h"

/* One line a binary, as details; with `lines`, when lines were asked for, what they lack is a note.
 */
void report_coverage(struct diag *diag, const struct profile *p, bool lines);

#endif
