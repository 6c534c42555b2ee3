/* The maps that JIT compilers leave of their code, /tmp/perf-PID.map (perf's "jit-interface"
 * document): found while the process lives, by its own number for itself in its own mount
 * namespace, and taken only if it is the process's own. The file may be there later than the code:
 * asked again after the process's end, what is known of it helps. */
#ifndef CAPTURE_JITMAPS_H
#define CAPTURE_JITMAPS_H

#include <sys/types.h>

#include "capture/opener.h"

struct jitprocess {
	uint32_t pid;
	uint32_t inner_pid; /* in its innermost pid namespace */
	uid_t uid;
	int root_fd; /* of its own mount namespace; -1: ours */
};

struct jitmaps {
	VEC(struct jitprocess) v;
};

/* Opens what there is now. Fails with ENOENT if there is none (yet), EPERM if it is another's. */
ERR_CHECK struct err *jitmaps_open(struct jitmaps *j, struct opener *o, uint32_t pid, int *ret_fd);
void jitmaps_deinit(struct jitmaps *j);

#endif
