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

void parts_reset(struct parts *b)
{
	b->raw.len = 0;
	b->n_cuts = 0;
}

void parts_cut(struct parts *b)
{
	b->cuts[b->n_cuts++] = b->raw.len;
}

void parts_deinit(struct parts *b)
{
	buf_deinit(&b->raw);
}

/* True if the bytes are so evenly spread that a compressor would only cost time, as the low bytes
 * of numbers are: two of them taken at random are equal less than twice as often as in noise. Looks
 * at a few thousand. */
static bool is_noise(const uint8_t *p, size_t len)
{
	enum { LOOK = 2048, ENOUGH = 512 };
	uint32_t counts[256] = { 0 };
	size_t step = len > LOOK ? len / LOOK : 1;
	uint64_t n = 0;
	uint64_t equal = 0;

	if (len < ENOUGH)
		return false;
	for (size_t i = 0; i < len; i += step, n++)
		counts[p[i]]++;
	for (unsigned int i = 0; i < 256; i++)
		equal += (uint64_t)counts[i] * counts[i];
	return (equal - n) * 128 < n * (n - 1);
}

/* Appends the bytes in the fewest: compressed, or as they are. */
static struct err *sink_pack(struct sink *s, const uint8_t *p, size_t len, enum codec *ret_codec)
{
	size_t at = s->out.len;

	*ret_codec = s->codec;
	if (is_noise(p, len))
		*ret_codec = CODEC_NONE;
	/* A view: the codec does not write to it. */
	struct buf raw = { .data = (uint8_t *)p, .len = len, .cap = len };

	TRY(codec_compress(s->ctx, *ret_codec, &raw, &s->out));
	if (*ret_codec == CODEC_NONE || s->out.len - at < len)
		return NULL;
	s->out.len = at;
	*ret_codec = CODEC_NONE;
	return codec_compress(s->ctx, CODEC_NONE, &raw, &s->out);
}

static struct err *sink_part(struct sink *s, const uint8_t *p, size_t len)
{
	size_t at = s->out.len;
	enum codec codec;

	if (!len)
		return NULL;
	buf_room(&s->out, SINGE_PART_HEADER_LEN);
	s->out.len += SINGE_PART_HEADER_LEN;
	TRY(sink_pack(s, p, len, &codec));
	uint8_t *h = s->out.data + at;

	h[0] = (uint8_t)codec;
	put_u32(h + 1, (uint32_t)len);
	put_u32(h + 5, (uint32_t)(s->out.len - at - SINGE_PART_HEADER_LEN));
	return NULL;
}

static struct err *sink_parts(struct sink *s, const struct parts *parts, uint8_t *ret_codec)
{
	enum { SMALL = 4096 }; /* below, codes of their own cost more than they gain */
	const struct buf *raw = &parts->raw;
	enum codec codec;
	size_t from = 0;

	if (!parts->n_cuts || raw->len < SMALL) {
		TRY(sink_pack(s, raw->data, raw->len, &codec));
		*ret_codec = (uint8_t)codec;
		return NULL;
	}
	for (unsigned int i = 0; i < parts->n_cuts; i++) {
		TRY(sink_part(s, raw->data + from, parts->cuts[i] - from));
		from = parts->cuts[i];
	}
	*ret_codec = SINGE_CODEC_PARTS;
	return sink_part(s, raw->data + from, raw->len - from);
}

struct err *sink_block(struct sink *s, enum singe_block_kind kind, uint16_t flags,
		       const struct parts *parts)
{
	uint8_t codec;
	size_t raw_len = parts->raw.len;

	if (raw_len > SINGE_BLOCK_RAW_MAX)
		return err_new("a block of %zu bytes is more than the recording format allows",
			       raw_len);
	s->out.len = 0;
	buf_room(&s->out, SINGE_BLOCK_HEADER_LEN);
	s->out.len = SINGE_BLOCK_HEADER_LEN;
	TRY(sink_parts(s, parts, &codec));
	size_t stored = s->out.len - SINGE_BLOCK_HEADER_LEN;
	uint8_t *h = s->out.data;

	memcpy(h, SINGE_BLOCK_MAGIC, SINGE_BLOCK_MAGIC_LEN);
	h[4] = (uint8_t)kind;
	h[5] = codec;
	put_u16(h + 6, flags);
	put_u32(h + 8, (uint32_t)raw_len);
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
