/* What a recording holds that this build has no name for, because a later one wrote it. */
#ifndef RECORDING_NEWER_H
#define RECORDING_NEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum newer_what { NEWER_BLOCK, NEWER_COLUMN, NEWER_EVENT, N_NEWER };

enum { NEWER_MAX = 8 };

struct newer {
	struct newer_list {
		uint64_t numbers[NEWER_MAX];
		uint32_t n;
		bool more;
	} of[N_NEWER];
};

/* Notes each number once, and of more than NEWER_MAX only that there are more. */
void newer_add(struct newer *n, enum newer_what what, uint64_t number);
/* One warning, if there was anything. */
void newer_report(const struct newer *n, struct diag *diag);

#endif
