/* Bodies of CODE blocks: which code was at a place from when on (sample/codetimes.h). Each stands
 * alone and brings its own binaries. */
#ifndef RECORDING_CODEBLOCK_H
#define RECORDING_CODEBLOCK_H

#include "base/buf.h"
#include "base/err.h"
#include "recording/blockbinaries.h"

/* As many entries of data->codetimes, from `*from` on, as one block holds; moves `*from`. */
void codeblock_write(struct buf *b, const struct dataset *data, size_t *from);
/* `binary` maps a binary as described in the block to one of the dataset. */
ERR_CHECK struct err *codeblock_read(struct cursor c, struct codetimes *ret,
				     blockbinaries_fn *binary, void *ctx);

#endif
