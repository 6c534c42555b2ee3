/* The binaries that a block which stands alone (SYMBOLS, CODE) brings along, numbered in the order
 * in which it first names them. */
#ifndef RECORDING_BLOCKBINARIES_H
#define RECORDING_BLOCKBINARIES_H

#include "base/buf.h"
#include "base/cursor.h"
#include "base/vec.h"
#include "sample/dataset.h"

/* Storage of the caller's; begins as { .all = … }. */
struct blockbinaries {
	const struct binaries *all;
	struct buf records;   /* what the block holds */
	VEC(uint32_t) number; /* by number in `all`: number in the block plus one; 0: not in it */
	uint32_t n;
};

/* The block's number of binary `id`, which it now holds. */
uint32_t blockbinaries_add(struct blockbinaries *b, uint32_t id);
void blockbinaries_deinit(struct blockbinaries *b);

/* Maps a binary as described in a block to one of the dataset. */
typedef uint32_t blockbinaries_fn(void *ctx, const struct binary *like);

/* By number in the block: what the reader calls the binary. Storage of the caller's, empty at first
 * and released by vec_deinit(). */
struct blockbinaries_ids {
	VEC(uint32_t);
};

/* False if the records are damaged; then `ret` has those before the damage. */
bool blockbinaries_read(struct cursor records, blockbinaries_fn *find, void *ctx,
			struct blockbinaries_ids *ret);

#endif
