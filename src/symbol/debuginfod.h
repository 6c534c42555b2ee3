/* debuginfod(8) servers, only when asked for: the library is loaded then, short time-outs are set,
 * and after the first failure no server is asked again in this run. Servers are those of the
 * environment variable DEBUGINFOD_URLS, which no other part of the program heeds. */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Takes DEBUGINFOD_URLS out of the environment, so that libdw asks no server by itself. Before any
 * thread is started. */
void debuginfod_forbid(void);

/* Told while a file is fetched. */
typedef void debuginfod_progress_fn(const char *path, long got, long of);
void debuginfod_on_progress(debuginfod_progress_fn *fn);

/* A descriptor of the caller's; -1: no. `path` is for messages. */
int debuginfod_debug_file(const uint8_t *build_id, size_t len, const char *path, struct diag *diag);
/* The same for the binary itself. */
int debuginfod_executable(const uint8_t *build_id, size_t len, const char *path, struct diag *diag);

#endif
