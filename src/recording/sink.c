/* In: raw blocks. Out: a file header and whole blocks on a file descriptor. */
#include "recording/sink.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)SINGE_CODEC_NONE == (int)CODEC_NONE, "codec numbers are the format's");
_Static_assert((int)SINGE_CODEC_ZLIB == (int)CODEC_ZLIB, "codec numbers are the format's");
_Static_assert((int)SINGE_CODEC_ZSTD == (int)CODEC_ZSTD, "codec numbers are the format's");

void sink_init(struct sink *s, int fd, enum codec codec)
{
	*s = (struct sink){ .fd = fd, .codec = codec, .ctx = codec_ctx_create() };
}

void sink_deinit(struct sink *s)
{
	codec_ctx_destroy(s->ctx);
	buf_deinit(&s->out);
}

/* Cuts a block that is only partly there off the end of a regular file. Best effort: a reader
 * skips it otherwise. */
static void sink_take_back(struct sink *s, size_t n)
{
	struct stat st;

	if (!n || fstat(s->fd, &st) || !S_ISREG(st.st_mode))
		return;
	off_t at = lseek(s->fd, 0, SEEK_CUR);

	if (at < (off_t)n || st.st_size != at)
		return;
	if (!ftruncate(s->fd, at - (off_t)n))
		(void)!lseek(s->fd, at - (off_t)n, SEEK_SET);
}

struct err *sink_write(struct sink *s, const void *data, size_t len)
{
	const char *p = data;

	for (size_t done = 0; done < len;) {
		ssize_t n = write(s->fd, p + done, len - done);

		if (n >= 0) {
			done += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN) {
			(void)poll(&(struct pollfd){ .fd = s->fd, .events = POLLOUT }, 1, -1);
			continue;
		}
		int errnum = errno;

		sink_take_back(s, done);
		return err_sys(errnum, "cannot write the recording after %llu bytes",
			       (unsigned long long)s->written);
	}
	s->written += len;
	return NULL;
}

static void put_u16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void put_u32(uint8_t *p, uint32_t v)
{
	put_u16(p, (uint16_t)v);
	put_u16(p + 2, (uint16_t)(v >> 16));
}

struct err *sink_block(struct sink *s, enum singe_block_kind kind, uint16_t flags,
		       const struct buf *raw)
{
	enum codec codec = s->codec;

	if (raw->len > SINGE_BLOCK_RAW_MAX)
		return err_new("a block of %zu bytes is more than the recording format allows",
			       raw->len);
	s->out.len = 0;
	buf_room(&s->out, SINGE_BLOCK_HEADER_LEN);
	s->out.len = SINGE_BLOCK_HEADER_LEN;
	TRY(codec_compress(s->ctx, codec, raw, &s->out));
	if (codec != CODEC_NONE && s->out.len - SINGE_BLOCK_HEADER_LEN >= raw->len) {
		codec = CODEC_NONE;
		s->out.len = SINGE_BLOCK_HEADER_LEN;
		buf_bytes(&s->out, raw->data, raw->len);
	}
	size_t stored = s->out.len - SINGE_BLOCK_HEADER_LEN;
	uint8_t *h = s->out.data;

	memcpy(h, SINGE_BLOCK_MAGIC, SINGE_BLOCK_MAGIC_LEN);
	h[4] = (uint8_t)kind;
	h[5] = (uint8_t)codec;
	put_u16(h + 6, flags);
	put_u32(h + 8, (uint32_t)raw->len);
	put_u32(h + 12, (uint32_t)stored);
	put_u32(h + 16, codec_crc32(h + SINGE_BLOCK_HEADER_LEN, stored));
	put_u32(h + 20, codec_crc32(h, 20));
	return sink_write(s, s->out.data, s->out.len);
}

struct err *sink_file_header(struct sink *s)
{
	uint8_t h[SINGE_FILE_HEADER_LEN];

	memcpy(h, SINGE_FILE_MAGIC, SINGE_FILE_MAGIC_LEN);
	put_u16(h + 8, SINGE_VERSION_MAJOR);
	put_u16(h + 10, SINGE_VERSION_MINOR);
	put_u32(h + 12, codec_crc32(h, 12));
	return sink_write(s, h, sizeof(h));
}
