/* What a recording's header says of the machine. */
#ifndef CAPTURE_META_H
#define CAPTURE_META_H

#include "capture/opener.h"
#include "sample/dataset.h"

/* Fills host, release, machine, boot_id, kernel build-id, clocks, CPUs and page size. `stext` to
 * look up _stext in kallsyms too. What can't be read stays empty. */
void meta_fill(struct meta *m, const struct opener *o, bool stext);
/* CLOCK_MONOTONIC, the samples' clock. */
uint64_t meta_now_ns(void);
/* User and system time of this process. */
uint64_t meta_cpu_ns(void);

#endif
