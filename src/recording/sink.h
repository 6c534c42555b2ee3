/* Blocks to a file descriptor: compress, check sum, one write. */
#ifndef RECORDING_SINK_H
#define RECORDING_SINK_H

#include "base/buf.h"
#include "base/codec.h"
#include "base/err.h"
#include "singe/recording.h"

struct sink {
	int fd; /* the caller's */
	enum codec codec;
	struct codec_ctx *ctx;
	struct buf out;
	uint64_t written; /* bytes of whole blocks (and the file header) */
};

void sink_init(struct sink *s, int fd, enum codec codec);
void sink_deinit(struct sink *s);
/* All of it, through EINTR, short writes and a pipe that is full for now. */
ERR_CHECK struct err *sink_write(struct sink *s, const void *p, size_t len);
/* Where the block does not fit (disk full, file size limit), a regular file is cut back to the end
 * of the last whole block, so that a smaller block may still follow. */
ERR_CHECK struct err *sink_block(struct sink *s, enum singe_block_kind kind, uint16_t flags,
				 const struct buf *raw);
ERR_CHECK struct err *sink_file_header(struct sink *s);

#endif
