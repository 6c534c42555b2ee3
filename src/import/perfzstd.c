/* In: the payloads of compressed records. Out: what perf compressed. */
#include "import/perfzstd.h"

#include "config.h"

#include <stdlib.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"

#ifdef HAVE_LIBZSTD

enum { PIECE = 256 << 10, WINDOW_LOG_MAX = 27 }; /* what the library takes unasked: 128 MiB */

struct perfzstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
};

struct err *perfzstd_create(struct perfzstd **ret)
{
	struct perfzstd *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return err_new("out of memory for the decompressor");
	}
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	*ret = z;
	return NULL;
}

void perfzstd_destroy(struct perfzstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void perfzstd_feed(struct perfzstd *z, const uint8_t *p, size_t len)
{
	z->in = (ZSTD_inBuffer){ .src = p, .size = len };
}

struct err *perfzstd_read(struct perfzstd *z, struct buf *to, bool *ret_more)
{
	buf_room(to, PIECE);
	ZSTD_outBuffer out = { .dst = to->data + to->len, .size = PIECE };
	size_t rc = ZSTD_decompressStream(z->stream, &out, &z->in);

	if (ZSTD_isError(rc))
		return err_new("damaged zstd data: %s", ZSTD_getErrorName(rc));
	to->len += out.pos;
	*ret_more = z->in.pos < z->in.size || out.pos == out.size;
	return NULL;
}

#else

struct perfzstd {
	char unused;
};

struct err *perfzstd_create(struct perfzstd **ret)
{
	(void)ret;
	return err_new("this build of singe has no zstd support, which the file needs; install "
		       "libzstd-dev and configure again");
}

void perfzstd_destroy(struct perfzstd *z)
{
	free(z);
}

void perfzstd_feed(struct perfzstd *z, const uint8_t *p, size_t len)
{
	(void)z, (void)p, (void)len;
}

struct err *perfzstd_read(struct perfzstd *z, struct buf *to, bool *ret_more)
{
	(void)z, (void)to;
	*ret_more = false;
	return NULL;
}

#endif
