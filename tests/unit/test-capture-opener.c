/* Unit tests of capture/opener: a root directory made for the purpose, with files that are and
 * files that are not what was mapped. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/files.h"
#include "capture/opener.h"
#include "support/elfwrite.h"

struct fixture {
	char root[64];
	struct opener opener;
};

static const struct mapped_file where = { .pid = 77, .start = 0x400000, .end = 0x401000 };

/* Makes the directories on the way. */
static char *path_in(struct fixture *f, const char *name)
{
	char *path = xasprintf("%s%s", f->root, name);

	for (char *p = path + strlen(f->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	return path;
}

static void write_file(struct fixture *f, const char *name, const void *data, size_t len)
{
	_cleanup_free_ char *path = path_in(f, name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
}

static void write_elf(struct fixture *f, const char *name, const char *build_id)
{
	enum { AT = ELFWRITE_DATA, SVMA = 0x1000 };
	struct elfwrite e;

	elfwrite_init(&e, true, ET_DYN, EM_X86_64);
	uint64_t len = elfwrite_build_id(&e, AT, build_id, (uint32_t)strlen(build_id));

	elfwrite_segment(&e, PT_LOAD, PF_R | PF_X, AT, SVMA, len);
	elfwrite_segment(&e, PT_NOTE, PF_R, AT, SVMA, len);
	elfwrite_section(&e, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, SVMA, AT, len);
	elfwrite_finish(&e);
	write_file(f, name, e.data.data, e.data.len);
	elfwrite_deinit(&e);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->root, "/tmp/test-opener-XXXXXX");
	if (!mkdtemp(f->root))
		return -1;
	opener_init(&f->opener, f->root);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *rm = xasprintf("rm -r %s", f->root);

	opener_deinit(&f->opener);
	free(f);
	return system(rm);
}

static struct binary want(const char *path, const char *build_id)
{
	struct binary b = { .kind = BINARY_KIND_FILE, .path = (char *)path };

	b.build_id_len = (uint8_t)strlen(build_id);
	memcpy(b.build_id, build_id, b.build_id_len);
	return b;
}

/* The descriptor is of the file of that name. */
static void assert_opens(struct fixture *f, struct binary b, const char *name)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *path = path_in(f, name);
	struct stat by_fd, by_path;

	assert_null(opener_mapped(&f->opener, &where, &b, &fd));
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_int_equal(stat(path, &by_path), 0);
	assert_int_equal(by_fd.st_ino, by_path.st_ino);
	assert_int_equal(b.size, by_path.st_size);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void assert_refused(struct fixture *f, struct binary b, int errnum)
{
	int fd = -1;
	struct err *err = opener_mapped(&f->opener, &where, &b, &fd);

	assert_non_null(err);
	assert_int_equal(err_errno(err), errnum);
	assert_int_equal(fd, -1);
	err_destroy(err);
}

static void test_order(void **state)
{
	struct fixture *f = *state;
	struct binary b = want("/bin/app", "right-id");

	assert_refused(f, b, ENOENT);
	write_elf(f, "/bin/app", "right-id");
	assert_opens(f, b, "/bin/app");
	write_elf(f, "/proc/77/root/bin/app", "right-id");
	assert_opens(f, b, "/proc/77/root/bin/app");
	write_elf(f, "/proc/77/exe", "right-id");
	assert_opens(f, b, "/proc/77/exe");
	write_elf(f, "/proc/77/map_files/400000-401000", "right-id");
	assert_opens(f, b, "/proc/77/map_files/400000-401000");
}

static void test_other_build_id(void **state)
{
	struct fixture *f = *state;
	struct binary b = want("/bin/app", "right-id");

	write_elf(f, "/bin/app", "WRONG-ID");
	assert_refused(f, b, 0);
	write_elf(f, "/proc/77/exe", "WRONG-ID");
	write_elf(f, "/proc/77/root/bin/app", "right-id");
	assert_opens(f, b, "/proc/77/root/bin/app");
}

static void test_takes_build_id(void **state)
{
	struct fixture *f = *state;
	struct binary b = want("/bin/app", "");
	_cleanup_free_ char *path = path_in(f, "/bin/app");
	_cleanup_close_ int fd = -1;
	struct stat st;

	write_elf(f, "/bin/app", "right-id");
	assert_int_equal(stat(path, &st), 0);
	b.inode = st.st_ino;
	b.dev_major = (uint32_t)(st.st_dev >> 8 & 0xfff);
	b.dev_minor = (uint32_t)(st.st_dev & 0xff);
	assert_null(opener_mapped(&f->opener, &where, &b, &fd));
	assert_int_equal(b.build_id_len, 8);
	assert_memory_equal(b.build_id, "right-id", 8);
	assert_true(b.mtime_ns > 0);
	b = want("/bin/app", "");
	b.inode = st.st_ino + 1;
	assert_refused(f, b, 0);
}

/* What was mapped is there, but is a runtime's own image, or it is another file. */
static void test_no_elf_file(void **state)
{
	struct fixture *f = *state;
	struct binary b = want("/bin/core", "");
	_cleanup_free_ char *path = path_in(f, "/bin/core");
	struct stat st;

	write_file(f, "/bin/core", "LCBS heap", 9);
	assert_int_equal(stat(path, &st), 0);
	b.inode = st.st_ino;
	b.dev_major = (uint32_t)(st.st_dev >> 8 & 0xfff);
	b.dev_minor = (uint32_t)(st.st_dev & 0xff);
	assert_refused(f, b, ENOEXEC);
	b.inode++;
	assert_refused(f, b, 0);
}

/* None of these may be opened, let alone waited for. */
static void test_no_regular_file(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *fifo = path_in(f, "/bin/fifo");

	free(path_in(f, "/bin/dir/")); /* makes the directory */
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_refused(f, want("/bin/fifo", "right-id"), EACCES);
	assert_refused(f, want("/bin/dir", "right-id"), EACCES);
	write_file(f, "/bin/text", "#!/bin/sh\n", 10);
	assert_refused(f, want("/bin/text", "right-id"), 0);
	assert_refused(f, want("relative", "right-id"), ENOENT);
}

static void test_texts(void **state)
{
	struct fixture *f = *state;
	struct buf text = { 0 };
	static const char large[200000] = "x";

	write_file(f, "/proc/77/maps", large, sizeof(large));
	write_file(f, "/proc/sys/kernel/perf_event_paranoid", "-1\n", 3);
	write_file(f, "/proc/sys/kernel/bad", "no\n", 3);
	assert_null(opener_proc(&f->opener, 77, "maps", &text));
	assert_int_equal(text.len, sizeof(large));
	assert_int_equal(text.data[text.len], 0);
	assert_null(opener_read_head(&f->opener, "/proc/77/maps", 1000, &text));
	assert_in_range(text.len, 1000, 70000);
	assert_int_equal(opener_sysctl(&f->opener, "kernel/perf_event_paranoid", 5), -1);
	assert_int_equal(opener_sysctl(&f->opener, "kernel/bad", 5), 5);
	assert_int_equal(opener_sysctl(&f->opener, "kernel/none", 5), 5);
	struct err *err = opener_proc(&f->opener, 78, "maps", &text);

	assert_int_equal(err_errno(err), ENOENT);
	err_destroy(err);
	buf_deinit(&text);
}

/* The helper thread: results for what was asked, one try for what is opened already, a second for
 * what failed, and no more descriptors than allowed. */
static void test_helper(void **state)
{
	struct fixture *f = *state;
	struct files *files = files_create(&f->opener, 1);
	struct binary a = want("/bin/a", "id-of-a"), b = want("/bin/b", "id-of-b");
	struct file_result r;
	int opened = 0, failed = 0;

	write_elf(f, "/bin/a", "id-of-a");
	files_request(files, 2, &a, &where);
	files_request(files, 2, &a, &where);
	files_request(files, 3, &b, &where);
	files_wait(files);
	while (files_take(files, &r)) {
		opened += !r.err && r.binary == 2 && r.found.size > 0;
		failed += r.err && r.binary == 3;
		err_destroy(r.err);
	}
	assert_int_equal(opened, 1);
	assert_int_equal(failed, 1);
	assert_true(files_fd(files, 2) >= 0);
	assert_int_equal(files_fd(files, 3), -1);
	write_elf(f, "/bin/b", "id-of-b");
	files_request(files, 2, &a, &where);
	files_request(files, 3, &b, &where);
	files_wait(files);
	assert_true(files_take(files, &r));
	assert_int_equal(r.binary, 3);
	assert_null(r.err);
	assert_false(files_take(files, &r));
	/* Room for one: `a` can be opened again by its path, `b` by its own, not through `want`'s.
	 */
	assert_int_equal((files_fd(files, 2) >= 0) + (files_fd(files, 3) >= 0), 1);
	files_destroy(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_build_id, setup, teardown),
		cmocka_unit_test_setup_teardown(test_takes_build_id, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_regular_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_elf_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_texts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_helper, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
