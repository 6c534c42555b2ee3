/* In: a path or none. Out: an open stream, and at its end a whole file or none. */
#include "cmd/report_target.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

static bool in_path(const char *program)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");
		_cleanup_free_ char *file = xasprintf("%.*s/%s", (int)len, path, program);

		if (!access(file, X_OK))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* NULL: no pager. */
static const char *pager(void)
{
	const char *set = getenv("PAGER");

	if (set)
		return *set && strcmp(set, "cat") != 0 ? set : NULL;
	return in_path("less") ? "less" : NULL;
}

static bool same_file(int fd, const struct stat *b)
{
	struct stat a;

	return !fstat(fd, &a) && a.st_dev == b->st_dev && a.st_ino == b->st_ino;
}

struct err *report_target_check(const char *path, int input_fd)
{
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode) && same_file(input_fd, &st))
		return err_new("%s is the recording itself: give another name to -o", path);
	return NULL;
}

static struct err *open_path(struct report_target *t, int input_fd)
{
	struct stat st;

	TRY(report_target_check(t->path, input_fd));
	t->out = fopen(t->path, "we");
	if (!t->out)
		return err_sys(errno, "cannot write %s", t->path);
	t->is_regular = !fstat(fileno(t->out), &st) && S_ISREG(st.st_mode);
	return NULL;
}

struct err *report_target_open(struct report_target *t, const char *path, bool page, int input_fd)
{
	*t = (struct report_target){ 0 };
	/* Whoever stops reading ends the report, not the program: see report_target_close(). */
	signal(SIGPIPE, SIG_IGN);
	if (path && strcmp(path, "-") != 0) {
		t->path = path;
		return open_path(t, input_fd);
	}
	const char *program = page ? pager() : NULL;

	if (!program) {
		t->out = stdout;
		return NULL;
	}
	setenv("LESS", "FRSX", 0); /* no pager for what fits; long lines are cut, not wrapped */
	t->out = popen(program, "we");
	if (!t->out)
		return err_sys(errno, "cannot run %s", program);
	t->is_pager = true;
	return NULL;
}

struct err *report_target_close(struct report_target *t, struct err *err)
{
	const char *name = t->path ?: "the output";

	if (t->is_pager)
		pclose(t->out);
	else if (t->out && (t->path ? fclose(t->out) : fflush(t->out)) && !err)
		err = err_sys(errno, "cannot write %s", name);
	t->out = NULL;
	if (err && t->path && t->is_regular)
		unlink(t->path);
	if (!err || err_errno(err) != EPIPE)
		return err;
	err_destroy(err);
	return NULL;
}
