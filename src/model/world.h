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
	uint32_t incarnation; /* how often the pid was used before */
	uint32_t ppid;        /* 0: not known */
	struct addrspace as;
	char *comm;         /* of the main thread, ":PID" until it is known; owned */
	uint32_t n_threads; /* known ones that have not ended */
	bool exited;
	bool is_32bit; /* set by capture once the executable is known */
	void *user;    /* the caller's own; NULL at first; never freed here */

	/* the world's own */
	struct thread *threads; /* ended ones too, until they are forgotten */
	uint64_t forked_ns;     /* of its FORK; 0: none seen */
	bool has_maps;          /* an exec or a look at /proc gave it mappings of its own */
};

struct thread {
	uint32_t tid;
	uint32_t incarnation; /* how often the tid was used before */
	struct process *process;
	uint32_t entry; /* in dataset.threads; follows the names; use world_thread_entry() */
	bool entry_stale;
	char *comm;       /* ":TID" until it is known; owned */
	uint64_t opening; /* which opening counts this thread; 0: none yet (capture's) */

	/* the world's own */
	bool ended;
	bool has_comm;               /* a COMM named it */
	uint64_t forked_ns;          /* of its FORK; 0: none seen */
	struct thread *next, **back; /* in its process's list */
};

struct world *world_create(struct dataset *data);
void world_destroy(struct world *w);

/* MMAP, COMM, FORK, EXIT; others are ignored. FORK copies the parent's mappings and names (a new
 * process) or adds a thread; COMM with exec empties the address space and renames; EXIT of the last
 * thread ends the process. What has ended can still be found (a sample may follow its thread's
 * EXIT) until its number is used anew or some thousand other threads have ended, so that memory
 * follows what lives, not what ever lived. A repeated MMAP of what is mapped already changes
 * nothing (no new generation). FORK may come after the child's first events, within the skew
 * between rings. */
void world_apply(struct world *w, const struct raw_event *ev);

/* A mapping that /proc says exists since before recording: yields to any mapping already there. */
void world_map_existing(struct world *w, uint32_t pid, const struct raw_mmap *m);
/* Names for a process or thread that existed before recording, kept unless a COMM came. */
void world_name_existing(struct world *w, uint32_t pid, uint32_t tid, const char *comm);

/* Finds or makes. A tid moves to another pid only by reuse, which makes a new thread. Valid until
 * the thread exits. Takes a few nanoseconds for a thread seen before. */
struct thread *world_thread(struct world *w, uint32_t pid, uint32_t tid);
struct process *world_process(struct world *w, uint32_t pid);
/* NULL if not known. */
struct process *world_find_process(const struct world *w, uint32_t pid);
uint32_t world_thread_entry_slow(struct world *w, struct thread *t);
/* Calls `fn` for every live process. `fn` must not make or end processes. */
void world_each_process(struct world *w, void (*fn)(void *ctx, struct process *p), void *ctx);

/* Called when a mapping of a binary comes into a process by an event or from /proc (not for what a
 * fork copies): capture opens the file, writes the event. Executable mappings only, and only those
 * that changed something. `m` is valid during the call. */
typedef void world_mapped_fn(void *ctx, struct process *p, const struct mapping *m);
void world_on_mapped(struct world *w, world_mapped_fn *fn, void *ctx);

/* Called before a process and its address space are forgotten (not by world_destroy()): for who
 * still holds on to them. */
typedef void world_forgotten_fn(void *ctx, struct process *p);
void world_on_forgotten(struct world *w, world_forgotten_fn *fn, void *ctx);

/* The number in dataset.threads of the thread as it is named now. */
static inline uint32_t world_thread_entry(struct world *w, struct thread *t)
{
	return t->entry_stale ? world_thread_entry_slow(w, t) : t->entry;
}

#endif
