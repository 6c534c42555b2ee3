/* In: what a recording says of a binary. Out: its file, opened, or why there is none. */
#include "symbol/locate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "model/vdso.h"
#include "symbol/boot.h"

static const char NO_FILE[] = "no such file";

static struct located not_found(char *why)
{
	return (struct located){ .why = why };
}

/* The first bytes are enough to tell two builds apart by eye. */
static char *build_id_text(const uint8_t *id, size_t len)
{
	struct buf text = { 0 };
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len && i < 8; i++) {
		buf_u8(&text, (uint8_t)digits[id[i] >> 4]);
		buf_u8(&text, (uint8_t)digits[id[i] & 15]);
	}
	buf_u8(&text, 0);
	return (char *)text.data;
}

static char *why_differs(const struct elffile *file, const struct binary *binary)
{
	uint8_t id[BUILD_ID_MAX];
	size_t len = elffile_build_id(file, id);

	if (!len || !binary->build_id_len)
		return xstrdup("changed since recording");
	_cleanup_free_ char *theirs = build_id_text(id, len);
	_cleanup_free_ char *ours = build_id_text(binary->build_id, binary->build_id_len);

	return xasprintf("build-id differs: file %s…, recording %s…", theirs, ours);
}

/* Without a build-id on both sides a file written in place has still the same inode. */
static bool written_since(const struct elffile *file, const struct binary *binary,
			  const struct stat *st)
{
	uint8_t id[BUILD_ID_MAX];

	if (binary->build_id_len && elffile_build_id(file, id))
		return false;
	uint64_t mtime_ns =
		(uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;

	return (binary->mtime_ns && binary->mtime_ns != mtime_ns) ||
	       (binary->size && binary->size != (uint64_t)st->st_size);
}

static struct located locate_fd(struct binary *binary, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return not_found(xstrdup(strerror(errno)));
	if (!S_ISREG(st.st_mode))
		return not_found(xstrdup("not a regular file"));
	CLEANUP(elffile_destroy) struct elffile *file = NULL;
	_cleanup_err_ struct err *err = elffile_open(fd, &file);

	if (err)
		return not_found(xstrdup(err_msg(err)));
	if (written_since(file, binary, &st))
		return not_found(xstrdup("changed since recording"));
	if (!elffile_identify(file, binary))
		return not_found(why_differs(file, binary));
	return (struct located){ .file = take_ptr(file) };
}

static struct located locate_path(struct binary *binary, const char *path)
{
	/* O_NONBLOCK: whatever bears the name now may be a fifo. */
	_cleanup_close_ int own = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (own < 0)
		return not_found(errno == ENOENT ? xstrdup(NO_FILE)
						 : xasprintf("cannot open: %s", strerror(errno)));
	return locate_fd(binary, own);
}

struct located locate_file(struct binary *binary, int fd, const char *sysroot)
{
	if (fd >= 0) {
		struct located by_fd = locate_fd(binary, fd);

		if (by_fd.file)
			return by_fd;
		free(by_fd.why);
	}
	if (binary->path[0] != '/')
		return not_found(xstrdup("no path"));
	if (!sysroot)
		return locate_path(binary, binary->path);
	_cleanup_free_ char *path = xasprintf("%s%s", sysroot, binary->path);
	struct located below = locate_path(binary, path);

	if (below.file)
		return below;
	struct located here = locate_path(binary, binary->path);

	/* Why a file that was asked for is refused says more than that there is none here. */
	if (!here.why || strcmp(here.why, NO_FILE)) {
		free(below.why);
		return here;
	}
	free(here.why);
	return below;
}

struct located locate_vdso(const struct binary *binary, const struct meta *meta)
{
	CLEANUP(elffile_destroy) struct elffile *file = NULL;
	uint8_t id[BUILD_ID_MAX];

	if (!boot_serves(meta))
		return not_found(xstrdup("recorded on another boot"));
	_cleanup_err_ struct err *err = vdso_open(&file);

	if (err)
		return not_found(xstrdup(err_msg(err)));
	size_t len = elffile_build_id(file, id);

	if (binary->build_id_len && len &&
	    (len != binary->build_id_len || memcmp(id, binary->build_id, len) != 0))
		return not_found(xstrdup("build-id differs"));
	return (struct located){ .file = take_ptr(file) };
}
