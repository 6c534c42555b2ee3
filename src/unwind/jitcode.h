/* What a JIT compiler's dump says of unwinding, by address: the newest code at an address counts.
 * Comes in batches, as the dump grows: they are put in order by whoever reads it (jitreader.h), so
 * that taking one in is a single pass. */
#ifndef UNWIND_JITCODE_H
#define UNWIND_JITCODE_H

#include "base/buf.h"
#include "base/vec.h"
#include "unwind/cfi.h"

/* Code as it was loaded or moved; other code may lie in its place, or in part of it, since. */
struct jitcode_entry {
	uint64_t start, end;
	uint32_t batch;    /* whose bytes hold its .eh_frame */
	uint32_t off, len; /* there; len 0: none */
};

/* A range of addresses, and the newest code there. */
struct jitcode_piece {
	uint64_t start, end;
	uint32_t entry; /* index into the batch's entries */
};
typedef VEC(struct jitcode_piece) jitcode_pieces;

struct jitcode_batch {
	VEC(struct jitcode_entry) entries; /* in order of the file */
	jitcode_pieces pieces;             /* jitcode_batch_order() makes them */
	struct buf bytes;
	uint32_t number; /* of those of the dump that have bytes, from 0 on */
	bool may_unwind; /* there is .eh_frame in the dump, or nothing that could have had any */
};

void jitcode_batch_deinit(struct jitcode_batch *b);
/* After the last entry. */
void jitcode_batch_order(struct jitcode_batch *b);

struct jitcode;

struct jitcode *jitcode_create(const struct arch *arch);
void jitcode_destroy(struct jitcode *j);
/* The next batch; *b is emptied. Ignored if it is not the next. */
void jitcode_take(struct jitcode *j, struct jitcode_batch *b);

enum jitcode_find {
	JITCODE_UNKNOWN, /* the dump has no such code, so far */
	JITCODE_BARE,    /* it says nothing of how to unwind it that a row can hold */
	JITCODE_ROW,
};

/* The row at an address. */
enum jitcode_find jitcode_row(struct jitcode *j, uint64_t avma, struct row *ret);
/* False if no row is to be expected of this dump. */
bool jitcode_may_unwind(const struct jitcode *j);

#endif
