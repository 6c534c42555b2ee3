/* In: blocks of bytes. Out: the same smaller, or back again, checked for exact length. */
#include "base/codec.h"

#include "config.h"

#include <string.h>
#include <zlib.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"

struct codec_ctx {
#ifdef HAVE_LIBDEFLATE
	struct libdeflate_compressor *deflate;
	struct libdeflate_decompressor *inflate;
#endif
#ifdef HAVE_LIBZSTD
	ZSTD_CCtx *zstd_out;
	ZSTD_DCtx *zstd_in;
#endif
	char unused; /* a build with neither still has a context */
};

static const char *const codec_names[] = {
	[CODEC_NONE] = "none",
	[CODEC_ZLIB] = "zlib",
	[CODEC_ZSTD] = "zstd",
};

enum { N_CODECS = sizeof(codec_names) / sizeof(codec_names[0]) };

bool codec_available(enum codec codec)
{
#ifdef HAVE_LIBZSTD
	return (unsigned int)codec < N_CODECS;
#else
	return codec == CODEC_NONE || codec == CODEC_ZLIB;
#endif
}

const char *codec_name(enum codec codec)
{
	return (unsigned int)codec < N_CODECS ? codec_names[codec] : "unknown";
}

static struct err *codec_missing(enum codec codec)
{
	return err_new(
		"this build of singe has no %s support; install libzstd-dev and configure again",
		codec_name(codec));
}

struct err *codec_parse(const char *name, enum codec *ret)
{
	for (unsigned int i = 0; i < N_CODECS; i++) {
		if (strcmp(name, codec_names[i]) != 0)
			continue;
		if (!codec_available(i))
			return codec_missing(i);
		*ret = i;
		return NULL;
	}
	return err_new("'%s' is no compression; choose none, zlib or zstd", name);
}

struct codec_ctx *codec_ctx_create(void)
{
	return xcalloc(1, sizeof(struct codec_ctx));
}

void codec_ctx_destroy(struct codec_ctx *ctx)
{
	if (!ctx)
		return;
#ifdef HAVE_LIBDEFLATE
	libdeflate_free_compressor(ctx->deflate);
	libdeflate_free_decompressor(ctx->inflate);
#endif
#ifdef HAVE_LIBZSTD
	ZSTD_freeCCtx(ctx->zstd_out);
	ZSTD_freeDCtx(ctx->zstd_in);
#endif
	free(ctx);
}

#ifdef HAVE_LIBDEFLATE
static struct err *zlib_compress(struct codec_ctx *ctx, const struct buf *raw, struct buf *ret)
{
	if (!ctx->deflate && !(ctx->deflate = libdeflate_alloc_compressor(1)))
		return err_new("out of memory for the compressor");
	size_t bound = libdeflate_zlib_compress_bound(ctx->deflate, raw->len);

	buf_room(ret, bound);
	size_t n = libdeflate_zlib_compress(ctx->deflate, raw->data, raw->len, ret->data + ret->len,
					    bound);
	if (!n)
		return err_new("libdeflate could not compress %zu bytes", raw->len);
	ret->len += n;
	return NULL;
}

static struct err *zlib_expand(struct codec_ctx *ctx, struct cursor stored, uint8_t *raw,
			       size_t raw_len)
{
	size_t used = 0;
	size_t n = 0;

	if (!ctx->inflate && !(ctx->inflate = libdeflate_alloc_decompressor()))
		return err_new("out of memory for the decompressor");
	enum libdeflate_result r = libdeflate_zlib_decompress_ex(
		ctx->inflate, stored.p, cursor_left(&stored), raw, raw_len, &used, &n);
	if (r != LIBDEFLATE_SUCCESS || n != raw_len)
		return err_new("damaged zlib data");
	return NULL;
}
#else
static struct err *zlib_compress(struct codec_ctx *ctx, const struct buf *raw, struct buf *ret)
{
	(void)ctx;
	uLongf n = compressBound(raw->len);

	buf_room(ret, n);
	if (compress2(ret->data + ret->len, &n, raw->data, raw->len, 1) != Z_OK)
		return err_new("zlib could not compress %zu bytes", raw->len);
	ret->len += n;
	return NULL;
}

static struct err *zlib_expand(struct codec_ctx *ctx, struct cursor stored, uint8_t *raw,
			       size_t raw_len)
{
	(void)ctx;
	uLongf n = raw_len;

	if (uncompress(raw, &n, stored.p, cursor_left(&stored)) != Z_OK || n != raw_len)
		return err_new("damaged zlib data");
	return NULL;
}
#endif

#ifdef HAVE_LIBZSTD
static struct err *zstd_compress(struct codec_ctx *ctx, const struct buf *raw, struct buf *ret)
{
	if (!ctx->zstd_out && !(ctx->zstd_out = ZSTD_createCCtx()))
		return err_new("out of memory for the compressor");
	size_t bound = ZSTD_compressBound(raw->len);

	buf_room(ret, bound);
	size_t n = ZSTD_compressCCtx(ctx->zstd_out, ret->data + ret->len, bound, raw->data,
				     raw->len, 1);
	if (ZSTD_isError(n))
		return err_new("zstd: %s", ZSTD_getErrorName(n));
	ret->len += n;
	return NULL;
}

static struct err *zstd_expand(struct codec_ctx *ctx, struct cursor stored, uint8_t *raw,
			       size_t raw_len)
{
	if (!ctx->zstd_in && !(ctx->zstd_in = ZSTD_createDCtx()))
		return err_new("out of memory for the decompressor");
	size_t n = ZSTD_decompressDCtx(ctx->zstd_in, raw, raw_len, stored.p, cursor_left(&stored));

	if (ZSTD_isError(n))
		return err_new("damaged zstd data: %s", ZSTD_getErrorName(n));
	return n == raw_len ? NULL : err_new("damaged zstd data");
}
#else
static struct err *zstd_compress(struct codec_ctx *ctx, const struct buf *raw, struct buf *ret)
{
	(void)ctx, (void)raw, (void)ret;
	return codec_missing(CODEC_ZSTD);
}

static struct err *zstd_expand(struct codec_ctx *ctx, struct cursor stored, uint8_t *raw,
			       size_t raw_len)
{
	(void)ctx, (void)stored, (void)raw, (void)raw_len;
	return codec_missing(CODEC_ZSTD);
}
#endif

struct err *codec_compress(struct codec_ctx *ctx, enum codec codec, const struct buf *raw,
			   struct buf *ret)
{
	switch (codec) {
	case CODEC_NONE:
		buf_bytes(ret, raw->data, raw->len);
		return NULL;
	case CODEC_ZLIB:
		return zlib_compress(ctx, raw, ret);
	case CODEC_ZSTD:
		return zstd_compress(ctx, raw, ret);
	}
	return err_new("unknown compression %d", codec);
}

struct err *codec_expand(struct codec_ctx *ctx, enum codec codec, struct cursor stored,
			 uint8_t *raw, size_t raw_len)
{
	switch (codec) {
	case CODEC_NONE:
		if (cursor_left(&stored) != raw_len)
			return err_new("stored and raw length differ in an uncompressed block");
		if (raw_len)
			memcpy(raw, stored.p, raw_len);
		return NULL;
	case CODEC_ZLIB:
		return zlib_expand(ctx, stored, raw, raw_len);
	case CODEC_ZSTD:
		return zstd_expand(ctx, stored, raw, raw_len);
	}
	return err_new("unknown compression %d", codec);
}

uint32_t codec_crc32(const void *p, size_t len)
{
#ifdef HAVE_LIBDEFLATE
	return libdeflate_crc32(0, p, len);
#else
	return (uint32_t)crc32_z(0, p, len);
#endif
}

#ifdef HAVE_LIBDEFLATE
struct err *codec_gzip(const struct buf *raw, struct buf *ret)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(8);

	if (!c)
		return err_new("out of memory for the compressor");
	size_t bound = libdeflate_gzip_compress_bound(c, raw->len);

	buf_room(ret, bound);
	size_t n = libdeflate_gzip_compress(c, raw->data, raw->len, ret->data + ret->len, bound);

	libdeflate_free_compressor(c);
	if (!n)
		return err_new("libdeflate could not compress %zu bytes", raw->len);
	ret->len += n;
	return NULL;
}
#else
struct err *codec_gzip(const struct buf *raw, struct buf *ret)
{
	enum { GZIP_WINDOW = 15 + 16, MEM_LEVEL = 9, STEP = 1 << 30 };
	z_stream z = { 0 };
	size_t given = 0;
	int status = deflateInit2(&z, 6, Z_DEFLATED, GZIP_WINDOW, MEM_LEVEL, Z_DEFAULT_STRATEGY);

	for (z.next_in = raw->data; status == Z_OK;) {
		size_t left = raw->len - given;

		buf_room(ret, 1 << 16);
		size_t room = ret->cap - ret->len < STEP ? ret->cap - ret->len : STEP;
		uInt in = left < STEP ? (uInt)left : STEP;

		z.avail_in = in;
		z.next_out = ret->data + ret->len;
		z.avail_out = (uInt)room;
		status = deflate(&z, in == left ? Z_FINISH : Z_NO_FLUSH);
		given += in - z.avail_in;
		ret->len += room - z.avail_out;
	}
	deflateEnd(&z);
	return status == Z_STREAM_END ? NULL : err_new("zlib could not compress: %d", status);
}
#endif
