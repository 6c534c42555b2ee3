/* Where a kept sample's frames lay in its process: addresses as run from offsets in files. */
#ifndef PROFILE_KEPTAVMA_H
#define PROFILE_KEPTAVMA_H

#include "model/procmaps.h"
#include "profile/profile.h"

struct keptavma {
	const struct profile *profile;
	struct procmaps *maps; /* at the sample under way */
	uint64_t process;      /* threads_process() of the sample under way */
	size_t n_changes;      /* taken so far */
	uint32_t *same;        /* binaries_same() */
};

void keptavma_init(struct keptavma *k, const struct profile *p);
void keptavma_deinit(struct keptavma *k);
/* What follows is about sample `i` of profile->kept, no earlier one than before. */
void keptavma_at(struct keptavma *k, size_t i);
/* The address of a frame at `off` in `binary` (binaries_same()). False if it is not known: no
 * mapping covers it, or the data are text, which has names and no places. */
bool keptavma_get(struct keptavma *k, uint32_t binary, uint64_t off, uint64_t *ret);

#endif
