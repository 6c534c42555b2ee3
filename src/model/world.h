/* The world: processes, threads and their mappings over time, driven by raw events in order of
 * effect. Runs once, in the recorder or an importer. Owns processes and threads; numbers of
 * binaries and thread entries live in the caller's dataset. */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "model/addrspace.h"
#include "sample/dataset.h"
#include "sample/rawevent.h"

struct world;

struct process {
	uint32_t pid;
	uint32_t incarnation;
	uint32_t ppid; /* 0: not known */
	struct addrspace as;
	char *comm; /* of the main thread; owned */
	uint32_t n_threads;
	bool exited;
	bool is_32bit; /* set by capture once the executable is known */
	void *user;    /* the caller's own; NULL at first */
};

struct thread {
	uint32_t tid;
	struct process *process;
	uint32_t entry; /* in dataset.threads; follows the names; use world_thread_entry() */
	bool entry_stale;
	char *comm;       /* owned */
	uint64_t opening; /* which opening counts this thread; 0: none yet (capture's) */
};

struct world *world_create(struct dataset *data);
void world_destroy(struct world *w);

/* MMAP, COMM, FORK, EXIT; others are ignored. FORK copies the parent's mappings and names (a new
 * process) or adds a thread; COMM with exec empties the address space and renames; EXIT of the last
 * thread ends the process, and its memory goes with the next use of the pid. A repeated MMAP of
 * what is mapped already changes nothing (no new generation). */
void world_apply(struct world *w, const struct raw_event *ev);

/* A mapping that /proc says exists since before recording: yields to any mapping already there. */
void world_map_existing(struct world *w, uint32_t pid, const struct raw_mmap *m);
/* Names for a process or thread that existed before recording, kept unless a COMM came. */
void world_name_existing(struct world *w, uint32_t pid, uint32_t tid, const char *comm);

/* Finds or makes. A tid moves to another pid only by reuse, which makes a new thread. Valid until
 * the thread exits. */
struct thread *world_thread(struct world *w, uint32_t pid, uint32_t tid);
struct process *world_process(struct world *w, uint32_t pid);
/* NULL if not known. */
struct process *world_find_process(const struct world *w, uint32_t pid);
/* The number in dataset.threads of the thread as it is named now. */
static inline uint32_t world_thread_entry(struct world *w, struct thread *t);
uint32_t world_thread_entry_slow(struct world *w, struct thread *t);
/* Calls `fn` for every live process. */
void world_each_process(struct world *w, void (*fn)(void *ctx, struct process *p), void *ctx);

/* Called when a mapping of a binary comes into a process: capture opens the file, writes the
 * event. `exec` mappings only. */
typedef void world_mapped_fn(void *ctx, struct process *p, const struct mapping *m);
void world_on_mapped(struct world *w, world_mapped_fn *fn, void *ctx);

static inline uint32_t world_thread_entry(struct world *w, struct thread *t)
{
	return t->entry_stale ? world_thread_entry_slow(w, t) : t->entry;
}

#endif
