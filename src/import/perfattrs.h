/* The events of a perf.data file: their attrs, the ids their records carry, and which event a
 * record is of. */
#ifndef IMPORT_PERFATTRS_H
#define IMPORT_PERFATTRS_H

#include "import/perfswap.h"
#include "sample/dataset.h"

struct perfattr {
	struct perf_event_attr attr;
	struct record_layout layout;
	char *name;     /* owned; NULL: the file does not say */
	uint32_t event; /* in dataset.events; UINT32_MAX: it takes no samples */
};

struct perfid {
	uint64_t id;
	uint32_t attr;
};

struct perfattrs {
	VEC(struct perfattr) v;
	VEC(struct perfid) ids;
	struct table by_id;
	bool swap;
};

void perfattrs_deinit(struct perfattrs *a);
/* The number of the new one. */
uint32_t perfattrs_add(struct perfattrs *a, const uint8_t *attr, size_t len);
void perfattrs_add_id(struct perfattrs *a, uint32_t attr, uint64_t id);
/* UINT32_MAX if nobody has it. */
uint32_t perfattrs_by_id(const struct perfattrs *a, uint64_t id);
void perfattrs_set_name(struct perfattrs *a, uint32_t attr, const char *name);

/* Makes dataset.events of what has no event yet. To be called before the first sample. */
void perfattrs_describe(struct perfattrs *a, struct dataset *data);

/* What a record of the kernel's is of, its header in our order and its body as in the file. NULL:
 * its id is nobody's. */
const struct perfattr *perfattrs_of(const struct perfattrs *a, const struct perf_event_header *h);

#endif
