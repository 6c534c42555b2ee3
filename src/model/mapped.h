/* What a mapping is of, by what the kernel calls it: names as in proc(5), /proc/PID/maps, and as in
 * kernel/events/core.c, perf_event_mmap_event(). */
#ifndef MODEL_MAPPED_H
#define MODEL_MAPPED_H

#include <stdbool.h>

#include "model/addrspace.h"
#include "sample/binaries.h"
#include "sample/rawevent.h"

/* The mapping of code this record describes, its binary added to `binaries`. False if it maps no
 * code, or makes no sense (empty, or past the end of the address space). */
bool mapped_code(struct binaries *binaries, uint32_t pid, const struct raw_mmap *m,
		 struct mapping *ret);

#endif
