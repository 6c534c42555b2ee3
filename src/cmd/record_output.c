/* In: a path. Out: a new file there, mode 0600, under sudo the caller's. */
#include "cmd/record_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

void record_output_init(struct record_output *o)
{
	*o = (struct record_output){ .fd = -1 };
}

void record_output_deinit(struct record_output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	free(o->path);
	free(o->old);
	record_output_init(o);
}

struct err *record_output_check(const char *path)
{
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO))
		return err_new("a recording is not for a terminal: -o FILE, or a pipe");
	return NULL;
}

static struct err *open_stdout(struct record_output *o)
{
	o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	o->is_stream = true;
	return o->fd < 0 ? err_sys(errno, "standard output") : NULL;
}

/* Under sudo the file is for the one who asked. */
static struct err *give_to_sudo_user(int fd, const char *path)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");

	if (geteuid() != 0 || !uid || !gid)
		return NULL;
	if (fchown(fd, (uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10)))
		return err_sys(errno, "cannot give %s to uid %s", path, uid);
	return NULL;
}

struct err *record_output_open(struct record_output *o, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return open_stdout(o);
	bool exists = !lstat(path, &st);

	if (exists && S_ISDIR(st.st_mode))
		return err_sys(EISDIR, "cannot write %s", path);
	if (exists && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
		o->is_stream = true; /* a FIFO or a device that somebody put there for us */
		o->fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
		return o->fd < 0 ? err_sys(errno, "cannot write %s", path) : NULL;
	}
	if (exists) {
		o->old = xasprintf("%s.old", path);
		if (rename(path, o->old))
			return err_sys(errno, "cannot keep %s as %s", path, o->old);
	}
	/* Between the look and this anything may have come there: then it is an error. */
	o->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (o->fd < 0)
		return err_sys(errno, "cannot create %s", path);
	o->path = xstrdup(path);
	return give_to_sudo_user(o->fd, path);
}

void record_output_abandon(struct record_output *o)
{
	if (!o->path)
		return;
	unlink(o->path);
	if (o->old)
		rename(o->old, o->path);
}
