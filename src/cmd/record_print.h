/* What `singe record` says while it records and at the end. */
#ifndef CMD_RECORD_PRINT_H
#define CMD_RECORD_PRINT_H

#include "capture/session.h"
#include "cmd/record_options.h"
#include "cmd/record_resolve.h"

/* A line on the terminal, rewritten each second. */
void record_print_progress(void *ctx, const struct session_stats *stats);
/* Takes that line away. */
void record_print_clear(void);

/* The summary. `resolved` may be NULL. */
void record_print_summary(const struct session *s, const struct record_options *o,
			  const struct record_resolved *resolved, uint64_t size);

#endif
