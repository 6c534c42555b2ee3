/* Stacks that the CPU kept itself: `perf record --call-graph lbr` has it remember the calls that
 * have not returned (Intel's last branch records), at most 8 to 32 of them. */
#ifndef IMPORT_PERFLBR_H
#define IMPORT_PERFLBR_H

#include <linux/perf_event.h>

#include "base/vec.h"
#include "sample/rawevent.h"

struct perflbr {
	VEC(uint64_t) words;
};

void perflbr_deinit(struct perflbr *l);
/* Whether the branches of samples of this event are calls that have not returned. */
bool perflbr_has_calls(const struct perf_event_attr *attr);
/* Puts those calls in the place of the user part of the sample's chain, as perf does. What the
 * chain points to is l's then, until the next call. Samples without such calls, or without a user
 * part, stay as they are. */
void perflbr_chain(struct perflbr *l, struct raw_sample *s);

#endif
