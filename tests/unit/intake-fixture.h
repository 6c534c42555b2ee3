/* An intake over literal rings: what the kernel would write is put into them, and drained. */
#ifndef TESTS_UNIT_INTAKE_FIXTURE_H
#define TESTS_UNIT_INTAKE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/intake.h"

enum { LEN = 1 << 14, PID = 100, STACK_WORDS = 4 };

/* Opening 1 is thread 100's, opening 2 thread 101's; each has a sampling and a side-band event. */
enum { ID_1 = 11, ID_2 = 12, ID_SIDE_1 = 21, ID_SIDE_2 = 22 };

struct fixture {
	struct perf_event_mmap_page page[N_RING_ROLES];
	_Alignas(8) uint8_t data[N_RING_ROLES][LEN];
	struct cpu_rings cpu;
	struct rings rings;
	struct attach attach;
	struct target target;
	struct opener opener;
	struct dataset dataset;
	struct diag diag;
	struct intake in;
	int fd;
};

/* Records into CPU 0's rings, at `time` nanoseconds; samples and their losses into the ring of
 * samples or the one asked for, the rest into the side band. `id` is one of those above. */
void put_sample(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, uint32_t tid);
/* At 0x1000, in the code that put_mmap() maps. */
void put_walked(struct fixture *f, uint64_t time, uint32_t pid);
void put_fork(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, uint32_t tid,
	      uint32_t ppid, uint32_t ptid);
void put_exit(struct fixture *f, uint64_t time, uint32_t pid);
void put_exec(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, const char *comm);
void put_mmap(struct fixture *f, uint64_t time, uint32_t pid, const char *path);
void put_lost(struct fixture *f, enum ring_role role, uint64_t time, uint64_t n);
/* As if the scan had found thread `tid` of PID and opened it. */
void add_thread(struct fixture *f, uint32_t tid, uint32_t opening);

/* Of a test: *state is the fixture. */
int setup(void **state);
/* Stacks are walked by CFI: records carry registers and a copy of the stack. */
int setup_walked(void **state);
int teardown(void **state);
/* All that is in the rings. */
void drain(struct fixture *f);

#endif
