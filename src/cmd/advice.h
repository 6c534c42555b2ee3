/* What would name more of a binary, for info and the end of a report. */
#ifndef CMD_ADVICE_H
#define CMD_ADVICE_H

#include <stdbool.h>

#include "sample/binaries.h"

struct advice_of {
	const struct binary *binary;
	bool has_names;  /* nearly all of its samples have one */
	bool has_lines;  /* debug information was found */
	bool gone;       /* before the recorder could open it */
	bool no_inlines; /* .dwo files were not found */
	bool resolvable; /* `singe resolve` can add names to the input; else options of report */
	const char *why; /* why its file could not be used; NULL: it was, or was not looked for */
};

/* "lines and inlined calls need …": what to install or to pass. NULL if nothing is missing or
 * nothing would help; the caller frees. */
char *advice(const struct advice_of *of);

#endif
