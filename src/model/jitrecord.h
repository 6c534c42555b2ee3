/* The records of a jitdump file (tools/perf/Documentation/jitdump-specification.txt), in which a
 * JIT compiler says what code it loaded and moved. Whoever names code and whoever walks through it
 * read them here, each what it needs. The bytes are another process's. */
#ifndef MODEL_JITRECORD_H
#define MODEL_JITRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "sample/binaries.h"

enum jitrecord_id {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_DEBUG_INFO = 2,     /* of the load that follows */
	JIT_CODE_CLOSE = 3,          /* nothing comes any more */
	JIT_CODE_UNWINDING_INFO = 4, /* of the load that follows */
};

enum {
	JITRECORD_MAGIC = 0x4a695444, /* "JiTD" as a number: tells the byte order */
	JITRECORD_HEADER_LEN = 40,    /* of the file's header, at least */
	JITRECORD_LEN = 16,           /* of what every record begins with */
};

struct jitrecord {
	uint32_t id; /* enum jitrecord_id, or one not known */
	uint64_t time_ns;
	struct cursor body;
};

struct jit_load {
	uint64_t start, end;
	uint64_t index;   /* the compiler's own number of it */
	const char *name; /* in the record */
};

struct jit_move {
	uint64_t from;
	uint64_t start, end; /* where it is now */
	uint64_t index;
};

/* By its name, "jit-123.dump": the number is what the process calls itself. */
bool jitrecord_is_dump(const struct binary *b);
/* Reads the file's header. False: not one of version 1 and of this machine's byte order.
 * *ret_arch_time: times are of a counter of the CPU. */
bool jitrecord_header(struct cursor *c, bool *ret_arch_time);
/* The ELF machine that the header at `c` names, EM_*; 0: there is no header. */
uint32_t jitrecord_machine(struct cursor c);
/* The next record, whole. False, and `c` stays, if there is none: the rest is not written yet, or
 * damage (jitrecord_wanted()). */
bool jitrecord_next(struct cursor *c, struct jitrecord *ret);
/* How long the record at `c` is; 0: not known yet; less than JITRECORD_LEN: damage. */
uint32_t jitrecord_wanted(const struct cursor *c);

/* Of a record's body; false if it makes no sense. What is left in `body` of a load is its code, as
 * far as it was written. */
bool jitrecord_load(struct cursor *body, struct jit_load *ret);
bool jitrecord_move(struct cursor *body, struct jit_move *ret);
/* The bytes of .eh_frame, which may be none: a compiler says so of code that keeps frame pointers.
 * They are as they would be at the first multiple of eight behind the code. */
bool jitrecord_unwinding(struct cursor *body, const uint8_t **ret, size_t *ret_len);

#endif
