/* The texts of /proc, which hold what processes choose to write there: names and paths with any
 * byte, lines of any length. Parsers work on a NUL-terminated text that they may change. See
 * proc(5). */
#ifndef CAPTURE_PROCFS_H
#define CAPTURE_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/opener.h"
#include "sample/rawevent.h"

typedef VEC(uint32_t) u32_vec;

/* The next well-formed line of a maps text, of which `*text` is what is left; others are skipped.
 * False at the end. `ret->path` points into the text. */
bool procfs_next_map(char **text, struct raw_mmap *ret);

/* The first number of "KEY:\t…" in a status text. */
bool procfs_status(const char *text, const char *key, uint64_t *ret);

/* A list as "0-3,7" (cpulist format); false if it is none or holds a number above `max`. */
bool procfs_parse_list(const char *text, uint32_t max, u32_vec *ret);

/* The numbers that are names in /proc/PID/task; in /proc itself for pid 0. Emptied first. False
 * with errno if the directory can't be read. */
bool procfs_numbers(const struct opener *o, uint32_t pid, u32_vec *ret);

/* The name of a thread, without the newline; NULL if it is gone. The caller frees it. */
char *procfs_comm(const struct opener *o, uint32_t pid, uint32_t tid);

/* Real user id of a process; false if it is gone. */
bool procfs_uid(const struct opener *o, uint32_t pid, uint32_t *ret);

/* Process of a thread; false if it is gone. */
bool procfs_tgid(const struct opener *o, uint32_t tid, uint32_t *ret);

#endif
