/* Bodies of SYMBOLS blocks. Each stands alone: it brings its own strings and binaries. */
#ifndef RECORDING_SYMBOLS_H
#define RECORDING_SYMBOLS_H

#include "base/buf.h"
#include "base/err.h"
#include "recording/blockbinaries.h"
#include "sample/dataset.h"

/* Raw bytes at which a block is closed. */
enum { SYMBOLS_FULL = 256 << 10 };

/* As many entries of data->names, from `*from` on, as one block holds; moves `*from`. */
void symbols_write(struct buf *b, const struct dataset *data, const struct names *names,
		   size_t *from);

/* `binary` maps a binary as described in the block to one of the dataset. */
ERR_CHECK struct err *symbols_read(struct cursor c, struct names *names, blockbinaries_fn *binary,
				   void *ctx);

#endif
