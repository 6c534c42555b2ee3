/* Blocks to a file descriptor: compress, check sum, one write. */
#ifndef RECORDING_SINK_H
#define RECORDING_SINK_H

#include "base/buf.h"
#include "base/codec.h"
#include "base/err.h"
#include "singe/recording.h"

enum { PARTS_CUTS_MAX = 6 };

/* Raw bytes of a block, cut where what follows is of another nature: each part gets Huffman codes
 * of its own, and noise is not compressed at all. */
struct parts {
	struct buf raw;
	size_t cuts[PARTS_CUTS_MAX];
	unsigned int n_cuts;
};

void parts_reset(struct parts *b);
void parts_cut(struct parts *b);
void parts_deinit(struct parts *b);

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
				 const struct parts *parts);
ERR_CHECK struct err *sink_file_header(struct sink *s);

#endif
