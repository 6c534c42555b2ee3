/* In: lists, names and users as typed. Out: the processes they mean. */
#include "capture/target.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

void target_deinit(struct target *t)
{
	vec_deinit(&t->ids);
	vec_deinit(&t->cpus);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_unique(u32_vec *v)
{
	size_t kept = 0;

	if (v->n)
		qsort(v->v, v->n, sizeof(*v->v), compare_u32);
	for (size_t i = 0; i < v->n; i++)
		if (!kept || v->v[kept - 1] != v->v[i])
			v->v[kept++] = v->v[i];
	v->n = kept;
}

struct err *target_parse_ids(struct target *t, enum target_kind kind, const char *list)
{
	const char *what = kind == TARGET_TIDS ? "thread" : "process";

	if (!*list || strchr(list, '-') || !procfs_parse_list(list, INT32_MAX, &t->ids))
		return err_new("'%s' is not a list of %s ids such as 123,456", list, what);
	for (size_t i = 0; i < t->ids.n; i++)
		if (!t->ids.v[i])
			return err_new("there is no %s 0", what);
	sort_unique(&t->ids);
	t->kind = kind;
	return NULL;
}

struct err *target_parse_cpus(struct target *t, const char *list)
{
	enum { CPU_MAX = 65535 };

	if (!procfs_parse_list(list, CPU_MAX, &t->cpus))
		return err_new("'%s' is not a list of CPUs such as 0-3,7", list);
	sort_unique(&t->cpus);
	return NULL;
}

struct err *target_parse_user(struct target *t, const char *user)
{
	u32_vec number = { 0 };
	bool is_number = !strpbrk(user, ",-") && procfs_parse_list(user, UINT32_MAX - 1, &number);
	const struct passwd *pw = is_number ? NULL : getpwnam(user);

	if (is_number)
		t->uid = number.v[0];
	else if (pw)
		t->uid = pw->pw_uid;
	vec_deinit(&number);
	if (!is_number && !pw)
		return err_new("there is no user '%s'", user);
	t->kind = TARGET_UID;
	return NULL;
}

static bool has_name(const struct opener *o, uint32_t pid, const char *name)
{
	_cleanup_free_ char *comm = procfs_comm(o, pid, pid);

	if (comm && !strcmp(comm, name))
		return true;
	_cleanup_free_ char *exe = opener_exe(o, pid);
	const char *slash = exe ? strrchr(exe, '/') : NULL;

	return slash && !strcmp(slash + 1, name);
}

struct err *target_find_name(struct target *t, const struct opener *o, const char *name)
{
	u32_vec all = { 0 };

	t->kind = TARGET_PIDS;
	t->ids.n = 0;
	if (!procfs_numbers(o, 0, &all)) {
		vec_deinit(&all);
		return err_sys(errno, "cannot list /proc");
	}
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i] != (uint32_t)getpid() && has_name(o, all.v[i], name))
			vec_push(&t->ids, all.v[i]);
	vec_deinit(&all);
	return NULL;
}

static struct err *check_processes(const struct target *t, const struct opener *o, u32_vec *ret)
{
	for (size_t i = 0; i < t->ids.n; i++) {
		uint32_t id = t->ids.v[i], tgid;

		if (!procfs_tgid(o, id, &tgid))
			return err_sys(ESRCH, "there is no %s %u",
				       t->kind == TARGET_TIDS ? "thread" : "process", id);
		if (t->kind != TARGET_TIDS && tgid != id)
			return err_new("%u is a thread of process %u: -p %u for all of it, -t %u "
				       "for the thread alone",
				       id, tgid, tgid, id);
		vec_push(ret, tgid);
	}
	sort_unique(ret);
	return NULL;
}

struct err *target_processes(const struct target *t, const struct opener *o, u32_vec *ret)
{
	ret->n = 0;
	if (t->kind != TARGET_UID && t->kind != TARGET_ALL)
		return check_processes(t, o, ret);
	if (!procfs_numbers(o, 0, ret))
		return err_sys(errno, "cannot list /proc");
	size_t kept = 0;

	for (size_t i = 0; i < ret->n; i++) {
		uint32_t pid = ret->v[i], uid;

		if (pid == (uint32_t)getpid())
			continue;
		if (t->kind == TARGET_ALL || (procfs_uid(o, pid, &uid) && uid == t->uid))
			ret->v[kept++] = pid;
	}
	ret->n = kept;
	sort_unique(ret);
	return NULL;
}
