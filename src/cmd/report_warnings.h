/* What the user must know about a report: each cause once, with its share and the remedy. */
#ifndef CMD_REPORT_WARNINGS_H
#define CMD_REPORT_WARNINGS_H

#include "base/diag.h"
#include "profile/calltree.h"
#include "symbol/symbolizer.h"

/* Appends to `diag`. `headed`: the output itself says how it was recorded. `tree` as built, before
 * any focus; `symbols` may be NULL; `resolvable` as in advice.h. */
void report_warnings(struct diag *diag, const struct calltree *tree,
		     const struct symbolizer *symbols, bool resolvable, bool headed);

#endif
