/* Records that perf(1) adds to the kernel's (tools/lib/perf/include/perf/event.h), and their
 * names. */
#ifndef IMPORT_PERFTYPES_H
#define IMPORT_PERFTYPES_H

#include <stdint.h>

enum {
	PERFDATA_ATTR = 64,
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_EVENT_UPDATE = 78,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
	N_PERFDATA_TYPES = 96, /* above are none so far */
};

/* As `perf report --stats` calls it; NULL for a type that has no name yet. */
const char *perftype_name(uint32_t type);

#endif
