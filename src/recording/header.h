/* The bodies of HEADER and END blocks. */
#ifndef RECORDING_HEADER_H
#define RECORDING_HEADER_H

#include "base/buf.h"
#include "base/err.h"
#include "sample/dataset.h"

void header_write(struct buf *b, const struct dataset *data);
/* Adds to meta and events. Unknown fields are skipped; the error says where damage begins. */
ERR_CHECK struct err *header_read(struct cursor c, struct dataset *data);

/* With the fallbacks of `meta` from number `first_fallback` on. */
void end_write(struct buf *b, const struct totals *totals, const struct meta *meta,
	       size_t first_fallback);
/* Sets the fields END holds and `complete`; the reader's own counts are left alone. */
ERR_CHECK struct err *end_read(struct cursor c, struct dataset *data);

#endif
