/* Whom to record. */
#ifndef CAPTURE_TARGET_H
#define CAPTURE_TARGET_H

#include "base/err.h"
#include "capture/procfs.h"

enum target_kind {
	TARGET_NONE,
	TARGET_PIDS,    /* ids are processes */
	TARGET_TIDS,    /* ids are threads */
	TARGET_UID,     /* every process of `uid` */
	TARGET_ALL,     /* the whole system */
	TARGET_COMMAND, /* ids[0] is our child, waiting to exec */
};

struct target {
	enum target_kind kind;
	u32_vec ids;
	u32_vec cpus; /* only these; empty: all */
	uint32_t uid;
};

void target_deinit(struct target *t);

/* "12,34" into ids; what is no list of positive numbers is an error. */
ERR_CHECK struct err *target_parse_ids(struct target *t, enum target_kind kind, const char *list);
/* "0-3,7" into cpus. */
ERR_CHECK struct err *target_parse_cpus(struct target *t, const char *list);
/* A number, or a name getpwnam(3) knows. */
ERR_CHECK struct err *target_parse_user(struct target *t, const char *user);

/* Every process, but ourselves, whose main thread's name, or whose executable's last path
 * component, is `name`; into t->ids (kind TARGET_PIDS), which is emptied first. */
ERR_CHECK struct err *target_find_name(struct target *t, const struct opener *o, const char *name);

/* The processes there are now: the ids, their threads' processes, those of the user, or all, kernel
 * threads too; never ourselves. An id that names nothing is an error, so is a thread's id where a
 * process's is wanted. `ret` is emptied first. */
ERR_CHECK struct err *target_processes(const struct target *t, const struct opener *o,
				       u32_vec *ret);

#endif
