/* A perf.data file, in file mode, that perf(1) and hotspot read. Samples have time, process,
 * thread, CPU, period and call chain; frames are addresses again, by the mappings of their process.
 * A place whose mapping is not known gets one made up for it, where nothing else is.
 *
 * Names do not travel: perf looks them up in the files, by build-id. Frames that a text named have
 * no address and become 0 (perfwrite_n_unplaced()). */
#ifndef IMPORT_PERFWRITE_H
#define IMPORT_PERFWRITE_H

#include "base/err.h"
#include "sample/dataset.h"

struct perfwrite;

/* `data` (whose events must be complete) and `fd`, an empty file that can seek, must outlive it. */
ERR_CHECK struct err *perfwrite_create(int fd, const struct dataset *data, struct perfwrite **ret);
void perfwrite_destroy(struct perfwrite *w);
/* In order of effect. Processes and threads are written with their threads_number(): perf.data
 * knows no origins. */
void perfwrite_event(struct perfwrite *w, const struct proc_event *e);
ERR_CHECK struct err *perfwrite_sample(struct perfwrite *w, const struct sample *s);
ERR_CHECK struct err *perfwrite_end(struct perfwrite *w);
uint64_t perfwrite_n_unplaced(const struct perfwrite *w);

DEFINE_CLEANUP(struct perfwrite *, perfwrite_destroy);

#endif
