/* Unit tests of model/elffile: files written here, addresses and names found there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "model/elffile.h"
#include "support/elfwrite.h"

static const uint8_t id_a[20] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				  11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
static const uint8_t id_b[20] = { 9 };

static struct elffile *finish(struct elfwrite *e)
{
	struct elffile *f = NULL;

	elfwrite_finish(e);
	int fd = elfwrite_fd(e);

	assert_true(fd >= 0);
	assert_null(elffile_open(fd, &f));
	close(fd);
	elfwrite_deinit(e);
	return f;
}

static void expect_svma(const struct elffile *f, uint64_t off, uint64_t want)
{
	uint64_t svma = 0, back = 0;

	assert_true(elffile_off_to_svma(f, off, &svma));
	assert_int_equal(svma, want);
	assert_true(elffile_svma_to_off(f, svma, &back));
	assert_int_equal(back, off);
}

static void test_pie_with_equal_offsets(void **state)
{
	struct elfwrite e;
	uint64_t v;

	(void)state;
	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	elfwrite_segment(&e, PT_LOAD, PF_R, 0, 0, 0x1000);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, 0x1000, 0x1000, 0x800);
	elfwrite_bytes(&e, 0x1000, "code", 4);
	elfwrite_bytes(&e, 0x17ff, "x", 1);
	struct elffile *f = finish(&e);

	assert_true(elffile_is_64bit(f));
	assert_int_equal(elffile_machine(f), EM_X86_64);
	expect_svma(f, 0x1004, 0x1004);
	assert_true(elffile_is_code(f, 0x1004));
	assert_false(elffile_is_code(f, 0x800));
	assert_false(elffile_off_to_svma(f, 0x1800, &v));
	assert_false(elffile_svma_to_off(f, 0x1800, &v));
	assert_memory_equal(elffile_bytes(f, 0x1000, 4), "code", 4);
	assert_non_null(elffile_bytes(f, 0x17ff, 1));
	assert_null(elffile_bytes(f, 0x17ff, 2));
	assert_null(elffile_bytes(f, 0x1000, UINT64_MAX));
	elffile_destroy(f);
}

static void test_non_pie_and_prelinked(void **state)
{
	struct elfwrite e;

	(void)state;
	elfwrite_init(&e, true, ET_EXEC, EM_X86_64);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, 0, 0x400000, 0x2000);
	struct elffile *f = finish(&e);

	expect_svma(f, 0x1234, 0x401234);
	elffile_destroy(f);
	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, 0x1000, 0x3000001000, 0x2000);
	f = finish(&e);
	expect_svma(f, 0x1234, 0x3000001234);
	elffile_destroy(f);
}

/* lld puts code at vaddr = offset + 0x1000, so that the page on disk is shared with the segment
 * before: an offset in it lies in the first page of both mappings. */
static void test_lld_offsets_differ(void **state)
{
	struct elfwrite e;

	(void)state;
	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	elfwrite_segment(&e, PT_LOAD, PF_R, 0, 0, 0x650);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, 0x650, 0x1650, 0x300);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_W, 0x950, 0x2950, 0x100);
	struct elffile *f = finish(&e);

	expect_svma(f, 0x650, 0x1650);
	expect_svma(f, 0x94f, 0x194f);
	expect_svma(f, 0x64f, 0x64f);
	expect_svma(f, 0x950, 0x2950);
	elffile_destroy(f);
}

/* Where file ranges overlap, the executable segment is meant, wherever it stands in the table. */
static void test_several_executable_segments(void **state)
{
	struct elfwrite e;

	(void)state;
	elfwrite_init(&e, true, ET_EXEC, EM_X86_64);
	elfwrite_segment(&e, PT_LOAD, PF_R, 0, 0x10000, 0x4000);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, 0x1000, 0x401000, 0x1000);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, 0x3000, 0x800000, 0x800);
	struct elffile *f = finish(&e);

	expect_svma(f, 0x1010, 0x401010);
	expect_svma(f, 0x3010, 0x800010);
	expect_svma(f, 0x2010, 0x12010);
	expect_svma(f, 0x3900, 0x13900);
	assert_true(elffile_is_code(f, 0x800010));
	elffile_destroy(f);
}

static void test_build_id(void **state)
{
	struct elfwrite e;
	uint8_t id[BUILD_ID_MAX];
	static const uint8_t other[] = { 2, 0, 0,   0, 3, 0, 0, 0, 1, 0,
					 0, 0, 'x', 0, 0, 0, 7, 7, 7, 0 };

	(void)state;
	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	elfwrite_bytes(&e, 0x400, other, sizeof(other));
	uint64_t len = elfwrite_build_id(&e, 0x400 + sizeof(other), id_a, sizeof(id_a));

	elfwrite_segment(&e, PT_NOTE, PF_R, 0x400, 0x400, sizeof(other) + len);
	struct elffile *f = finish(&e);

	assert_int_equal(elffile_build_id(f, id), sizeof(id_a));
	assert_memory_equal(id, id_a, sizeof(id_a));
	elffile_destroy(f);
	/* By section where no segment has it, as in a separate debug file or a kernel module. */
	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	len = elfwrite_build_id(&e, 0x400, id_a, sizeof(id_a));
	elfwrite_section(&e, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x400, 0x400, len);
	f = finish(&e);
	assert_int_equal(elffile_build_id(f, id), sizeof(id_a));
	elffile_destroy(f);
	/* Longer than any known: not taken. Cut off: not taken. */
	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	uint8_t long_id[40] = { 1 };

	len = elfwrite_build_id(&e, 0x400, long_id, sizeof(long_id));
	elfwrite_segment(&e, PT_NOTE, PF_R, 0x400, 0x400, len);
	elfwrite_segment(&e, PT_NOTE, PF_R, 0x500, 0x500, 24);
	elfwrite_build_id(&e, 0x500, id_a, sizeof(id_a));
	f = finish(&e);
	assert_int_equal(elffile_build_id(f, id), 0);
	elffile_destroy(f);
}

static struct elffile *file_with_id(const uint8_t *id, struct stat *st)
{
	struct elfwrite e;
	struct elffile *f = NULL;

	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	if (id)
		elfwrite_segment(&e, PT_NOTE, PF_R, 0x400, 0x400,
				 elfwrite_build_id(&e, 0x400, id, 20));
	elfwrite_finish(&e);
	int fd = elfwrite_fd(&e);

	assert_int_equal(fstat(fd, st), 0);
	assert_null(elffile_open(fd, &f));
	close(fd);
	elfwrite_deinit(&e);
	return f;
}

static struct binary binary_of(const struct stat *st)
{
	return (struct binary){
		.kind = BINARY_KIND_FILE,
		.inode = st->st_ino,
		.dev_major = major(st->st_dev),
		.dev_minor = minor(st->st_dev),
	};
}

static void test_identify(void **state)
{
	struct stat st;
	struct elffile *f = file_with_id(id_a, &st);
	struct binary b = binary_of(&st), other = { .build_id_len = 20 };

	(void)state;
	assert_true(elffile_identify(f, &b));
	assert_int_equal(b.build_id_len, 20);
	assert_memory_equal(b.build_id, id_a, 20);
	assert_int_equal(b.size, st.st_size);
	assert_int_not_equal(b.mtime_ns, 0);
	assert_int_equal(b.revision, 1);
	/* The build-id decides alone: the same build elsewhere is as good. */
	b.inode++;
	b.mtime_ns++;
	assert_true(elffile_identify(f, &b));
	memcpy(other.build_id, id_b, 20);
	assert_false(elffile_identify(f, &other));
	assert_int_equal(other.revision, 0);
	assert_int_equal(other.size, 0);
	elffile_destroy(f);

	f = file_with_id(NULL, &st);
	b = binary_of(&st);
	b.inode++;
	assert_false(elffile_identify(f, &b));
	b = binary_of(&st);
	b.dev_minor++;
	assert_false(elffile_identify(f, &b));
	b = binary_of(&st);
	assert_true(elffile_identify(f, &b));
	assert_int_equal(b.build_id_len, 0);
	/* Overwritten in place since. */
	b.mtime_ns++;
	assert_false(elffile_identify(f, &b));
	/* It had a build-id when it was recorded. */
	assert_false(elffile_identify(f, &other));
	elffile_destroy(f);
}

/* One CIE and FDEs for [0x1000, 0x1010), [0x1010, 0x1040), [0x2000, 0x2001). `encoding` is how the
 * FDEs store addresses, `svma` where the section will be. */
static void put_fde_address(struct buf *b, uint64_t svma, uint8_t encoding, uint64_t value,
			    bool is_64bit)
{
	if ((encoding & 0x70) == 0x10)
		value -= svma + b->len;
	if ((encoding & 0x0f) == 0x0b || (encoding & 0x0f) == 0x03)
		buf_u32(b, (uint32_t)value);
	else if (is_64bit)
		buf_u64(b, value);
	else
		buf_u32(b, (uint32_t)value);
}

static const struct {
	uint64_t start, len;
} fde_ranges[] = { { 0x1000, 0x10 }, { 0x1010, 0x30 }, { 0x2000, 1 } };

enum { N_FDES = 3 };

static struct buf eh_frame(uint64_t svma, uint8_t encoding, bool is_64bit, uint64_t fdes[N_FDES])
{
	struct buf b = { 0 };
	const uint8_t cie[] = { 0, 0, 0, 0, 1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16,
				/* augmentation: personality, lsda encoding, address encoding */
				7, 0x9b, 1, 2, 3, 4, 0x1b, encoding };

	buf_u32(&b, sizeof(cie));
	buf_bytes(&b, cie, sizeof(cie));
	for (size_t i = 0; i < N_FDES; i++) {
		size_t at = b.len;

		fdes[i] = svma + at;
		buf_u32(&b, 0);
		buf_u32(&b, (uint32_t)b.len);
		put_fde_address(&b, svma, encoding, fde_ranges[i].start, is_64bit);
		put_fde_address(&b, svma, encoding & 0x0f, fde_ranges[i].len, is_64bit);
		buf_u8(&b, 0);
		uint32_t len = (uint32_t)(b.len - at - 4);

		memcpy(b.data + at, &len, 4);
	}
	buf_u32(&b, 0);
	return b;
}

static void expect_fdes(struct elffile *f)
{
	uint64_t start = 0, end = 0;

	assert_false(elffile_fde(f, 0xfff, &start, &end));
	assert_true(elffile_fde(f, 0x1000, &start, &end));
	assert_int_equal(start, 0x1000);
	assert_int_equal(end, 0x1010);
	assert_true(elffile_fde(f, 0x103f, &start, &end));
	assert_int_equal(start, 0x1010);
	assert_int_equal(end, 0x1040);
	assert_false(elffile_fde(f, 0x1040, &start, &end));
	assert_true(elffile_fde(f, 0x2000, &start, &end));
	assert_int_equal(start, 0x2000);
	assert_false(elffile_fde(f, 0x2001, &start, &end));
}

static void add_eh_frame_hdr(struct elfwrite *e, uint64_t hdr_svma, uint64_t frame_svma,
			     const uint64_t fdes[N_FDES])
{
	struct buf b = { 0 };
	const uint8_t head[] = { 1, 0x1b, 0x03, 0x3b };

	buf_bytes(&b, head, sizeof(head));
	buf_u32(&b, (uint32_t)(frame_svma - (hdr_svma + 4)));
	buf_u32(&b, N_FDES);
	for (size_t i = 0; i < N_FDES; i++) {
		buf_u32(&b, (uint32_t)(fde_ranges[i].start - hdr_svma));
		buf_u32(&b, (uint32_t)(fdes[i] - hdr_svma));
	}
	elfwrite_bytes(e, hdr_svma - 0x4000, b.data, b.len);
	elfwrite_segment(e, PT_GNU_EH_FRAME, PF_R, hdr_svma - 0x4000, hdr_svma, b.len);
	buf_deinit(&b);
}

/* svma = offset + 0x4000 for the tables. */
static struct elffile *file_with_fdes(bool is_64bit, uint8_t encoding, bool with_hdr,
				      bool with_section)
{
	struct elfwrite e;
	uint64_t fdes[N_FDES];
	struct buf frame = eh_frame(0x4800, encoding, is_64bit, fdes);

	elfwrite_init(&e, is_64bit, ET_DYN, is_64bit ? EM_X86_64 : EM_386);
	elfwrite_segment(&e, PT_LOAD, PF_R, 0x400, 0x4400, 0x800);
	elfwrite_bytes(&e, 0x800, frame.data, frame.len);
	if (with_hdr)
		add_eh_frame_hdr(&e, 0x4600, 0x4800, fdes);
	if (with_section)
		elfwrite_section(&e, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x4800, 0x800,
				 frame.len);
	buf_deinit(&frame);
	elfwrite_bytes(&e, 0xc00, "", 0);
	return finish(&e);
}

static void test_fdes(void **state)
{
	static const uint8_t encodings[] = { 0x1b, 0x03, 0x00, 0x1c };

	(void)state;
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		for (size_t i = 0; i < sizeof(encodings) - !is_64bit; i++) {
			for (int how = 1; how < 4; how++) {
				struct elffile *f =
					file_with_fdes(is_64bit, encodings[i], how & 1, how & 2);

				expect_fdes(f);
				elffile_destroy(f);
			}
		}
	}
	struct elffile *f = file_with_fdes(true, 0x1b, false, false);
	uint64_t start, end;

	assert_false(elffile_fde(f, 0x1000, &start, &end));
	elffile_destroy(f);
}

static void open_and_look(const uint8_t *data, size_t len)
{
	struct elffile *f = NULL;
	struct err *err = elffile_open_memory(data, len, &f);
	uint64_t a, b;

	if (err) {
		err_destroy(err);
		return;
	}
	for (uint64_t svma = 0xff0; svma < 0x2010; svma += 0x10) {
		if (elffile_fde(f, svma, &a, &b))
			assert_true(a <= svma && svma < b);
		elffile_off_to_svma(f, svma, &a);
		elffile_bytes(f, svma, 64);
	}
	elffile_destroy(f);
}

/* Every byte damaged in turn, and every length: an error or an answer, nothing else. */
static void test_damage(void **state)
{
	struct elfwrite e;
	uint64_t fdes[N_FDES];

	(void)state;
	for (int with_hdr = 0; with_hdr < 2; with_hdr++) {
		struct buf frame = eh_frame(0x4800, 0x1b, true, fdes);

		elfwrite_init(&e, true, ET_DYN, EM_X86_64);
		elfwrite_segment(&e, PT_LOAD, PF_R, 0x400, 0x4400, 0x800);
		elfwrite_bytes(&e, 0x800, frame.data, frame.len);
		if (with_hdr)
			add_eh_frame_hdr(&e, 0x4600, 0x4800, fdes);
		elfwrite_segment(&e, PT_NOTE, PF_R, 0x400, 0x4400,
				 elfwrite_build_id(&e, 0x400, id_a, 20));
		elfwrite_section(&e, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x4800, 0x800,
				 frame.len);
		elfwrite_finish(&e);
		for (size_t i = 0; i < e.data.len; i++) {
			static const uint8_t noise[] = { 0xff, 0x80, 0x01 };
			uint8_t *at = e.data.data + i, old = *at;

			if (!old && i > 0x130 && i < 0x400)
				continue;
			for (size_t k = 0; k < sizeof(noise); k++) {
				*at ^= noise[k];
				open_and_look(e.data.data, e.data.len);
				*at = old;
			}
		}
		for (size_t len = 0; len < e.data.len; len += 7) {
			uint8_t *cut = malloc(len ? len : 1);

			memcpy(cut, e.data.data, len);
			open_and_look(cut, len);
			free(cut);
		}
		buf_deinit(&frame);
		elfwrite_deinit(&e);
	}
}

static void test_not_elf(void **state)
{
	struct elffile *f = NULL;
	int pipes[2];

	(void)state;
	struct err *err = elffile_open_memory("#!/bin/sh\n", 10, &f);

	assert_non_null(err);
	err_destroy(err);
	assert_int_equal(pipe(pipes), 0);
	err = elffile_open(pipes[0], &f);
	assert_non_null(err);
	err_destroy(err);
	close(pipes[0]);
	close(pipes[1]);
	err = elffile_open(-1, &f);
	assert_non_null(err);
	err_destroy(err);
	assert_null(f);
}

/* A file that shrinks after it was opened gives no bytes, and no SIGBUS. */
static void test_shrinking_file(void **state)
{
	struct elfwrite e;
	struct elffile *f = NULL;

	(void)state;
	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, 0x1000, 0x1000, 0x100000);
	elfwrite_bytes(&e, 0x1000, "code", 4);
	elfwrite_bytes(&e, 0x100fff, "x", 1);
	elfwrite_finish(&e);
	int fd = elfwrite_fd(&e);

	assert_null(elffile_open(fd, &f));
	assert_memory_equal(elffile_bytes(f, 0x1000, 4), "code", 4);
	assert_int_equal(ftruncate(fd, 0x1000), 0);
	assert_null(elffile_bytes(f, 0x80000, 4));
	assert_memory_equal(elffile_bytes(f, 0x1000, 4), "code", 4);
	close(fd);
	elffile_destroy(f);
	elfwrite_deinit(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pie_with_equal_offsets),
		cmocka_unit_test(test_non_pie_and_prelinked),
		cmocka_unit_test(test_lld_offsets_differ),
		cmocka_unit_test(test_several_executable_segments),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_identify),
		cmocka_unit_test(test_fdes),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_not_elf),
		cmocka_unit_test(test_shrinking_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
