/* /tmp/perf-PID.map: "START SIZE NAME" a line, numbers hexadecimal, the name whatever follows
 * (perf's "jit-interface" document). Code moves and is written anew without any time in the file:
 * of several entries over an address the last counts, for the whole recording. */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct perfmap_entry {
	uint64_t start, end;
	uint32_t name, name_len; /* in `text` */
};

struct perfmap {
	char *text;
	VEC(struct perfmap_entry) v; /* in order of the file */
};

/* Reads all of `fd`, which stays the caller's. Lines that make no sense, and a last one without an
 * end, are skipped. */
ERR_CHECK struct err *perfmap_read(int fd, struct perfmap *ret);
void perfmap_deinit(struct perfmap *m);
/* The entry for each of `n` addresses in ascending order: `ret[i]` is its index, UINT32_MAX: none.
 */
void perfmap_find(const struct perfmap *m, const uint64_t *addrs, size_t n, uint32_t *ret);

#endif
