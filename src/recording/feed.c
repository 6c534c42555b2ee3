/* In: the bytes of a recording, perhaps damaged or cut. Out: its whole blocks. */
#include "recording/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"

/* Room for the largest block at any place of the window, and to read on in large steps. */
enum { WINDOW = SINGE_BLOCK_HEADER_LEN + SINGE_BLOCK_STORED_MAX + (1 << 18) };

void feed_init(struct feed *f, int fd, struct diag *diag)
{
	*f = (struct feed){ .fd = fd, .diag = diag, .ctx = codec_ctx_create() };
	f->bytes = xmalloc(WINDOW);
	f->raw = xmalloc(SINGE_BLOCK_RAW_MAX);
}

void feed_deinit(struct feed *f)
{
	codec_ctx_destroy(f->ctx);
	free(f->bytes);
	free(f->raw);
}

/* Reads on until `want` bytes are unread or the file ends. want <= largest block. */
static struct err *feed_fill(struct feed *f, size_t want)
{
	if (f->len - f->at >= want)
		return NULL;
	memmove(f->bytes, f->bytes + f->at, f->len - f->at);
	f->base += f->at;
	f->len -= f->at;
	f->at = 0;
	while (f->len < want && !f->eof) {
		ssize_t n = read(f->fd, f->bytes + f->len, WINDOW - f->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "cannot read the recording at offset %llu",
				       (unsigned long long)(f->base + f->len));
		f->eof = !n;
		f->len += (size_t)n;
	}
	return NULL;
}

void feed_damage(struct feed *f, uint64_t offset, const char *what)
{
	f->damaged++;
	diag_add(f->diag, DIAG_WARNING, "damaged block",
		 "damage in the recording at offset %llu: %s", (unsigned long long)offset, what);
}

struct err *feed_file_header(struct feed *f)
{
	TRY(feed_fill(f, SINGE_FILE_HEADER_LEN));
	struct cursor c = cursor(f->bytes + f->at, f->len - f->at);
	const uint8_t *magic = cursor_bytes(&c, SINGE_FILE_MAGIC_LEN);

	if (!magic || memcmp(magic, SINGE_FILE_MAGIC, SINGE_FILE_MAGIC_LEN) != 0)
		return err_at(0, "this is no recording of singe");
	uint16_t major = cursor_u16(&c);

	cursor_u16(&c);
	uint32_t crc = cursor_u32(&c);

	if (c.failed)
		return err_at(cursor_prev_offset(&c),
			      "the recording is cut off in its file header");
	if (crc != codec_crc32(magic, 12))
		feed_damage(f, SINGE_FILE_MAGIC_LEN, "file header");
	else if (major > SINGE_VERSION_MAJOR)
		return err_new("the recording has format version %u, this singe reads up to %u",
			       major, SINGE_VERSION_MAJOR);
	f->at += SINGE_FILE_HEADER_LEN;
	f->end_offset = SINGE_FILE_HEADER_LEN;
	return NULL;
}

struct block_header {
	struct block block;
	uint32_t crc;
};

/* `c` lies at `offset` of the file. */
static bool header_read_at(struct cursor c, uint64_t offset, struct block_header *ret)
{
	const uint8_t *magic = cursor_bytes(&c, SINGE_BLOCK_MAGIC_LEN);

	if (!magic || memcmp(magic, SINGE_BLOCK_MAGIC, SINGE_BLOCK_MAGIC_LEN) != 0)
		return false;
	ret->block.kind = cursor_u8(&c);
	ret->block.codec = cursor_u8(&c);
	ret->block.flags = cursor_u16(&c);
	ret->block.raw_len = cursor_u32(&c);
	ret->block.stored_len = cursor_u32(&c);
	ret->crc = cursor_u32(&c);
	ret->block.offset = offset;
	uint32_t header_crc = cursor_u32(&c);

	return !c.failed && header_crc == codec_crc32(magic, 20) &&
	       ret->block.raw_len <= SINGE_BLOCK_RAW_MAX &&
	       ret->block.stored_len <= SINGE_BLOCK_STORED_MAX;
}

static bool feed_header(const struct feed *f, struct block_header *ret)
{
	return header_read_at(cursor(f->bytes + f->at, f->len - f->at), f->base + f->at, ret);
}

/* Moves on to the next place where a block may begin, or to the end of the window. */
static void feed_skip(struct feed *f)
{
	const uint8_t *from = f->bytes + f->at + 1;
	const uint8_t *next = memchr(from, SINGE_BLOCK_MAGIC[0] & 0xff, f->len - f->at - 1);

	f->at = next ? (size_t)(next - f->bytes) : f->len;
}

/* A body that is not what its header says may be one that bytes are missing from, so the next block
 * is looked for inside it too. Not without end: headers that overlap on purpose would make reading
 * take quadratic time. */
static void feed_bad_body(struct feed *f, const struct block *b, const char *what)
{
	feed_damage(f, b->offset, what);
	f->gap = true;
	f->wasted += b->stored_len;
	size_t total = SINGE_BLOCK_HEADER_LEN + b->stored_len;

	if (f->wasted > 4 * b->offset + ((uint64_t)SINGE_BLOCK_STORED_MAX << 4))
		f->at = f->len - f->at < total ? f->len : f->at + total;
	else
		feed_skip(f);
}

static bool block_known(const struct block *b)
{
	return b->kind >= SINGE_BLOCK_HEADER && b->kind <= SINGE_BLOCK_CODE;
}

/* Parts fill f->raw one after the other. */
static struct err *feed_expand_parts(struct feed *f, const struct block_header *h, struct cursor c)
{
	size_t at = 0;

	while (cursor_left(&c)) {
		uint8_t codec = cursor_u8(&c);
		uint32_t raw_len = cursor_u32(&c);
		uint32_t stored_len = cursor_u32(&c);
		const uint8_t *p = cursor_bytes(&c, stored_len);

		if (!p || raw_len > h->block.raw_len - at)
			return err_new("lengths of parts");
		TRY(codec_expand(f->ctx, codec, cursor(p, stored_len), f->raw + at, raw_len));
		at += raw_len;
	}
	return at == h->block.raw_len ? NULL : err_new("a part is missing");
}

static struct err *feed_expand(struct feed *f, const struct block_header *h, struct cursor stored)
{
	if (h->block.codec == SINGE_CODEC_PARTS)
		return feed_expand_parts(f, h, stored);
	return codec_expand(f->ctx, h->block.codec, stored, f->raw, h->block.raw_len);
}

/* The body of the block whose header is at the window's position. `*ret` says whether it is
 * whole and can be read. */
static struct err *feed_body(struct feed *f, struct block_header *h, bool *ret)
{
	size_t total = SINGE_BLOCK_HEADER_LEN + h->block.stored_len;

	*ret = false;
	TRY(feed_fill(f, total));
	if (f->len - f->at < total) {
		feed_bad_body(f, &h->block, "the file ends inside a block");
		return NULL;
	}
	struct cursor stored =
		cursor(f->bytes + f->at + SINGE_BLOCK_HEADER_LEN, h->block.stored_len);

	if (codec_crc32(stored.p, h->block.stored_len) != h->crc) {
		feed_bad_body(f, &h->block, "check sum of a block");
		return NULL;
	}
	f->at += total;
	f->end_offset = f->base + f->at;
	f->gap = false;
	if (!block_known(&h->block)) {
		h->block.body = cursor(f->raw, 0);
		*ret = true;
		return NULL;
	}
	struct err *err = feed_expand(f, h, stored);

	if (err) {
		feed_damage(f, h->block.offset, err_msg(err));
		err_destroy(err);
		return NULL;
	}
	h->block.body = cursor(f->raw, h->block.raw_len);
	*ret = true;
	return NULL;
}

struct err *feed_next(struct feed *f, struct block *ret, bool *ret_end)
{
	*ret_end = false;
	for (;;) {
		struct block_header h;
		bool whole;

		TRY(feed_fill(f, SINGE_BLOCK_HEADER_LEN));
		if (f->at == f->len) {
			*ret_end = true;
			return NULL;
		}
		if (!feed_header(f, &h)) {
			if (!f->gap)
				feed_damage(f, f->base + f->at, "no block begins here");
			f->gap = true;
			feed_skip(f);
			continue;
		}
		TRY(feed_body(f, &h, &whole));
		if (!whole)
			continue;
		*ret = h.block;
		return NULL;
	}
}

struct err *feed_find(struct feed *f, enum singe_block_kind kind, struct block *ret, bool *ret_end)
{
	uint8_t bytes[SINGE_BLOCK_HEADER_LEN];
	uint64_t at = f->end_offset;

	for (*ret_end = false; !*ret_end;) {
		struct block_header h;
		ssize_t n = pread(f->fd, bytes, sizeof(bytes), (off_t)at);
		bool whole = n > 0 && header_read_at(cursor(bytes, (size_t)n), at, &h);

		if (whole && h.block.kind != kind) {
			at += SINGE_BLOCK_HEADER_LEN + h.block.stored_len;
			continue;
		}
		if (lseek(f->fd, (off_t)at, SEEK_SET) < 0)
			return err_sys(errno, "cannot look for a block of the recording");
		f->at = f->len = 0;
		f->base = at;
		f->eof = false;
		TRY(feed_next(f, ret, ret_end));
		at = f->end_offset;
		if (!*ret_end && ret->kind == kind)
			return NULL;
	}
	return NULL;
}
