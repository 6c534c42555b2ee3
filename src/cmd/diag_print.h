/* Diagnostics on a terminal or in a log. */
#ifndef CMD_DIAG_PRINT_H
#define CMD_DIAG_PRINT_H

#include <stdio.h>

#include "base/diag.h"

/* Prints "PROGRAM: TEXT" for each entry from `*from` on (and moves it), with "(N times)" where it
 * came up more than once; details only if `verbose`. Control characters in the text, which may
 * come from a path or a process's name, are shown as '?'. */
void diag_print(FILE *out, const struct diag *d, const char *program, bool verbose, size_t *from);
/* "PROGRAM: MESSAGE", cleaned the same way. */
void diag_print_err(FILE *out, const char *program, const struct err *err);

#endif
