/* In: texts and directories of /proc. Out: mappings, numbers and names, checked. */
#include "capture/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A number in `base` followed by `stop`; moves past both. */
static bool take_number(char **p, int base, char stop, uint64_t *ret)
{
	char *end;

	if (!((**p >= '0' && **p <= '9') || (base == 16 && **p >= 'a' && **p <= 'f')))
		return false;
	errno = 0;
	*ret = strtoull(*p, &end, base);
	if (errno || *end != stop)
		return false;
	*p = end + 1;
	return true;
}

/* The kernel writes a newline in a path as \012 (seq_path()); nothing else is escaped. */
static void unescape_newlines(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		if (!strncmp(from, "\\012", 4)) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* "7f12-7f34 r-xp 00001000 08:01 1234      /path" */
static bool parse_map(char *line, struct raw_mmap *ret)
{
	uint64_t start, end, pgoff, major, minor, inode;

	if (!take_number(&line, 16, '-', &start) || !take_number(&line, 16, ' ', &end))
		return false;
	if (strnlen(line, 5) < 5 || line[4] != ' ' || start >= end)
		return false;
	uint32_t prot = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0) |
			(line[2] == 'x' ? PROT_EXEC : 0);
	uint32_t flags = line[3] == 's' ? MAP_SHARED : MAP_PRIVATE;

	line += 5;
	if (!take_number(&line, 16, ' ', &pgoff) || !take_number(&line, 16, ':', &major) ||
	    !take_number(&line, 16, ' ', &minor))
		return false;
	char *rest;

	inode = strtoull(line, &rest, 10);
	if (rest == line)
		return false;
	rest += strspn(rest, " ");
	unescape_newlines(rest);
	*ret = (struct raw_mmap){
		.start = start,
		.len = end - start,
		.pgoff = pgoff,
		.dev_major = (uint32_t)major,
		.dev_minor = (uint32_t)minor,
		.inode = inode,
		.prot = prot,
		.flags = flags,
		.path = *rest ? rest : "//anon", /* as PERF_RECORD_MMAP2 calls it */
		.data = !(prot & PROT_EXEC),
	};
	return true;
}

bool procfs_next_map(char **text, struct raw_mmap *ret)
{
	while (**text) {
		char *line = *text;
		size_t len = strcspn(line, "\n");

		*text = line + len + (line[len] == '\n');
		line[len] = '\0';
		if (parse_map(line, ret))
			return true;
	}
	return false;
}

bool procfs_status(const char *text, const char *key, uint64_t *ret)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) != 0 || line[len] != ':')
			continue;
		const char *number = line + len + 1 + strspn(line + len + 1, " \t");

		if (*number < '0' || *number > '9')
			return false;
		*ret = strtoull(number, NULL, 10);
		return true;
	}
	return false;
}

static bool take_u32(const char **p, uint32_t max, uint32_t *ret)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	errno = 0;
	unsigned long long v = strtoull(*p, &end, 10);

	if (errno || v > max)
		return false;
	*p = end;
	*ret = (uint32_t)v;
	return true;
}

bool procfs_parse_list(const char *text, uint32_t max, u32_vec *ret)
{
	const char *p = text;

	for (;;) {
		uint32_t first, last;

		if (!take_u32(&p, max, &first))
			return false;
		last = first;
		if (*p == '-') {
			p++;
			if (!take_u32(&p, max, &last) || last < first)
				return false;
		}
		for (uint32_t i = first; i <= last && i >= first; i++)
			vec_push(ret, i);
		if (*p != ',')
			break;
		p++;
	}
	return *p == '\0' || (*p == '\n' && !p[1]);
}

bool procfs_numbers(const struct opener *o, uint32_t pid, u32_vec *ret)
{
	_cleanup_free_ char *path = pid ? xasprintf("/proc/%u/task", pid) : xstrdup("/proc");
	DIR *dir = opener_dir(o, path);

	ret->n = 0;
	if (!dir)
		return false;
	for (const struct dirent *e; (e = readdir(dir));) {
		const char *p = e->d_name;
		uint32_t number;

		if (take_u32(&p, INT32_MAX, &number) && !*p && number)
			vec_push(ret, number);
	}
	closedir(dir);
	return true;
}

char *procfs_comm(const struct opener *o, uint32_t pid, uint32_t tid)
{
	_cleanup_free_ char *name = xasprintf("task/%u/comm", tid);
	struct buf text = { 0 };
	struct err *err = opener_proc(o, pid, name, &text);
	char *comm = NULL;

	if (!err) {
		size_t len = text.len;

		if (len && text.data[len - 1] == '\n')
			len--;
		comm = xstrndup((char *)text.data, len);
	}
	err_destroy(err);
	buf_deinit(&text);
	return comm;
}

static bool status_number(const struct opener *o, uint32_t pid, const char *key, uint32_t *ret)
{
	struct buf text = { 0 };
	uint64_t value;
	struct err *err = opener_proc(o, pid, "status", &text);
	bool found = !err && procfs_status((char *)text.data, key, &value);

	if (found)
		*ret = (uint32_t)value;
	err_destroy(err);
	buf_deinit(&text);
	return found;
}

bool procfs_uid(const struct opener *o, uint32_t pid, uint32_t *ret)
{
	return status_number(o, pid, "Uid", ret);
}

bool procfs_tgid(const struct opener *o, uint32_t tid, uint32_t *ret)
{
	return status_number(o, tid, "Tgid", ret);
}
