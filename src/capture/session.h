/* A recording from set-up to the last sample. In this order: side-band on, /proc read, events
 * opened, a writer given, sampling on, drained until something ends it. */
#ifndef CAPTURE_SESSION_H
#define CAPTURE_SESSION_H

#include "capture/command.h"
#include "capture/ending.h"
#include "capture/intake.h"

enum session_callgraph { CALLGRAPH_NONE, CALLGRAPH_FP, CALLGRAPH_DWARF, CALLGRAPH_AUTO };

struct session_request {
	struct target target;
	struct event_spec events[ATTACH_EVENTS_MAX];
	size_t n_events;
	bool default_event; /* the user named none: may become cpu-clock */
	bool is_freq;
	uint64_t rate; /* Hz or period; UINT64_MAX with is_freq: as the kernel allows */
	enum session_callgraph callgraph;
	uint32_t stack_bytes; /* to copy; made smaller where the rings cannot hold it */
	enum unwind_engine engine;
	bool keep_stacks; /* what was unwound from goes into the recording too */
	bool inherit;
	bool idle;
	bool stext; /* look it up in kallsyms */
	enum attach_mode attach;
	uint64_t ring_bytes;  /* 0: by the rule */
	uint64_t duration_ns; /* 0: no limit */
	uint64_t max_samples; /* 0: no limit */
};

struct session_stats {
	uint64_t elapsed_ns, samples, lost, bytes;
};

/* Called about once a second. */
typedef void session_progress_fn(void *ctx, const struct session_stats *stats);

struct session {
	const struct session_request *req;
	struct dataset *data;
	struct diag *diag;
	struct command *command; /* NULL: none; a target, or the clock of others' recording */
	struct opener opener;
	struct rings rings;
	struct attach attach;
	struct world *world;
	struct unwinder *unwinder;
	enum session_callgraph callgraph; /* as it turned out */
	uint32_t stack_bytes;             /* likewise; 0: none copied */
	struct files *files;
	struct intake intake;
	struct ending ending;
	enum attach_mode mode;
	u32_vec pids;
	uint64_t started_ns; /* sampling on; 0: not yet */
	enum ended_by ended_by;
	uint64_t next_progress_ns;
	uint64_t side_lost; /* of which /proc has made up */
	session_progress_fn *progress;
	void *progress_ctx;
};

/* Sets everything up; nothing samples yet. Fills data->events and data->meta. `req`, `data`, `diag`
 * and `command` (or NULL) must outlive the session. Signals are blocked from here on. */
ERR_CHECK struct err *session_create(const struct session_request *req, struct dataset *data,
				     struct diag *diag, struct command *command,
				     struct session **ret);
void session_destroy(struct session *s);
/* As struct meta has it: "auto,16384", "fp"; what came of the request. The caller frees. */
char *session_callgraph_text(const struct session *s);
void session_on_progress(struct session *s, session_progress_fn *fn, void *ctx);

/* Records until something ends it; data->totals are final then, hits collected, files waited for.
 * An error may come after samples have been written: the caller ends the file all the same. The
 * error of a command that could not be run comes before any. */
ERR_CHECK struct err *session_run(struct session *s, struct writer *writer);

DEFINE_CLEANUP(struct session *, session_destroy);

#endif
