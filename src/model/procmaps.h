/* Processes' mappings of code at the time of a sample, from the changes that samples come with. A
 * process is named as threads_process() does. */
#ifndef MODEL_PROCMAPS_H
#define MODEL_PROCMAPS_H

#include "model/addrspace.h"
#include "sample/dataset.h"

struct procmaps;

/* `binaries`, which may grow, are those that the changes name. */
struct procmaps *procmaps_create(const struct binaries *binaries);
void procmaps_destroy(struct procmaps *m);

/* In the order in which changes took effect; the binary of a PROC_MMAP must be one of the binaries.
 * Only PROC_MMAP, PROC_FORK and a PROC_COMM of exec change anything: what has ended keeps its
 * mappings, for a sample may follow its EXIT. */
void procmaps_apply(struct procmaps *m, const struct proc_event *e);
/* Empty if nothing is known of it. Valid until the next change. */
const struct addrspace *procmaps_space(struct procmaps *m, uint64_t process);
/* True if its compiler has written a jitdump: the dump is mapped, to be found. */
bool procmaps_dumps_code(struct procmaps *m, uint64_t process);
/* Where byte `off` of file `binary` is in the process: the address in the newest mapping of it that
 * nothing has taken the place of. False if there is none. */
bool procmaps_avma(struct procmaps *m, uint64_t process, uint32_t binary, uint64_t off,
		   uint64_t *ret);

DEFINE_CLEANUP(struct procmaps *, procmaps_destroy);

#endif
