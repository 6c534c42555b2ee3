/* Compression. zlib format is what every build reads and the default for writing (through
 * libdeflate where the build has it, else zlib); zstd where the build has it. */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* The numbers are those of the recording format. */
enum codec {
	CODEC_NONE = 0,
	CODEC_ZLIB = 1,
	CODEC_ZSTD = 2,
};

bool codec_available(enum codec codec);
/* "none", "zlib", "zstd". */
const char *codec_name(enum codec codec);
ERR_CHECK struct err *codec_parse(const char *name, enum codec *ret);

/* Keeps the libraries' contexts between calls. */
struct codec_ctx;
struct codec_ctx *codec_ctx_create(void);
void codec_ctx_destroy(struct codec_ctx *ctx);

/* Appends the compressed form of `raw` to `ret`. Level 1, the fast one. */
ERR_CHECK struct err *codec_compress(struct codec_ctx *ctx, enum codec codec, const struct buf *raw,
				     struct buf *ret);
/* Expands to exactly `raw_len` bytes at `raw`; anything else is an error. */
ERR_CHECK struct err *codec_expand(struct codec_ctx *ctx, enum codec codec, struct cursor stored,
				   uint8_t *raw, size_t raw_len);

/* Appends `raw` as one gzip member (RFC 1952), packed well rather than fast. */
ERR_CHECK struct err *codec_gzip(const struct buf *raw, struct buf *ret);

/* CRC-32 as in zlib (RFC 1952, section 8). */
uint32_t codec_crc32(const void *p, size_t len);

DEFINE_CLEANUP(struct codec_ctx *, codec_ctx_destroy);

#endif
