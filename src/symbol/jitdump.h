/* jitdump files (tools/perf/Documentation/jitdump-specification.txt): what a JIT compiler loaded
 * and moved, with time, code bytes and lines. */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

struct jitdump_line {
	uint64_t addr;    /* from here on */
	const char *file; /* in the file's bytes; NULL: not known */
	uint32_t line;
};

struct jitdump_code {
	uint64_t start, end;
	uint64_t from_ns;     /* when it was loaded or moved here */
	uint64_t index;       /* the compiler's own number of it */
	const char *name;     /* in the file's bytes */
	uint32_t first, n;    /* in `lines`, in order of address */
	uint64_t lines_start; /* what the addresses of the lines are relative to */
};

struct jitdump {
	struct buf bytes;
	VEC(struct jitdump_code) code; /* in order of the file */
	VEC(struct jitdump_line) lines;
};

/* True if `fd` begins as a jitdump of this machine's byte order does. */
bool jitdump_is(int fd);
/* Reads all of `fd`, which stays the caller's. A tail that was not written to its end is left out.
 */
ERR_CHECK struct err *jitdump_read(int fd, struct jitdump *ret);
void jitdump_deinit(struct jitdump *d);

/* For each of `n` addresses in ascending order the code that was there: its index, or NONE; SEVERAL
 * where functions of different names were there at different times. */
enum { JITDUMP_NONE = UINT32_MAX, JITDUMP_SEVERAL = UINT32_MAX - 1 };
void jitdump_find(const struct jitdump *d, const uint64_t *addrs, size_t n, uint32_t *ret);
/* NULL if the line is not known. */
const struct jitdump_line *jitdump_line(const struct jitdump *d, const struct jitdump_code *code,
					uint64_t addr);

#endif
