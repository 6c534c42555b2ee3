/* Reads a recording as a stream (a file or a pipe). Takes every whole block; a damaged one is
 * skipped to the next block magic and counted (totals.damaged_blocks); a sample whose node was in
 * one gets the stack "[lost in file]" (a BINARY_KIND_TEXT binary) and is counted. A file without
 * END (killed recorder, full disk) is read to its last whole block and totals are summed here.
 * Node, thread and binary numbers given out are the dataset's: equal across dictionary restarts. */
#ifndef RECORDING_READER_H
#define RECORDING_READER_H

#include "base/diag.h"
#include "sample/dataset.h"

/* True if these first bytes of a file are a recording's (8 bytes are enough). */
bool reader_magic(const void *p, size_t len);

/* HEADER is read at once into `data`. `fd` stays the caller's and must outlive the source. Stored
 * names are in data->names after the last batch; a caller that needs them earlier in a seekable
 * file need not care: report names frames after the last batch. `diag` gets what was wrong. */
ERR_CHECK struct err *reader_open(int fd, struct dataset *data, struct diag *diag,
				  struct source **ret);

/* Fills data->codetimes before the samples they are about; only of a file that can seek, before its
 * first batch. */
ERR_CHECK struct err *reader_read_code(struct source *src);

/* One block of the file, for dumps. */
struct reader_block {
	uint64_t offset;
	const char *kind;  /* "STREAM" …; "unknown" */
	const char *codec; /* "none", "zlib", "zstd", "parts" */
	bool restart;
	uint32_t raw_len, stored_len;
};
typedef void reader_block_fn(void *ctx, const struct reader_block *block);

/* Calls `fn` for every block, HEADER at once, before what it holds is in the dataset or a batch.
 * False, and nothing done, if `src` is no recording. */
bool reader_on_block(struct source *src, reader_block_fn *fn, void *ctx);

/* Where a new SYMBOLS block may be appended: the end of the last whole block. */
uint64_t reader_end_offset(const struct source *src);

#endif
