/* In: a record of a mapping. Out: the binary it is of, and the mapping in our terms. */
#include "model/mapped.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Memory that no file backs, or one whose file offset names nothing (System V and anonymous shared
 * memory, which show up as files that nobody can open): code in it belongs to the process. */
static bool path_is_anonymous(const char *path)
{
	static const char *const prefixes[] = { "//anon", "[", "/SYSV", "/dev/zero",
						"anon_inode:" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (starts_with(path, prefixes[i]))
			return true;
	}
	return !*path;
}

/* Loaders map code private. Shared code in a file without a name is what a compiler writes through
 * another mapping of it: Erlang, .NET, libffi. */
static bool is_shared_memory(const struct raw_mmap *m)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(m->path);

	return (m->flags & MAP_SHARED) &&
	       (starts_with(m->path, "/memfd:") ||
		(len >= strlen(deleted) && !strcmp(m->path + len - strlen(deleted), deleted)));
}

static void mapped_anonymous(const char *path, uint32_t pid, struct binary *ret)
{
	ret->kind = BINARY_KIND_ANON;
	ret->pid = pid;
	/* One binary for all JIT code of a process, whatever record tells of it: "//anon" in perf
	 * records, nothing in /proc/PID/maps. "[heap]" and the like keep their names. */
	ret->path = (char *)(*path == '[' ? path : "[anon]");
	if (!strcmp(path, "[vsyscall]"))
		ret->pid = 0; /* the same page in every process */
}

static void mapped_file(const struct raw_mmap *m, char *path, struct binary *ret)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path);

	ret->kind = BINARY_KIND_FILE;
	ret->path = path;
	if (len >= strlen(deleted) && !strcmp(path + len - strlen(deleted), deleted)) {
		path[len - strlen(deleted)] = '\0';
		ret->deleted = true;
	}
	ret->dev_major = m->dev_major;
	ret->dev_minor = m->dev_minor;
	ret->inode = m->inode;
	ret->inode_generation = m->inode_generation;
	if (m->build_id_len <= BUILD_ID_MAX) {
		ret->build_id_len = (uint8_t)m->build_id_len;
		if (m->build_id_len)
			memcpy(ret->build_id, m->build_id, m->build_id_len);
	}
}

bool mapped_code(struct binaries *binaries, uint32_t pid, const struct raw_mmap *m,
		 struct mapping *ret)
{
	uint64_t end;

	/* PERF_RECORD_MMAP has no protection; its misc bit for data says enough. */
	if (m->data || (m->prot && !(m->prot & PROT_EXEC)))
		return false;
	if (!m->len || __builtin_add_overflow(m->start, m->len, &end))
		return false;
	_cleanup_free_ char *path = xstrdup(m->path);
	struct binary binary = { 0 };
	uint64_t pgoff = m->pgoff;

	if (!strcmp(path, "[vdso]")) {
		binary.kind = BINARY_KIND_VDSO;
		binary.path = path;
		pgoff = 0; /* some kernels put the address here */
	} else if (path_is_anonymous(path) || is_shared_memory(m)) {
		mapped_anonymous(path, pid, &binary);
		pgoff = m->start;
	} else {
		mapped_file(m, path, &binary);
	}
	*ret = (struct mapping){
		.start = m->start,
		.end = end,
		.pgoff = pgoff,
		.binary = binaries_add(binaries, &binary),
	};
	if (binary.deleted)
		binaries_get(binaries, ret->binary)->deleted = true;
	return true;
}
