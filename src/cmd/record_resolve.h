/* Names for the places that were hit, found after the recording by a child of its own, so that
 * neither a damaged file among the targets' nor an impatient user can harm the recording. */
#ifndef CMD_RECORD_RESOLVE_H
#define CMD_RECORD_RESOLVE_H

#include "capture/session.h"
#include "profile/calltree.h"

enum { RESOLVED_CUTS = 32 };

struct record_resolved {
	bool done;        /* everything was looked up */
	bool interrupted; /* a signal ended it; what was named is kept */
	uint64_t places, named;
	uint64_t complete; /* samples whose stack ends in start code or in the kernel */
	uint64_t stacks;   /* samples looked at for that */
	struct cut_binary cuts[RESOLVED_CUTS]; /* those of the others that weigh most, heaviest
						  first */
	uint32_t n_cuts;
};

/* Appends SYMBOLS through `w`, whose file must be flushed. The child prints its diagnostics. */
ERR_CHECK struct err *record_resolve(struct session *s, struct writer *w, bool verbose, bool quiet,
				     struct record_resolved *ret);

/* What can be said of the stacks with the names there are. Those that were walked need none. */
void record_judge(const struct session *s, struct record_resolved *ret);

#endif
