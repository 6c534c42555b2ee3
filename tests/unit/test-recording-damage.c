/* Recordings that are cut, flipped, or lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "recording-fixture.h"
#include "recording/sink.h"

enum { BLOCKS = 4, PER_BLOCK = 12 };

/* A small recording of several blocks in two dictionaries, without process events' help. */
static void small(struct fixture *f)
{
	fixture_init(f, CODEC_ZLIB, 42);
	for (int i = 0; i < BLOCKS; i++) {
		if (i == 2)
			fixture_restart(f);
		fixture_samples(f, PER_BLOCK);
		assert_null(writer_flush(f->w));
	}
	fixture_end(f);
}

/* Same sample but for what was in the damaged block: its stack, thread name, event name. */
static bool agrees(const char *want, const char *got)
{
	size_t same = 0;

	if (!strcmp(want, got))
		return true;
	while (want[same] && want[same] == got[same])
		same++;
	return strstr(got, "[lost in file]") ||
	       (!strncmp(want, "kind", 4) && strstr(got, "[unknown]"));
}

/* What was read is what was written, in order, with gaps. Returns how many lines are missing. */
static size_t assert_in_order(const struct lines *want, const struct lines *got)
{
	size_t at = 0;

	for (size_t i = 0; i < got->v.n; i++, at++) {
		while (at < want->v.n && !agrees(want->v.v[at], got->v.v[i]))
			at++;
		assert_true(at < want->v.n);
	}
	return want->v.n - got->v.n;
}

static void test_truncated_at_every_byte(void **state)
{
	struct fixture f;
	size_t len;
	size_t before = 0;

	(void)state;
	small(&f);
	uint8_t *bytes = fixture_bytes(&f, &len);

	for (size_t cut = 0; cut < len; cut++) {
		int fd = fixture_file(bytes, cut);
		struct result r;

		result_read(&r, fd);
		assert_false(r.data.totals.complete);
		assert_true(r.lines.v.n >= before);
		before = r.lines.v.n;
		for (size_t i = 0; i < r.lines.v.n; i++)
			assert_string_equal(r.lines.v.v[i], f.expected.v.v[i]);
		result_deinit(&r);
		close(fd);
	}
	assert_int_equal(before, f.expected.v.n);
	free(bytes);
	fixture_deinit(&f);
}

static void test_every_byte_flipped(void **state)
{
	struct fixture f;
	size_t len;
	uint64_t lost = 0;

	(void)state;
	small(&f);
	uint8_t *bytes = fixture_bytes(&f, &len);

	for (size_t at = 8; at < len; at++) {
		struct result r;

		bytes[at] ^= (uint8_t)(1 << at % 8);
		int fd = fixture_file(bytes, len);

		result_read(&r, fd);
		assert_int_equal(r.data.totals.damaged_blocks, 1);
		assert_true(assert_in_order(&f.expected, &r.lines) <= PER_BLOCK * 2);
		assert_true(r.diag.entries.n > 0);
		lost += r.data.totals.lost_in_file;
		result_deinit(&r);
		close(fd);
		bytes[at] ^= (uint8_t)(1 << at % 8);
	}
	assert_true(lost > 0);
	free(bytes);
	fixture_deinit(&f);
}

/* A hole in the middle of one block: those around it are whole. */
static void test_hole(void **state)
{
	struct fixture f;
	struct result r;
	size_t len;

	(void)state;
	small(&f);
	uint8_t *bytes = fixture_bytes(&f, &len);

	memmove(bytes + len / 2, bytes + len / 2 + 10, len - len / 2 - 10);
	int fd = fixture_file(bytes, len - 10);

	result_read(&r, fd);
	assert_int_equal(r.data.totals.damaged_blocks, 1);
	assert_true(r.data.totals.complete);
	assert_true(assert_in_order(&f.expected, &r.lines) <= PER_BLOCK * 2);
	result_deinit(&r);
	close(fd);
	free(bytes);
	fixture_deinit(&f);
}

static void test_no_recording(void **state)
{
	static const char *const files[] = { "", "PERFILE2", "\211singe\r\n",
					     "\211singe\n\n0123456789" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		int fd = fixture_file(files[i], strlen(files[i]));
		struct dataset data;
		struct source *src;

		dataset_init(&data);
		lseek(fd, 0, SEEK_SET);
		struct err *err = reader_open(fd, &data, NULL, &src);

		assert_non_null(err);
		err_destroy(err);
		dataset_deinit(&data);
		close(fd);
	}
}

static void test_newer_version_is_refused(void **state)
{
	uint8_t h[16] = "\211singe\r\n\2";
	struct dataset data;
	struct source *src;
	uint32_t crc = codec_crc32(h, 12);

	(void)state;
	for (int i = 0; i < 4; i++)
		h[12 + i] = (uint8_t)(crc >> 8 * i);
	int fd = fixture_file(h, sizeof(h));

	lseek(fd, 0, SEEK_SET);
	dataset_init(&data);
	struct err *err = reader_open(fd, &data, NULL, &src);

	assert_non_null(err);
	assert_non_null(strstr(err_msg(err), "version 2"));
	err_destroy(err);
	dataset_deinit(&data);
	close(fd);
}

/* Bodies whose check sum is right and whose contents are not. Each is one damaged block. */
static void test_lying_bodies(void **state)
{
	static const struct {
		enum singe_block_kind kind;
		const char *bytes;
		size_t len;
	} bodies[] = {
		{ SINGE_BLOCK_STREAM, "", 0 },
		{ SINGE_BLOCK_STREAM, "\0\1\0\0\0", 5 },
		/* a thousand samples, one byte of each column */
		{ SINGE_BLOCK_STREAM, "\0\1\0\0\xe8\7\0\10\1\0\13\1\0\14\1\0\15\1\0\16\1\0", 22 },
		/* no bytes of high columns */
		{ SINGE_BLOCK_STREAM, "\0\1\0\0\1\0\3\5\0\0\0\0\0\10\1\0\15\1\0\16\1\0", 22 },
		/* a sample of a context that is not there */
		{ SINGE_BLOCK_STREAM, "\0\1\0\0\1\0\10\1\0\13\1\0\14\1\0\15\1\0\16\1\0", 21 },
		/* 2^35 nodes from node 1 on */
		{ SINGE_BLOCK_STREAM, "\0\1\x80\x80\x80\x80\x80\1\0\0\0\4\1\1", 14 },
		/* node 2^40 */
		{ SINGE_BLOCK_STREAM, "\0\x80\x80\x80\x80\x80\x20\1\0\0\0\4\1\1\5\1\0\6\1\0\7\1\0",
		  23 },
		/* a node that is its own parent */
		{ SINGE_BLOCK_STREAM, "\0\1\1\0\0\0\4\1\0\5\1\0\6\1\0\7\1\0", 18 },
		/* a column longer than the block */
		{ SINGE_BLOCK_STREAM, "\0\1\0\0\0\0\10\x7f\0", 9 },
		/* an event after a sample that is not there */
		{ SINGE_BLOCK_STREAM, "\0\1\0\0\0\1\12\6\5\1\3\0\1\1", 14 },
		/* a context of an event that is not there */
		{ SINGE_BLOCK_STREAM, "\0\1\0\0\0\0\3\5\0\0\x63\0\0", 13 },
		{ SINGE_BLOCK_SYMBOLS, "\3\5\0\0\1\1\0", 7 },
		{ SINGE_BLOCK_SYMBOLS, "\1\2\x7f\x61", 4 },
		{ SINGE_BLOCK_END, "\1\x7f", 2 },
		{ SINGE_BLOCK_END, "\1\1\x80", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct fixture f;
		struct result r;
		struct sink sink;
		struct parts parts = { 0 };

		fixture_init(&f, CODEC_NONE, i);
		sink_init(&sink, f.fd, CODEC_NONE);
		buf_bytes(&parts.raw, bodies[i].bytes, bodies[i].len);
		assert_null(sink_block(&sink, bodies[i].kind, 0, &parts));
		fixture_samples(&f, 10);
		fixture_end(&f);
		result_read(&r, f.fd);
		assert_int_equal(r.data.totals.damaged_blocks, 1);
		assert_int_equal(r.lines.v.n, f.expected.v.n);
		result_deinit(&r);
		parts_deinit(&parts);
		sink_deinit(&sink);
		fixture_deinit(&f);
	}
}

/* No more origins than a HEADER may have: whoever merges looks at each by its name. */
static void test_header_limits(void **state)
{
	(void)state;
	for (int over = 0; over < 2; over++) {
		int fd = memfd_create("header", 0);
		struct writer *w;
		struct dataset d;
		struct result r;

		dataset_init(&d);
		for (int i = 0; i < SINGE_ORIGINS_MAX + over; i++)
			vec_push(&d.meta.origins, xstrdup("web"));
		assert_null(writer_create(fd, CODEC_NONE, &d, &w));
		assert_null(writer_end(w, &d.totals));
		result_read(&r, fd);
		assert_int_equal(r.data.totals.damaged_blocks, over);
		result_deinit(&r);
		writer_destroy(w);
		dataset_deinit(&d);
		close(fd);
	}
}

/* What is said of a recording that a later build made; NULL: nothing. */
static const char *newer(const struct result *r, uint64_t *ret_count)
{
	for (size_t i = 0; i < r->diag.entries.n; i++) {
		*ret_count = r->diag.entries.v[i].count;
		if (strstr(r->diag.entries.v[i].text, "newer singe"))
			return r->diag.entries.v[i].text;
	}
	return NULL;
}

static void put_block(struct fixture *f, unsigned int kind, const void *bytes, size_t len)
{
	struct sink sink;
	struct parts parts = { 0 };

	sink_init(&sink, f->fd, CODEC_NONE);
	buf_bytes(&parts.raw, bytes, len);
	assert_null(sink_block(&sink, (enum singe_block_kind)kind, 0, &parts));
	parts_deinit(&parts);
	sink_deinit(&sink);
}

/* Blocks, columns and process events of kinds that are not there yet: the rest is read, and what is
 * left out is said once. */
static void test_what_is_newer_is_skipped(void **state)
{
	static const char stream[] = "\0\1\0\0\0\1\37\1x\12\6\5\0\11\0\1\1";
	struct fixture f;
	struct result r;
	uint64_t count;

	(void)state;
	fixture_init(&f, CODEC_NONE, 1);
	fixture_samples(&f, 10);
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_null(newer(&r, &count));
	result_deinit(&r);
	fixture_deinit(&f);

	fixture_init(&f, CODEC_NONE, 1);
	put_block(&f, 99, "from a later version", 20);
	put_block(&f, SINGE_BLOCK_STREAM, stream, sizeof(stream) - 1);
	put_block(&f, SINGE_BLOCK_STREAM, stream, sizeof(stream) - 1);
	put_block(&f, 100, "", 0);
	put_block(&f, 99, "", 0);
	fixture_samples(&f, 10);
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_int_equal(r.data.totals.damaged_blocks, 0);
	assert_int_equal(r.lines.v.n, f.expected.v.n);
	assert_non_null(newer(&r, &count));
	assert_int_equal(count, 1);
	assert_non_null(strstr(newer(&r, &count), ": blocks of kind 99, 100; columns 31; process "
						  "events of kind 9"));
	result_deinit(&r);
	fixture_deinit(&f);
}

/* A damaged block says nothing of who made it; and a list has an end. */
static void test_what_is_newer_has_an_end(void **state)
{
	struct fixture f;
	struct result r;
	uint64_t count;

	(void)state;
	fixture_init(&f, CODEC_NONE, 1);
	put_block(&f, SINGE_BLOCK_STREAM, "\0\1\0\0\0\0\37\1x\10\x7f\0", 12);
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_int_equal(r.data.totals.damaged_blocks, 1);
	assert_null(newer(&r, &count));
	result_deinit(&r);
	fixture_deinit(&f);

	fixture_init(&f, CODEC_NONE, 1);
	for (unsigned int kind = 200; kind < 230; kind++)
		put_block(&f, kind, "", 0);
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_non_null(
		strstr(newer(&r, &count), "200, 201, 202, 203, 204, 205, 206, 207 and more"));
	result_deinit(&r);
	fixture_deinit(&f);
}

/* Lengths of a block header that lie, its check sum made to agree. */
static void test_lying_block_header(void **state)
{
	static const struct {
		unsigned int at;
		uint32_t value;
	} lies[] = { { 8, 0 },  { 8, 1 },  { 8, 1 << 20 },  { 8, UINT32_MAX },
		     { 12, 0 }, { 12, 1 }, { 12, 1 << 20 }, { 12, UINT32_MAX } };
	struct fixture f;
	size_t len;

	(void)state;
	small(&f);
	uint8_t *bytes = fixture_bytes(&f, &len);
	uint8_t *last = NULL;

	for (size_t i = 0; i + 24 < len; i++) {
		if (!memcmp(bytes + i, SINGE_BLOCK_MAGIC, 4) && bytes[i + 4] == SINGE_BLOCK_STREAM)
			last = bytes + i;
	}
	assert_non_null(last);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct result r;
		uint8_t saved[24];

		memcpy(saved, last, 24);
		for (unsigned int k = 0; k < 4; k++)
			last[lies[i].at + k] = (uint8_t)(lies[i].value >> 8 * k);
		uint32_t crc = codec_crc32(last, 20);

		for (unsigned int k = 0; k < 4; k++)
			last[20 + k] = (uint8_t)(crc >> 8 * k);
		int fd = fixture_file(bytes, len);

		result_read(&r, fd);
		assert_int_equal(r.data.totals.damaged_blocks, 1);
		assert_true(r.data.totals.complete);
		result_deinit(&r);
		close(fd);
		memcpy(last, saved, 24);
	}
	free(bytes);
	fixture_deinit(&f);
}

/* A file size limit ends the recording: an error that names the cause, END says what was lost, and
 * the file is whole to the last byte. */
static void test_file_size_limit(void **state)
{
	enum { LIMIT = 6000 };
	char path[] = "/tmp/singe-test-XXXXXX";
	struct fixture f;
	struct result r;
	struct rlimit old;

	(void)state;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	signal(SIGXFSZ, SIG_IGN);
	fixture_init(&f, CODEC_NONE, 1);
	writer_destroy(f.w);
	assert_null(writer_create(fd, CODEC_NONE, &f.data, &f.w));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE,
				   &(struct rlimit){ .rlim_cur = LIMIT, .rlim_max = old.rlim_max }),
			 0);
	struct err *err = NULL;

	while (!err) {
		fixture_samples(&f, 50);
		err = writer_flush(f.w);
	}
	assert_int_equal(err_errno(err), EFBIG);
	err_destroy(err);
	err = writer_sample(f.w, &(struct sample){ 0 });
	assert_int_equal(err_errno(err), EFBIG);
	err_destroy(err);
	err = writer_end(f.w, &(struct totals){ .samples = f.n_samples, .lost = 1 });
	assert_non_null(err);
	err_destroy(err);
	setrlimit(RLIMIT_FSIZE, &old);
	result_read(&r, fd);
	assert_int_equal(r.data.totals.damaged_blocks, 0);
	assert_true(r.data.totals.complete);
	assert_int_equal(r.data.totals.lost, 1 + 50);
	assert_int_equal(r.data.totals.samples, f.n_samples - 50);
	assert_int_equal(r.end_offset, lseek(fd, 0, SEEK_END));
	for (size_t i = 0; i < r.lines.v.n; i++)
		assert_string_equal(r.lines.v.v[i], f.expected.v.v[i]);
	result_deinit(&r);
	close(fd);
	fixture_deinit(&f);
}

static void test_full_disk(void **state)
{
	struct dataset data;
	struct writer *w;

	(void)state;
	_cleanup_fclose_ FILE *full = fopen("/dev/full", "w");

	if (!full) {
		print_message("skipped: /dev/full cannot be opened\n");
		skip();
	}
	dataset_init(&data);
	struct err *err = writer_create(fileno(full), CODEC_ZLIB, &data, &w);

	assert_int_equal(err_errno(err), ENOSPC);
	err_destroy(err);
	dataset_deinit(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated_at_every_byte),
		cmocka_unit_test(test_every_byte_flipped),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_no_recording),
		cmocka_unit_test(test_newer_version_is_refused),
		cmocka_unit_test(test_header_limits),
		cmocka_unit_test(test_lying_bodies),
		cmocka_unit_test(test_what_is_newer_is_skipped),
		cmocka_unit_test(test_what_is_newer_has_an_end),
		cmocka_unit_test(test_lying_block_header),
		cmocka_unit_test(test_file_size_limit),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
