/* jitdump files (model/jitrecord.h) for names: what a JIT compiler loaded and moved, with time and
 * lines. What they say of unwinding is the recorder's (unwind/jitcode.h). */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/table.h"
#include "base/vec.h"

struct jitdump_line {
	uint64_t addr;    /* from here on */
	const char *file; /* in the file's bytes; NULL: not known */
	uint32_t line;
	uint32_t seq; /* in its record */
};

struct jitdump_code {
	uint64_t start, end;
	uint64_t from_ns;     /* when it was loaded or moved here */
	uint64_t index;       /* the compiler's own number of it */
	const char *name;     /* in the file's bytes */
	const uint8_t *bytes; /* the same, from start to end; NULL: not in the file */
	uint32_t first, n;    /* in `lines`, in order of address */
	uint64_t lines_start; /* what the addresses of the lines are relative to */
};

struct jitdump {
	struct buf bytes;
	uint32_t machine;              /* EM_* */
	VEC(struct jitdump_code) code; /* in order of the file */
	VEC(struct jitdump_line) lines;
	VEC(uint32_t) loaded;  /* for moves: codes, the last of each (start, index) */
	struct table by_start; /* (start, index) → number in `loaded` */
	bool arch_time;        /* times are of a counter of the CPU, of which we know nothing */
};

/* True if `fd` begins as a jitdump of this machine's byte order does. */
bool jitdump_is(int fd);
/* Reads all of `fd`, which stays the caller's. A tail that was not written to its end is left out.
 */
ERR_CHECK struct err *jitdump_read(int fd, struct jitdump *ret);
void jitdump_deinit(struct jitdump *d);

/* When samples were taken. */
struct jitdump_span {
	uint64_t first_ns, last_ns;
};

/* False if the file's times are of another clock than CLOCK_MONOTONIC, as far as can be told: it
 * says so, or everything in it was loaded long after the last sample. */
bool jitdump_has_times(const struct jitdump *d, const struct jitdump_span *span);

/* An address became `code` at a time. */
struct jitdump_change {
	uint32_t addr; /* index into the addresses asked for */
	uint32_t code; /* index into `code` */
	uint64_t from_ns;
};
typedef VEC(struct jitdump_change) jitdump_changes;

/* No more changes than this are given for one address: the latest. */
enum { JITDUMP_CHANGES_MAX = 1024 };

/* For `n` addresses in ascending order what was there during the span, in order of address and
 * time; the first change may lie before the span. `span` NULL: what was there last. */
void jitdump_find(const struct jitdump *d, const uint64_t *addrs, size_t n,
		  const struct jitdump_span *span, jitdump_changes *ret);
/* NULL if the line is not known. */
const struct jitdump_line *jitdump_line(const struct jitdump *d, const struct jitdump_code *code,
					uint64_t addr);

#endif
