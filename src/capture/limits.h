/* What the recorder may use: descriptors, CPU priority, privileges. */
#ifndef CAPTURE_LIMITS_H
#define CAPTURE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/opener.h"

/* Raises RLIMIT_NOFILE to its hard limit, and beyond to `need` where allowed. Returns the limit
 * that holds now. */
uint64_t limits_raise_files(uint64_t need);
/* Runs ahead of the target where allowed (setpriority(2), nice -20): a recorder that waits for a
 * CPU loses samples. */
void limits_raise_priority(void);
/* May this process open events for every process (perf_event_open(2): pid -1), and do pids in
 * them mean the same as here (initial pid namespace)? `why` gets the reason against, or NULL. */
bool limits_system_wide(const struct opener *o, const char **why);

#endif
