/* In: targets of perf_event_open(2), /proc and the files it names. Out: descriptors and text; a
 * mapped file only if it is the one that was mapped. */
#include "capture/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "model/elffile.h"

enum {
	TEXT_MAX = 64 << 20, /* what no /proc text reaches */
	HELD_MAX = 64,       /* mount namespaces held at a time */
};

void opener_init(struct opener *o, const char *root)
{
	*o = (struct opener){ .root = xstrdup(root) };
	_cleanup_free_ char *path = xasprintf("%s/proc/self/ns/mnt", root);
	struct stat st;

	if (!stat(path, &st))
		o->own_ns = st.st_ino;
}

void opener_deinit(struct opener *o)
{
	for (size_t i = 0; i < o->held.n; i++) {
		close(o->held.v[i].ns_fd);
		close(o->held.v[i].root_fd);
	}
	vec_deinit(&o->held);
	free(o->root);
	o->root = NULL;
}

int opener_event(void *ctx, struct perf_event_attr *attr, int pid, int cpu)
{
	(void)ctx;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Until the end, or until `most` bytes or a little more are there. */
static struct err *opener_slurp(int fd, const char *path, size_t most, struct buf *ret)
{
	while (ret->len < most) {
		buf_room(ret, 65536);
		ssize_t n = read(fd, ret->data + ret->len, 65535);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "cannot read %s", path);
		if (!n)
			break;
		ret->len += (size_t)n;
	}
	ret->data[ret->len] = '\0';
	return NULL;
}

struct err *opener_read_head(const struct opener *o, const char *path, size_t most, struct buf *ret)
{
	_cleanup_free_ char *full = xasprintf("%s%s", o->root, path);
	_cleanup_close_ int fd = open(full, O_RDONLY | O_CLOEXEC);

	ret->len = 0;
	if (fd < 0)
		return err_sys(errno, "cannot open %s", path);
	buf_room(ret, 1);
	return opener_slurp(fd, path, most, ret);
}

struct err *opener_read(const struct opener *o, const char *path, struct buf *ret)
{
	TRY(opener_read_head(o, path, TEXT_MAX, ret));
	if (ret->len >= TEXT_MAX)
		return err_new("%s does not end", path);
	return NULL;
}

struct err *opener_proc(const struct opener *o, uint32_t pid, const char *name, struct buf *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%u/%s", pid, name);

	return opener_read(o, path, ret);
}

DIR *opener_dir(const struct opener *o, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s%s", o->root, path);
	_cleanup_close_ int fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	DIR *dir = fdopendir(fd);

	if (dir)
		fd = -1;
	return dir;
}

int64_t opener_sysctl(const struct opener *o, const char *name, int64_t otherwise)
{
	_cleanup_free_ char *path = xasprintf("/proc/sys/%s", name);
	struct buf text = { 0 };
	struct err *err = opener_read(o, path, &text);
	char *end = NULL;
	int64_t value = err || !text.data ? 0 : strtoll((char *)text.data, &end, 10);

	if (!end || end == (char *)text.data)
		value = otherwise;
	err_destroy(err);
	buf_deinit(&text);
	return value;
}

uint64_t opener_namespace(const struct opener *o, uint32_t pid, const char *kind)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%u/ns/%s", o->root, pid, kind);
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

char *opener_exe(const struct opener *o, uint32_t pid)
{
	static const char deleted[] = " (deleted)";
	_cleanup_free_ char *path = xasprintf("%s/proc/%u/exe", o->root, pid);
	char target[4096];
	ssize_t n = readlink(path, target, sizeof(target));

	if (n <= 0 || n == sizeof(target))
		return NULL;
	size_t len = (size_t)n, tail = sizeof(deleted) - 1;

	if (len > tail && !memcmp(target + len - tail, deleted, tail))
		len -= tail;
	return xstrndup(target, len);
}

/* Looks before it opens: opening a device or a FIFO would do something. */
static int open_regular(int at)
{
	struct stat st;
	char self[64];

	if (at < 0)
		return -1;
	if (fstat(at, &st) || !S_ISREG(st.st_mode)) {
		close(at);
		errno = EACCES;
		return -1;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
	int fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int saved = errno;

	close(at);
	errno = saved;
	return fd;
}

static int open_path(const char *path)
{
	return open_regular(open(path, O_PATH | O_CLOEXEC));
}

/* As the process itself would: an absolute link stays inside its root. */
static int open_in_root(int root_fd, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	return open_regular((int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how)));
}

int opener_root(struct opener *o, uint32_t pid)
{
	uint64_t ns = opener_namespace(o, pid, "mnt");

	for (size_t i = 0; ns && i < o->held.n; i++)
		if (o->held.v[i].ns_inode == ns)
			return o->held.v[i].root_fd;
	if (!ns || ns == o->own_ns || o->held.n == HELD_MAX)
		return -1;
	_cleanup_free_ char *ns_path = xasprintf("%s/proc/%u/ns/mnt", o->root, pid);
	_cleanup_free_ char *root_path = xasprintf("%s/proc/%u/root", o->root, pid);
	_cleanup_close_ int ns_fd = open(ns_path, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int root_fd = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (ns_fd < 0 || root_fd < 0)
		return -1;
	int root = root_fd;
	struct held_root held = { ns, take_fd(ns_fd), take_fd(root_fd) };

	vec_push(&o->held, held);
	return root;
}

int opener_own_file(const struct opener *o, int root_fd, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
				.resolve = RESOLVE_IN_ROOT };
	_cleanup_free_ char *full = xasprintf("%s%s", o->root, path);

	if (root_fd < 0)
		return open_regular(open(full, O_PATH | O_CLOEXEC | O_NOFOLLOW));
	return open_regular((int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how)));
}

static bool is_inode(int fd, const struct binary *binary)
{
	struct stat st;

	return !fstat(fd, &st) && binary->inode && st.st_ino == binary->inode &&
	       major(st.st_dev) == binary->dev_major && minor(st.st_dev) == binary->dev_minor;
}

/* Takes `fd` if it is the file that was mapped; *ret_no_elf if it is, but no ELF file. */
static bool accept_file(int fd, struct binary *binary, int *ret_fd, bool *ret_no_elf)
{
	struct elffile *f = NULL;
	struct err *err = elffile_open(fd, &f);

	if (err) {
		*ret_no_elf |= !err_errno(err) && is_inode(fd, binary);
		err_destroy(err);
		close(fd);
		return false;
	}
	bool same = elffile_identify(f, binary);

	elffile_destroy(f);
	if (same)
		*ret_fd = fd;
	else
		close(fd);
	return same;
}

static bool accept_inode(int fd, const struct binary *binary, int *ret_fd)
{
	bool same = is_inode(fd, binary);

	if (same)
		*ret_fd = fd;
	else
		close(fd);
	return same;
}

enum candidate { BY_MAP, BY_EXE, BY_HELD_ROOT, BY_ROOT, BY_OWN_PATH, N_CANDIDATES };

static int candidate_open(struct opener *o, enum candidate c, const struct mapped_file *want,
			  const char *path)
{
	_cleanup_free_ char *name = NULL;

	errno = ENOENT;
	switch (c) {
	case BY_MAP:
		name = xasprintf("%s/proc/%u/map_files/%llx-%llx", o->root, want->pid,
				 (unsigned long long)want->start, (unsigned long long)want->end);
		return open_path(name);
	case BY_EXE:
		name = xasprintf("%s/proc/%u/exe", o->root, want->pid);
		return open_path(name);
	case BY_HELD_ROOT: {
		int root = opener_root(o, want->pid);

		return root < 0 || *path != '/' ? -1 : open_in_root(root, path);
	}
	case BY_ROOT:
		name = xasprintf("%s/proc/%u/root%s", o->root, want->pid, path);
		return *path == '/' ? open_path(name) : -1;
	case BY_OWN_PATH:
		name = xasprintf("%s%s", o->root, path);
		return *path == '/' ? open_path(name) : -1;
	case N_CANDIDATES:
		break;
	}
	return -1;
}

struct err *opener_mapped(struct opener *o, const struct mapped_file *want, struct binary *binary,
			  int *ret_fd)
{
	bool other = false, no_elf = false;
	int why = ENOENT;

	for (int c = 0; c < N_CANDIDATES; c++) {
		int fd = candidate_open(o, (enum candidate)c, want, binary->path);

		if (fd < 0) {
			if (errno == EMFILE || errno == ENFILE || why == ENOENT)
				why = errno;
			continue;
		}
		if (want->no_elf ? accept_inode(fd, binary, ret_fd)
				 : accept_file(fd, binary, ret_fd, &no_elf))
			return NULL;
		other |= c != BY_EXE; /* /proc/PID/exe is rightly another file for a library */
	}
	if (no_elf)
		return err_sys(ENOEXEC, "%s is no ELF file", binary->path);
	if (other)
		return err_new("%s is not the file that was mapped any more", binary->path);
	return err_sys(why, "cannot open %s as it was mapped", binary->path);
}
