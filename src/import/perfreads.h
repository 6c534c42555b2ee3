/* Counters that perf reads with a sample of another event (`perf record -e '{a,b}:S'`): what each
 * counted since it was last read is the weight of its event in this sample, as perf has it. */
#ifndef IMPORT_PERFREADS_H
#define IMPORT_PERFREADS_H

#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

struct perfreads_entry {
	uint64_t id, value;
	uint32_t tid;
};

/* A zeroed struct has read nothing. Memory goes with distinct pairs of id and thread. */
struct perfreads {
	struct table table;
	VEC(struct perfreads_entry) entries;
};

void perfreads_deinit(struct perfreads *r);
/* What the counter `id` counted since it was last read; `tid`: the thread it counts, 0 if it does
 * not count each apart. A value below the one before is of a counter that began anew. */
uint64_t perfreads_since(struct perfreads *r, uint64_t id, uint32_t tid, uint64_t value);

#endif
