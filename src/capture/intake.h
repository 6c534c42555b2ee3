/* Where raw events become what is written: side-band drives the world, samples are placed and
 * handed to the writer. Decides who counts: the targets, each thread from one opening only. */
#ifndef CAPTURE_INTAKE_H
#define CAPTURE_INTAKE_H

#include "base/diag.h"
#include "capture/attach.h"
#include "capture/files.h"
#include "capture/hits.h"
#include "capture/jitdumps.h"
#include "capture/samples.h"
#include "model/world.h"
#include "recording/writer.h"
#include "capture/waiting.h"
#include "unwind/unwinder.h"

enum intake_scope {
	INTAKE_OPENED,   /* whatever comes was attached to */
	INTAKE_FOLLOWED, /* system-wide events: processes marked with intake_follow() */
	INTAKE_ALL,      /* system-wide events: everybody but ourselves */
};

/* What the last sample of a CPU resolved to. */
struct intake_cache {
	uint64_t id;
	uint32_t opening;
	uint32_t event;
	uint32_t pid, tid;
	struct thread *thread; /* NULL: not one of ours */
	bool valid;
};

/* The last side-band record of a ring: the same one comes once for each opening a thread has. */
struct intake_seen {
	enum raw_kind kind;
	uint32_t pid, tid;
	uint64_t what;
	uint64_t id;
};

struct intake {
	struct dataset *data;
	struct world *world;
	struct unwinder *unwinder;
	struct waiting waiting;
	struct flights flights;
	struct writer *writer; /* NULL until recording: side-band is applied, nothing written */
	struct rings *rings;
	const struct attach *attach;
	const struct opener *opener;
	struct files *files;
	struct jitdumps jitdumps;
	bool jitdumps_more; /* intake_files() found one that was not read to its end */
	struct diag *diag;
	struct hits hits;

	enum intake_scope scope;
	bool follow_uid; /* a process is followed once it execs as `uid` */
	uint32_t uid;
	uint32_t unborn;      /* the command, until it execs: nobody's before; 0: none */
	bool inherit;         /* children of followed processes are followed */
	bool keep_stacks;     /* what a stack was unwound from is written after its sample */
	uint64_t max_samples; /* 0: no limit */
	bool full;            /* max_samples reached */

	struct intake_cache *caches; /* one a CPU */
	struct intake_seen *seen;    /* likewise */
	uint64_t at_ns;              /* time of the record being applied */
	uint64_t attached_ns; /* FORK records older than this are of threads the scan may know */
	uint64_t lost[N_RING_ROLES]; /* sums of LOST records */
	struct err *failed;          /* of a write in a callback of the world */
};

/* The pointers and the scope are the caller's to fill, before the first intake_drain(). */
void intake_init(struct intake *in, const struct rings *rings);
void intake_deinit(struct intake *in);

/* Marks a process as a target. */
void intake_follow(struct intake *in, uint32_t pid);
/* Takes from the rings what is older than `limit_ns`. */
ERR_CHECK struct err *intake_drain(struct intake *in, uint64_t limit_ns);
/* Applies what the helper found out of files, and places the samples that waited for them. */
ERR_CHECK struct err *intake_files(struct intake *in);
/* Has the jitdumps read on in; what comes of it is intake_files()'s. */
void intake_ask_dumps(struct intake *in);
/* The kernel's shared object, which is in no file, for unwinding. */
void intake_give_vdso(struct intake *in, uint32_t binary);
/* Places the samples that still wait, as far as can be. */
ERR_CHECK struct err *intake_finish_waiting(struct intake *in);
/* Those of a process that is forgotten need it no more. For the world's callback; `ctx` is the
 * intake.
 */
void intake_forgotten(void *ctx, struct process *p);
/* A mapping that came into a process: written if recording. For the world's callback. */
void intake_mapped(struct intake *in, const struct process *p, const struct mapping *m);
/* Writes every live mapping: at the start, and after a restart of the dictionary. */
ERR_CHECK struct err *intake_write_maps(struct intake *in, uint64_t now_ns);

/* For a sample, which is parsed into samples_event() first. */
struct raw_event *samples_event(struct intake *in);
ERR_CHECK struct err *samples_take(struct intake *in, size_t cpu_index);
/* Those in flight leave: before the world changes, and before their records are released. */
ERR_CHECK struct err *samples_finish(struct intake *in);
/* Forgets those in flight: after an error. */
void samples_drop(struct intake *in);
/* The mappings of `pid` change: the samples that wait for files of theirs keep them as they are. */
ERR_CHECK struct err *samples_leave(struct intake *in, uint32_t pid);
/* Places the waiting samples whose files have come. */
ERR_CHECK struct err *samples_try_waiting(struct intake *in);

/* For a side-band record; the other half of intake_drain(). */
ERR_CHECK struct err *tasks_take(struct intake *in, size_t cpu_index, const struct raw_event *ev);
/* Ours to record? */
bool tasks_is_ours(struct intake *in, uint32_t pid);

#endif
