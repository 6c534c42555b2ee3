/* In: the first bytes of a perf.data file, and the file. Out: its tables. */
#include "import/perfheader.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

static const char magic[] = "PERFILE2", turned_magic[] = "2ELIFREP";

/* Sections that this reads: no file has larger ones. */
enum { MAX_SECTION = 64 << 20 };

/* tools/perf/util/header.h, struct perf_file_header. */
enum { AT_ATTR_SIZE = 16, AT_FEATURES = 72 };

struct section {
	uint64_t off, len;
};

bool perfheader_magic(const void *p, size_t len)
{
	return len >= PERF_MAGIC_LEN &&
	       (!memcmp(p, magic, PERF_MAGIC_LEN) || !memcmp(p, turned_magic, PERF_MAGIC_LEN));
}

static struct section read_section(struct perf_cursor *c)
{
	struct section s;

	s.off = perf_cursor_u64(c);
	s.len = perf_cursor_u64(c);
	return s;
}

struct err *perfheader_parse(const uint8_t *p, size_t len, struct perfheader *ret)
{
	struct perfheader h = { 0 };

	if (!perfheader_magic(p, len))
		return err_at(0, "this is no perf.data file");
	h.swap = !memcmp(p, turned_magic, PERF_MAGIC_LEN);
	struct perf_cursor c = { cursor(p, len), h.swap };

	cursor_skip(&c.c, PERF_MAGIC_LEN);
	uint64_t size = perf_cursor_u64(&c);

	if (size == PERF_PIPE_HEADER_LEN) {
		h.is_pipe = true;
		h.data_off = PERF_PIPE_HEADER_LEN;
		h.data_end = UINT64_MAX;
		*ret = h;
		return NULL;
	}
	perf_cursor_u64(&c); /* size of an attr */
	read_section(&c);
	struct section data = read_section(&c);

	if (c.c.failed)
		return err_at(len, "the file is cut off in its header");
	if (size < AT_FEATURES || data.off < size || data.off + data.len < data.off)
		return err_at(cursor_prev_offset(&c.c), "the header makes no sense");
	h.has_no_end = !data.len;
	h.data_off = data.off;
	h.data_end = data.len ? data.off + data.len : UINT64_MAX;
	*ret = h;
	return NULL;
}

/* `len` bytes at `off`, or as many as the file has; the caller frees. */
static struct err *read_at(int fd, uint64_t off, uint64_t len, struct buf *ret)
{
	struct stat st;

	ret->len = 0;
	if (fstat(fd, &st))
		return err_sys(errno, "cannot read the file");
	if (off >= (uint64_t)st.st_size)
		return NULL;
	if (len > (uint64_t)st.st_size - off)
		len = (uint64_t)st.st_size - off;
	if (len > MAX_SECTION)
		len = MAX_SECTION;
	if (!buf_read_at(ret, fd, off, len))
		return err_sys(errno, "cannot read at offset %llu", (unsigned long long)off);
	return NULL;
}

/* A buffer that nothing was read into has no bytes to point to. */
static struct cursor bytes_of(const struct buf *b)
{
	return cursor(b->data ? (const void *)b->data : "", b->len);
}

static void damaged(struct diag *diag, uint64_t off, const char *what)
{
	diag_add(diag, DIAG_WARNING, "perf.data section",
		 "damage in the perf.data file at offset %llu: %s", (unsigned long long)off, what);
}

static struct err *read_ids(int fd, struct section where, uint32_t attr, struct perfattrs *attrs)
{
	struct buf b = { 0 };
	struct err *err = where.len ? read_at(fd, where.off, where.len, &b) : NULL;
	struct perf_cursor c = { bytes_of(&b), attrs->swap };

	while (!err && cursor_left(&c.c) >= 8)
		perfattrs_add_id(attrs, attr, perf_cursor_u64(&c));
	buf_deinit(&b);
	return err;
}

/* Each entry is an attr, as long as the writer's struct was, and where its ids are. */
static struct err *read_attrs(int fd, struct section where, uint64_t entry_len,
			      struct perfattrs *attrs, struct diag *diag)
{
	enum { LEAST = 64 + 16 }; /* PERF_ATTR_SIZE_VER0 */
	struct buf b = { 0 };

	if (entry_len < LEAST || entry_len > 4096 || where.len / entry_len > PERF_MAX_ATTRS)
		return err_at(AT_ATTR_SIZE, "the header makes no sense of its events");
	struct err *err = read_at(fd, where.off, where.len, &b);
	struct perf_cursor c = { bytes_of(&b), attrs->swap };

	while (!err && cursor_left(&c.c) >= entry_len) {
		const uint8_t *attr = cursor_bytes(&c.c, entry_len - 16);

		err = read_ids(fd, read_section(&c), perfattrs_add(attrs, attr, entry_len - 16),
			       attrs);
	}
	if (!err && b.len < where.len)
		damaged(diag, where.off + b.len, "the file is cut off in its events");
	buf_deinit(&b);
	return err;
}

/* perf writes the bits as unsigned longs: words of the other order are 64 or 32 bits wide, by the
 * machine that wrote them. Every file has a host name, so its bit tells
 * (tools/perf/util/header.c, perf_file_header__read()). */
static void turn_features(uint8_t *bits, size_t word)
{
	for (size_t at = 0; at < N_PERF_FEATURES / 8; at += word)
		for (size_t i = 0; i < word / 2; i++) {
			uint8_t byte = bits[at + i];

			bits[at + i] = bits[at + word - 1 - i];
			bits[at + word - 1 - i] = byte;
		}
}

static bool has_feature(const uint8_t *bits, unsigned int i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static struct err *read_features(const struct perfheader *h, int fd, const uint8_t *bits,
				 struct perfattrs *attrs, struct perffeatures *features,
				 struct dataset *data, struct diag *diag)
{
	uint64_t table = h->data_end;
	struct buf b = { 0 };
	struct err *err = NULL;

	for (unsigned int i = 0; i < N_PERF_FEATURES && !err; i++) {
		if (!has_feature(bits, i))
			continue;
		err = read_at(fd, table, 16, &b);
		if (err || b.len < 16) {
			if (!err)
				damaged(diag, table, "the file is cut off in its list of sections");
			break;
		}
		struct perf_cursor c = { bytes_of(&b), h->swap };
		struct section s = read_section(&c);

		table += 16;
		if (!perffeatures_wanted(i))
			continue;
		err = read_at(fd, s.off, s.len, &b);
		if (!err &&
		    (b.len < s.len || !perffeatures_read(features, i, bytes_of(&b), attrs, data)))
			damaged(diag, s.off, "a section that describes the recording");
	}
	buf_deinit(&b);
	return err;
}

struct err *perfheader_tables(const struct perfheader *h, int fd, struct perfattrs *attrs,
			      struct perffeatures *features, struct dataset *data,
			      struct diag *diag)
{
	struct buf head = { 0 };
	uint8_t bits[N_PERF_FEATURES / 8] = { 0 };
	struct err *err = read_at(fd, 0, PERF_FILE_HEADER_LEN, &head);
	struct perf_cursor c = { bytes_of(&head), h->swap };

	cursor_skip(&c.c, AT_ATTR_SIZE);
	uint64_t entry_len = perf_cursor_u64(&c);
	struct section where = read_section(&c);

	if (!err && head.len >= AT_FEATURES + sizeof(bits))
		memcpy(bits, head.data + AT_FEATURES, sizeof(bits));
	if (h->swap) {
		turn_features(bits, 8);
		if (!has_feature(bits, PERF_FEATURE_HOSTNAME)) {
			turn_features(bits, 8);
			turn_features(bits, 4);
		}
	}
	buf_deinit(&head);
	if (!err)
		err = read_attrs(fd, where, entry_len, attrs, diag);
	if (!err && !h->has_no_end)
		err = read_features(h, fd, bits, attrs, features, data, diag);
	return err;
}
