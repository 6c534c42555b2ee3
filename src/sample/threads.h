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

static inline const struct thread_entry *threads_get(const struct threads *t, uint32_t id)
{
	return &t->v.v[id];
}

#endif
