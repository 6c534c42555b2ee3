/* The only place that opens perf events and foreign files. Whatever a path says, a file is accepted
 * only if its build-id, or device and inode, agree with the mapping it was opened for. The root is
 * "" for the running system and a directory in tests. */
#ifndef CAPTURE_OPENER_H
#define CAPTURE_OPENER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "sample/binaries.h"

struct perf_event_attr;

/* A mount namespace other than ours, held so that its files can be read after its last process. */
struct held_root {
	uint64_t ns_inode;
	int ns_fd;   /* /proc/PID/ns/mnt: keeps the mounts */
	int root_fd; /* /proc/PID/root */
};

struct opener {
	char *root;
	uint64_t own_ns; /* inode of our own /proc/self/ns/mnt; 0: not known */
	VEC(struct held_root) held;
};

void opener_init(struct opener *o, const char *root);
void opener_deinit(struct opener *o);

/* perf_event_open(2) as attr_open() wants it; ctx is not used. The descriptor is close-on-exec. */
int opener_event(void *ctx, struct perf_event_attr *attr, int pid, int cpu);

/* A whole small text ("/proc/77/maps", "/sys/…") into `ret`, which is emptied first and ends in a
 * NUL that its length does not count. At most 64 MiB. The error keeps errno. */
ERR_CHECK struct err *opener_read(const struct opener *o, const char *path, struct buf *ret);
/* Only its first `most` bytes, or a little more. */
ERR_CHECK struct err *opener_read_head(const struct opener *o, const char *path, size_t most,
				       struct buf *ret);
/* /proc/PID/NAME the same way. */
ERR_CHECK struct err *opener_proc(const struct opener *o, uint32_t pid, const char *name,
				  struct buf *ret);
/* A directory; NULL with errno. The caller closes it. */
DIR *opener_dir(const struct opener *o, const char *path);
/* The number in /proc/sys/NAME ("kernel/perf_event_mlock_kb"); `otherwise` where there is none. */
int64_t opener_sysctl(const struct opener *o, const char *name, int64_t otherwise);
/* The inode of /proc/PID/ns/KIND ("pid", "mnt"), which names the namespace; 0: not known. */
uint64_t opener_namespace(const struct opener *o, uint32_t pid, const char *kind);
/* What /proc/PID/exe points to, without " (deleted)"; NULL if it can't be read. The caller frees.
 */
char *opener_exe(const struct opener *o, uint32_t pid);

/* The root of a process in a mount namespace other than ours, held by `o`; -1: it is ours, or can't
 * be had. */
int opener_root(struct opener *o, uint32_t pid);
/* A regular file at an absolute path below `root_fd` (-1: our root), no link at its end; -1 with
 * errno. */
int opener_own_file(const struct opener *o, int root_fd, const char *path);

/* The file behind a mapping. */
struct mapped_file {
	uint32_t pid;
	uint64_t start, end; /* as mapped: the name in map_files */
	bool no_elf;         /* taken by device and inode alone */
};

/* Tries /proc/PID/map_files, /proc/PID/exe, the path under the process's root, the path under ours.
 * Fills what identifies the file in `binary` (elffile_identify()). ENOEXEC: it is there, and no ELF
 * file. One thread only. */
ERR_CHECK struct err *opener_mapped(struct opener *o, const struct mapped_file *want,
				    struct binary *binary, int *ret_fd);

#endif
