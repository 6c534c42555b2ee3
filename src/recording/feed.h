/* Blocks from a file descriptor (a file or a pipe): every whole block, and a count of what was not
 * whole. After damage the next block magic with a right check sum is looked for. */
#ifndef RECORDING_FEED_H
#define RECORDING_FEED_H

#include "base/codec.h"
#include "base/cursor.h"
#include "base/diag.h"
#include "base/err.h"
#include "singe/recording.h"

struct block {
	uint8_t kind; /* enum singe_block_kind, or one this version does not know */
	uint8_t codec;
	uint16_t flags;
	uint32_t raw_len, stored_len;
	uint64_t offset;    /* of its magic in the file */
	struct cursor body; /* raw bytes, none for an unknown kind; valid until feed_next() */
};

struct feed {
	int fd; /* the caller's */
	struct codec_ctx *ctx;
	struct diag *diag;
	uint8_t *bytes; /* a window of the file */
	size_t at, len; /* unread part of the window: [at, len) */
	uint64_t base;  /* file offset of bytes[0] */
	bool eof;
	bool gap; /* looking for the next block */
	uint8_t *raw;
	uint64_t end_offset; /* after the last whole block */
	uint64_t damaged;
	uint64_t wasted; /* bytes of bodies that failed their check sum */
};

void feed_init(struct feed *f, int fd, struct diag *diag);
void feed_deinit(struct feed *f);
/* Fails if this is no recording, or of a version that cannot be read. */
ERR_CHECK struct err *feed_file_header(struct feed *f);
/* The next whole block; `*ret_end` is true, and `ret` untouched, at the end of the file. Fails only
 * if reading does. */
ERR_CHECK struct err *feed_next(struct feed *f, struct block *ret, bool *ret_end);
/* The next whole block of one kind, without reading others; only in a file that can seek. The
 * descriptor's position is anywhere afterwards. */
ERR_CHECK struct err *feed_find(struct feed *f, enum singe_block_kind kind, struct block *ret,
				bool *ret_end);
/* Counts the block as damaged after all: its check sum is right, its contents are not. */
void feed_damage(struct feed *f, uint64_t offset, const char *what);

#endif
