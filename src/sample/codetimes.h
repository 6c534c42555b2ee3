/* Places whose code was replaced while it was recorded: JIT compilers use an address again. From
 * some time on such a place is another place, whose binary differs: a "generation" of the binary
 * that samples were recorded in (binaries_generation()), with names of its own. So one address at
 * two times is two frames, and everything behind the samples need not know of time.
 *
 * A zeroed struct is an empty table. */
#ifndef SAMPLE_CODETIMES_H
#define SAMPLE_CODETIMES_H

#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

struct codetime {
	uint64_t from_ns; /* the samples' clock */
	uint32_t binary;  /* what the place is of from then on, at the same offset */
};

struct codetimes_entry {
	uint64_t off; /* names_key() of a frame */
	uint32_t binary;
	uint32_t first, n; /* in `times`; n is at least 1 */
};

struct codetimes {
	VEC(struct codetimes_entry) entries;
	VEC(struct codetime) times;
	struct table table;
};

void codetimes_deinit(struct codetimes *c);
/* `times` (copied) in ascending order; a later call for the same place replaces an earlier one. */
void codetimes_set(struct codetimes *c, uint32_t binary, uint64_t off, const struct codetime *times,
		   uint32_t n);
/* NULL: the place is the same all the time. Valid until the next codetimes_set(). */
const struct codetimes_entry *codetimes_find(const struct codetimes *c, uint32_t binary,
					     uint64_t off);
/* The binary of a place at a time: `binary` itself before the first change. */
uint32_t codetimes_at(const struct codetimes *c, uint32_t binary, uint64_t off, uint64_t time_ns);

#endif
