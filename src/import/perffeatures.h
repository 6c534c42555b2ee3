/* Feature sections of a perf.data file, and the records that bring the same in pipe mode: host,
 * command, names of events, build-ids (tools/perf/Documentation/perf.data-file-format.txt). */
#ifndef IMPORT_PERFFEATURES_H
#define IMPORT_PERFFEATURES_H

#include "import/perfattrs.h"

enum perf_feature {
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_NRCPUS = 7,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_CLOCK_DATA = 29,
	N_PERF_FEATURES = 256,
};

struct perf_build_id {
	char *path; /* owned */
	uint8_t id[20];
	uint8_t len;
};

struct perffeatures {
	VEC(struct perf_build_id) build_ids;
	struct table by_path;
	bool swap;
};

void perffeatures_deinit(struct perffeatures *f);
/* True for the features that something here reads. */
bool perffeatures_wanted(unsigned int feature);
/* One section: into `data->meta`, `attrs` or the build-ids. False if its lengths do not fit; what
 * came before the damage is taken. */
bool perffeatures_read(struct perffeatures *f, unsigned int feature, struct cursor section,
		       struct perfattrs *attrs, struct dataset *data);
/* One entry of the build-id table, from its header on: what PERF_RECORD_HEADER_BUILD_ID is too. */
bool perffeatures_build_id(struct perffeatures *f, struct cursor entry, struct dataset *data);
/* NULL if the file says none for this path. */
const struct perf_build_id *perffeatures_find(const struct perffeatures *f, const char *path);

#endif
