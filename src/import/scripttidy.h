/* Names of functions as perf prints them → as a picture wants them, by the rules of
 * stackcollapse-perf.pl. */
#ifndef IMPORT_SCRIPTTIDY_H
#define IMPORT_SCRIPTTIDY_H

#include "base/buf.h"
#include "import/textplaces.h"

enum { SCRIPT_MAX_INLINES = 64 };

/* The functions of "outer->inner", outermost first, each tidied; at least one. They point into
 * `scratch`, which is emptied first. */
uint16_t scripttidy(struct text_span function, bool java, struct buf *scratch,
		    struct text_span ret[SCRIPT_MAX_INLINES]);

#endif
