/* Records of a perf.data file in their order → samples: drives the world and the unwinder, and
 * gathers batches. */
#ifndef IMPORT_PERFAPPLY_H
#define IMPORT_PERFAPPLY_H

#include "base/diag.h"
#include "import/kept.h"
#include "import/perfattrs.h"
#include "import/perffeatures.h"
#include "import/perflbr.h"
#include "import/perfreads.h"
#include "model/world.h"
#include "unwind/unwinder.h"

struct perfapply {
	struct dataset *data;
	struct diag *diag;
	const struct perfattrs *attrs;
	const struct perffeatures *features;
	struct world *world;
	struct unwinder *unwinder; /* made with the first sample */
	enum unwind_engine engine;
	kept_open_fn *open; /* NULL: there are no files */
	void *open_ctx;
	struct perflbr lbr;
	struct perfreads reads;

	VEC(struct sample) samples;
	VEC(struct proc_event) events;
	struct intern comms; /* what events point to */

	uint64_t at_ns;             /* time of the record being applied */
	uint64_t lost, lost_counts; /* by LOST records; by LOST_SAMPLES */
};

/* `data`, `attrs` and `features` must outlive it; they may grow. */
void perfapply_init(struct perfapply *a, struct dataset *data, const struct perfattrs *attrs,
		    const struct perffeatures *features, struct diag *diag);
void perfapply_deinit(struct perfapply *a);
/* Empties the batch. */
void perfapply_begin(struct perfapply *a);
/* One record of the kernel's, aligned and in our byte order. `attr` NULL: its id is nobody's. An
 * error is a record that holds less than it says; nothing of it was used. */
ERR_CHECK struct err *perfapply_record(struct perfapply *a, const struct perfattr *attr,
				       const struct perf_event_header *h);

#endif
