/* What the search for names is at, on a terminal: one line that is written over. */
#ifndef CMD_NAMES_PROGRESS_H
#define CMD_NAMES_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* A symbolizer_progress_fn and a debuginfod_progress_fn; silent where stderr is no terminal. */
bool print_resolve_progress(void *ctx, size_t done, size_t of, const char *what);
void print_debuginfod_progress(const char *path, long got, long of);
/* Wipes the line, if there is one. */
void print_progress_clear(void);

#endif
