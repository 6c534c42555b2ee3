/* The second currency: samples, and the tables that give their numbers a meaning. A recording's
 * reader and every importer fill one struct dataset and yield samples in batches; reporting needs
 * nothing else. */
#ifndef SAMPLE_DATASET_H
#define SAMPLE_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "sample/binaries.h"
#include "sample/codetimes.h"
#include "sample/frametree.h"
#include "sample/names.h"
#include "sample/rawevent.h"
#include "sample/threads.h"

struct sample {
	uint64_t time_ns;
	uint64_t period; /* in the event's unit */
	uint32_t thread; /* of struct threads */
	uint32_t node;   /* of struct frametree; 0: no frame at all */
	uint32_t cpu;    /* UINT32_MAX: not known */
	uint32_t event;  /* of dataset.events */
};

struct event_desc {
	char *name; /* as asked for, "cpu-clock:u"; owned */
	char *unit; /* of the period: "ns" for clocks, "events" else; owned */
	bool is_clock;
	bool is_freq; /* asked for by frequency: `rate` is in Hz; else a period in `unit` */
	uint64_t rate;
	uint64_t interval_ns; /* expected between two samples of a busy thread; 0: no idea */
	uint8_t *attr;        /* struct perf_event_attr as opened; owned; may be NULL */
	uint32_t attr_len;
};

struct meta {
	char *host, *os_release, *machine, *cmdline, *boot_id; /* owned; never NULL */
	uint8_t kernel_build_id[BUILD_ID_MAX];
	uint8_t kernel_build_id_len;
	uint64_t kernel_stext;   /* address of _stext; 0: not known */
	uint64_t wall_start_ns;  /* CLOCK_REALTIME at clock_start_ns */
	uint64_t clock_start_ns; /* the samples' clock when recording began */
	uint32_t clockid;        /* CLOCK_MONOTONIC */
	uint32_t n_cpus;
	uint32_t page_size;
	bool keeps_stacks;     /* PROC_STACK events follow samples */
	char *callgraph;       /* "fp", "lbr", "dwarf,16384", "auto,16384", "none"; owned */
	VEC(char *) fallbacks; /* one sentence each; owned */
	VEC(char *) origins;   /* of a merge, by thread_entry.origin; owned; else empty */
};

/* What END says. `complete` is false for a file without END: then the sums are the reader's own. */
struct totals {
	bool complete;
	uint64_t samples;
	uint64_t lost;          /* samples the kernel could not store */
	uint64_t lost_sideband; /* names may be wrong if not 0 */
	uint64_t throttled;     /* times the kernel paused an event */
	uint64_t duplicates;    /* counted once, though two openings saw the thread */
	uint64_t first_ns, last_ns;
	uint64_t recorder_cpu_ns; /* user + system time of the recorder */
	uint64_t end_ns;          /* the samples' clock when recording ended */
	uint64_t lost_in_file; /* samples whose stack was in a damaged block: reader's own count */
	uint64_t damaged_blocks; /* reader's own count */
};

/* How many records of a kind a file of another tool held. */
struct record_count {
	const char *name; /* a constant */
	uint64_t n;
};

struct dataset {
	struct frametree tree;
	struct binaries binaries;
	struct threads threads;
	struct names names;
	struct codetimes codetimes;
	VEC(struct event_desc) events;
	struct meta meta;
	VEC(struct record_count) records; /* of an import, by kind; filled with the last batch */
	struct totals totals;             /* final only after the last batch */
};

void dataset_init(struct dataset *d);
void dataset_deinit(struct dataset *d);
void event_desc_deinit(struct event_desc *e);

/* A change in a process, kept for --dump and for export; no report needs it. PROC_STACK is what a
 * sample's stack was unwound from, kept on request: the sample is the one before it. */
enum proc_kind {
	PROC_MMAP = 0,
	PROC_COMM = 1,
	PROC_FORK = 2,
	PROC_EXIT = 3,
	PROC_LOST = 4,
	PROC_STACK = 5,
};

struct proc_event {
	enum proc_kind kind;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint32_t origin;                /* as thread_entry.origin */
	uint32_t ppid;                  /* PROC_FORK */
	uint32_t binary;                /* PROC_MMAP */
	uint64_t start, len, pgoff;     /* PROC_MMAP */
	uint64_t lost;                  /* PROC_LOST */
	bool exec;                      /* PROC_COMM */
	const char *comm;               /* PROC_COMM; valid as long as the batch */
	enum raw_mode mode;             /* PROC_STACK */
	const struct raw_sample *stack; /* PROC_STACK; valid as long as the batch */
	/* How many samples of its batch took effect before it. Writers go by the order of calls and
	 * do not read it. */
	uint32_t samples_before;
};

struct batch {
	const struct sample *samples;
	size_t n_samples;
	const struct proc_event *events;
	size_t n_events;
};

/* Where samples come from. */
struct source {
	struct dataset *data; /* filled as batches are taken; owned by the caller of open */
	/* The next batch, valid until the next call; both counts 0 at the end. */
	struct err *(*next)(struct source *src, struct batch *ret);
	void (*destroy)(struct source *src);
};

static inline void source_destroy(struct source *src)
{
	if (src)
		src->destroy(src);
}
DEFINE_CLEANUP(struct source *, source_destroy);

#endif
