/* Threads as samples name them: who ran, under which names, at that time. A thread that changes its
 * name, or a number that the kernel gives out again, gets a new entry, so an entry never changes.
 */
#ifndef SAMPLE_THREADS_H
#define SAMPLE_THREADS_H

#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

struct thread_entry {
	uint32_t pid;         /* UINT32_MAX: the input does not say */
	uint32_t tid;         /* likewise */
	uint32_t incarnation; /* tells apart two processes of one pid; 0 for the first */
	uint32_t origin;      /* which input of a merge; 0 where there is one */
	char *comm;           /* the thread's name; owned; bytes as the kernel gave them */
	char *process_comm;   /* the name of its process's main thread; owned */
};

struct threads {
	VEC(struct thread_entry) v;
	struct table table;
};

void threads_init(struct threads *t);
void threads_deinit(struct threads *t);
/* The number of the entry equal to this one, made (strings copied) if new. */
uint32_t threads_add(struct threads *t, const struct thread_entry *like);

/* A process as one number: a pid says which only together with the origin. */
static inline uint64_t threads_process(uint32_t origin, uint32_t pid)
{
	return (uint64_t)origin << 32 | pid;
}

/* A pid or tid for formats that know no origin: those of each origin have a range of their own, as
 * kernels give out none from THREADS_RANGE on (PID_MAX_LIMIT, include/linux/threads.h). */
enum { THREADS_RANGE = 1 << 22 };

static inline uint32_t threads_number(uint32_t origin, uint32_t id)
{
	return id == UINT32_MAX ? id : id + origin * THREADS_RANGE;
}

static inline const struct thread_entry *threads_get(const struct threads *t, uint32_t id)
{
	return &t->v.v[id];
}

#endif
