/* In: a process with code in no file. Out: the map its compiler writes, opened. */
#include "capture/jitmaps.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/procfs.h"

/* The last number of "NSpid:\t123\t7" (proc(5)): what the process calls itself. */
static uint32_t inner_pid(char *status, uint32_t pid)
{
	char *line = strstr(status, "\nNSpid:");

	if (!line)
		return pid;
	line += strlen("\nNSpid:");
	line[strcspn(line, "\n")] = '\0';
	char *last = strrchr(line, '\t');
	unsigned long n = last ? strtoul(last + 1, NULL, 10) : 0;

	return n && n <= UINT32_MAX ? (uint32_t)n : pid;
}

/* NULL if it is gone and was never looked at. Valid until the next call. */
static const struct jitprocess *jitprocess_get(struct jitmaps *j, struct opener *o, uint32_t pid)
{
	struct buf status = { 0 };
	struct jitprocess p = { .pid = pid };
	uint32_t uid;

	for (size_t i = 0; i < j->v.n; i++)
		if (j->v.v[i].pid == pid)
			return &j->v.v[i];
	struct err *err = opener_proc(o, pid, "status", &status);

	if (!err && procfs_uid(o, pid, &uid)) {
		p.uid = uid;
		p.inner_pid = inner_pid((char *)status.data, pid);
		p.root_fd = opener_root(o, pid);
		vec_push(&j->v, p);
	}
	buf_deinit(&status);
	if (!err)
		return j->v.n ? &j->v.v[j->v.n - 1] : NULL;
	err_destroy(err);
	return NULL;
}

void jitmaps_deinit(struct jitmaps *j)
{
	vec_deinit(&j->v);
}

struct err *jitmaps_open(struct jitmaps *j, struct opener *o, uint32_t pid, int *ret_fd)
{
	const struct jitprocess *p = jitprocess_get(j, o, pid);
	struct stat st;

	if (!p || p->pid != pid)
		return err_sys(ENOENT, "process %u is gone", pid);
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%u.map", p->inner_pid);
	_cleanup_close_ int fd = opener_own_file(o, p->root_fd, path);

	if (fd < 0)
		return err_sys(errno, "cannot open %s of process %u", path, pid);
	if (fstat(fd, &st))
		return err_sys(errno, "cannot look at %s", path);
	/* /tmp is everybody's: names in it could be anybody's jokes. */
	if (st.st_uid != p->uid && st.st_uid != 0)
		return err_sys(EPERM, "%s belongs to uid %u, process %u is of uid %u", path,
			       st.st_uid, pid, p->uid);
	*ret_fd = take_fd(fd);
	return NULL;
}
