/* The one zstd stream that a perf.data file's compressed records make up, across all of them
 * (tools/perf/util/zstd.c). */
#ifndef IMPORT_PERFZSTD_H
#define IMPORT_PERFZSTD_H

#include "base/buf.h"
#include "base/err.h"

struct perfzstd;

/* An error is a build without zstd. */
ERR_CHECK struct err *perfzstd_create(struct perfzstd **ret);
void perfzstd_destroy(struct perfzstd *z);
/* The next bytes of the stream. They stay the caller's until perfzstd_read() has nothing more. */
void perfzstd_feed(struct perfzstd *z, const uint8_t *p, size_t len);
/* Appends up to 256 KiB to `to`: what of the bytes fed is expanded, a piece at a time. `ret_more`
 * is false once they are used up. After an error the stream is at its end. */
ERR_CHECK struct err *perfzstd_read(struct perfzstd *z, struct buf *to, bool *ret_more);

#endif
