/* Bodies of SYMBOLS blocks. Each stands alone: it brings its own strings and binaries. */
#ifndef RECORDING_SYMBOLS_H
#define RECORDING_SYMBOLS_H

#include "base/buf.h"
#include "base/err.h"
#include "sample/dataset.h"

/* Raw bytes at which a block is closed. */
enum { SYMBOLS_FULL = 256 << 10 };

/* As many entries of data->names, from `*from` on, as one block holds; moves `*from`. */
void symbols_write(struct buf *b, const struct dataset *data, const struct names *names,
		   size_t *from);

/* Maps a binary as described in a block to one of the dataset. */
typedef uint32_t symbols_binary_fn(void *ctx, const struct binary *like);
ERR_CHECK struct err *symbols_read(struct cursor c, struct names *names, symbols_binary_fn *binary,
				   void *ctx);

#endif
