/* The parts of a perf.data file around its records: header and attrs before, features behind
 * (tools/perf/Documentation/perf.data-file-format.txt). */
#ifndef IMPORT_PERFSECTIONS_H
#define IMPORT_PERFSECTIONS_H

#include "base/buf.h"
#include "sample/dataset.h"

enum { PERFSECTIONS_HEAD_LEN = 104, PERFSECTIONS_FIRST_ID = 1 };

/* Room for the header, then ids and attrs: event i has the id PERFSECTIONS_FIRST_ID + i. Returns
 * where the records begin. */
uint64_t perfsections_head(const struct dataset *data, uint64_t sample_type, struct buf *to);
/* The features, for a file whose records end at `data_end`; and the header, but for
 * perfsections_set_data(). */
void perfsections_tail(const struct dataset *data, uint64_t first_ns, uint64_t last_ns,
		       uint64_t data_end, struct buf *to, uint8_t head[PERFSECTIONS_HEAD_LEN]);
void perfsections_set_data(uint8_t head[PERFSECTIONS_HEAD_LEN], uint64_t off, uint64_t len);

#endif
