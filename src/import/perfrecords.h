/* The records of one perf.data stream, one after the other, compressed ones expanded. */
#ifndef IMPORT_PERFRECORDS_H
#define IMPORT_PERFRECORDS_H

#include "import/perfbytes.h"
#include "import/perfswap.h"
#include "import/perfzstd.h"

struct perfrecord {
	struct perf_event_header h; /* in our byte order */
	const uint8_t *bytes; /* the whole record as in the file, header too, `h.size` of them */
	uint64_t offset;      /* in the file; of a compressed one, of what it was in */
};

struct perfrecords {
	struct perfbytes bytes;
	struct perfzstd *zstd;
	struct buf inner; /* expanded */
	size_t inner_at;
	bool in_inner; /* something of a compressed record is still to be had */
	uint64_t inner_offset;
	bool swap;
};

void perfrecords_init(struct perfrecords *r, int fd, uint64_t offset, uint64_t end, bool swap);
void perfrecords_deinit(struct perfrecords *r);
/* The next record, valid until the next call; ret->bytes NULL at the end. Compressed records are
 * given out too, and after each what was in it. An error names the offset; there is nothing to be
 * had after it. */
ERR_CHECK struct err *perfrecords_next(struct perfrecords *r, struct perfrecord *ret);
/* After TRACING_DATA or AUXTRACE, which announce bytes of no record: goes past them. Ends the view
 * of the record. */
ERR_CHECK struct err *perfrecords_skip_payload(struct perfrecords *r, const struct perfrecord *rec);

#endif
