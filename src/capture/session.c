/* In: a request. Out: a recording's samples, drained from the rings until something ends it. */
#include "capture/session.h"

#include <string.h>

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "capture/meta.h"
#include "capture/setup.h"
#include "model/jitrecord.h"

enum {
	SLACK_NS = 1000000,     /* records appear up to tens of microseconds late */
	WAKE_NS = 250000000,    /* at the latest; rings below their watermark wait for this */
	LAST_WAKE_NS = 5000000, /* once the targets have ended */
	PROGRESS_NS = 1000000000,
};

/* A mapping came: its file is opened while it can be, and the recording told. */
static void on_mapped(void *ctx, struct process *p, const struct mapping *m)
{
	struct session *s = ctx;
	const struct binary *b = binaries_get(&s->data->binaries, m->binary);
	struct mapped_file where = { .pid = p->pid, .start = m->start, .end = m->end };

	where.no_elf = jitrecord_is_dump(b);
	if (where.no_elf)
		jitdumps_found(&s->intake.jitdumps, unwinder_code(s->unwinder), p->pid, m->binary);
	if (b->kind == BINARY_KIND_FILE || (b->kind == BINARY_KIND_ANON && b->pid))
		files_request(s->files, m->binary, b, &where);
	else if (b->kind == BINARY_KIND_VDSO && unwinder_code(s->unwinder))
		intake_give_vdso(&s->intake, m->binary);
	intake_mapped(&s->intake, p, m);
}

/* Whose end ends it: a command's, whatever is recorded meanwhile; else the targets'. */
static struct err *watch_targets(struct session *s)
{
	if (s->command)
		return ending_watch(&s->ending, (uint32_t)s->command->pid);
	if (s->req->target.kind == TARGET_UID || s->req->target.kind == TARGET_ALL)
		return NULL;
	for (size_t i = 0; i < s->pids.n; i++)
		TRY(ending_watch(&s->ending, s->pids.v[i]));
	return NULL;
}

static struct err *session_setup(struct session *s)
{
	TRY(setup_rings(s));
	TRY(ending_init(&s->ending, &s->rings));
	TRY(watch_targets(s));
	TRY(setup_events(s));
	meta_fill(&s->data->meta, &s->opener, s->req->stext);
	s->world = world_create(s->data);
	world_on_mapped(s->world, on_mapped, s);
	world_on_forgotten(s->world, intake_forgotten, &s->intake);
	setup_unwinder(s);
	struct intake *in = &s->intake;

	intake_init(in, &s->rings);
	in->data = s->data;
	in->world = s->world;
	in->unwinder = s->unwinder;
	in->rings = &s->rings;
	in->attach = &s->attach;
	in->opener = &s->opener;
	in->files = s->files;
	in->diag = s->diag;
	in->max_samples = s->req->max_samples;
	in->keep_stacks = s->req->keep_stacks && s->stack_bytes;
	s->data->meta.keeps_stacks = in->keep_stacks;
	return setup_world(s);
}

struct err *session_create(const struct session_request *req, struct dataset *data,
			   struct diag *diag, struct command *command, struct session **ret)
{
	CLEANUP(session_destroy) struct session *s = xcalloc(1, sizeof(*s));

	s->req = req;
	s->data = data;
	s->diag = diag;
	s->command = command;
	s->ending.signal_fd = s->ending.samples_epoll = -1;
	s->ending.side_epoll = s->ending.targets_epoll = -1;
	opener_init(&s->opener, "");
	attach_init(&s->attach);
	TRY(session_setup(s));
	*ret = take_ptr(s);
	return NULL;
}

void session_destroy(struct session *s)
{
	if (!s)
		return;
	attach_deinit(&s->attach);
	rings_deinit(&s->rings);
	ending_deinit(&s->ending);
	files_destroy(s->files); /* before what its thread uses */
	intake_deinit(&s->intake);
	unwinder_destroy(s->unwinder);
	world_destroy(s->world);
	opener_deinit(&s->opener);
	vec_deinit(&s->pids);
	free(s);
}

char *session_callgraph_text(const struct session *s)
{
	switch (s->callgraph) {
	case CALLGRAPH_NONE:
		return xstrdup("none");
	case CALLGRAPH_FP:
		return xstrdup("fp");
	case CALLGRAPH_DWARF:
		return xasprintf("dwarf,%u", s->stack_bytes);
	case CALLGRAPH_AUTO:
		break;
	}
	return xasprintf("auto,%u", s->stack_bytes);
}

void session_on_progress(struct session *s, session_progress_fn *fn, void *ctx)
{
	s->progress = fn;
	s->progress_ctx = ctx;
}

static struct err *start(struct session *s)
{
	TRY(intake_write_maps(&s->intake, meta_now_ns()));
	/* A command attached to by threads is enabled by its exec. */
	if (s->req->target.kind != TARGET_COMMAND || s->mode == ATTACH_SYSTEM)
		openings_enable(&s->attach.openings, true);
	if (s->command)
		TRY(command_go(s->command));
	s->started_ns = meta_now_ns();
	if (s->req->duration_ns)
		s->ending.deadline_ns = s->started_ns + s->req->duration_ns;
	return NULL;
}

static bool any_thread_alive(const struct session *s)
{
	for (size_t i = 0; i < s->req->target.ids.n; i++) {
		uint32_t tgid;

		if (procfs_tgid(&s->opener, s->req->target.ids.v[i], &tgid))
			return true;
	}
	return false;
}

static bool targets_ended(const struct session *s)
{
	if (!s->ending.has_targets)
		return false;
	if (!s->command && s->req->target.kind == TARGET_TIDS && !any_thread_alive(s))
		return true;
	if (s->ending.n_targets)
		return false;
	/* A command's end is the end; children of other targets are waited for. */
	return s->command || !s->req->inherit || !ending_any_alive(s->world);
}

/* The keyboard's first Ctrl-C went to the command as well: its end, or the second, is the end. */
static bool signals_end(const struct session *s)
{
	const struct ending *e = &s->ending;

	return e->n_signals > 1 || (e->n_signals && !(s->command && e->from_keyboard));
}

static enum ended_by session_ended(struct session *s, uint64_t now_ns)
{
	if (s->intake.full)
		return ENDED_COUNT;
	if (s->ending.deadline_ns && now_ns >= s->ending.deadline_ns)
		return ENDED_TIME;
	if (signals_end(s))
		return ENDED_SIGNAL;
	return targets_ended(s) ? ENDED_TARGET : ENDED_NOT;
}

static void say_progress(struct session *s, uint64_t now_ns)
{
	if (!s->progress || now_ns < s->next_progress_ns)
		return;
	struct session_stats stats = {
		.elapsed_ns = now_ns - s->started_ns,
		.samples = s->data->totals.samples,
		.lost = s->intake.lost[RING_SAMPLES],
		.bytes = writer_size(s->intake.writer),
	};

	s->progress(s->progress_ctx, &stats);
	s->next_progress_ns = now_ns + PROGRESS_NS;
}

/* Side-band that was lost may have held mappings: /proc fills the gaps. */
static void read_maps_again(void *ctx, struct process *p)
{
	struct session *s = ctx;

	vec_push(&s->pids, p->pid);
}

static void repair_maps(struct session *s)
{
	if (s->intake.lost[RING_SIDE] == s->side_lost)
		return;
	s->side_lost = s->intake.lost[RING_SIDE];
	s->pids.n = 0;
	world_each_process(s->world, read_maps_again, s);
	for (size_t i = 0; i < s->pids.n; i++)
		setup_read_maps(s, s->pids.v[i]);
}

static struct err *turn(struct session *s)
{
	uint64_t now = meta_now_ns();
	uint64_t until =
		now + (s->ending.has_targets && !s->ending.n_targets ? LAST_WAKE_NS : WAKE_NS);

	if (s->rings.wake_ns && until > now + s->rings.wake_ns)
		until = now + s->rings.wake_ns;
	if (s->ending.deadline_ns && until > s->ending.deadline_ns)
		until = s->ending.deadline_ns;
	ending_wait(&s->ending, now, until);
	now = meta_now_ns();
	TRY(intake_files(&s->intake)); /* first: samples that need one do not wait for it then */
	TRY(intake_drain(&s->intake, now - SLACK_NS));
	intake_ask_dumps(&s->intake);
	repair_maps(s);
	TRY(writer_tick(s->intake.writer, now));
	say_progress(s, now);
	s->ended_by = session_ended(s, now);
	return NULL;
}

static void final_totals(struct session *s)
{
	struct totals *t = &s->data->totals;
	uint64_t samples = 0, sideband = 0;

	openings_lost(&s->attach.openings, s->attach.sampling[0].read_format,
		      s->attach.sideband.read_format, &samples, &sideband);
	/* LOST records lag behind: they only come with the next record that fits. */
	t->lost = samples > s->intake.lost[RING_SAMPLES] ? samples : s->intake.lost[RING_SAMPLES];
	t->lost_sideband =
		sideband > s->intake.lost[RING_SIDE] ? sideband : s->intake.lost[RING_SIDE];
	t->end_ns = meta_now_ns();
	t->recorder_cpu_ns = meta_cpu_ns();
	if (rings_damaged(&s->rings))
		diag_add(s->diag, DIAG_WARNING, "ring-damaged",
			 "data in the rings made no sense %llu times and was skipped",
			 (unsigned long long)rings_damaged(&s->rings));
}

/* Those that were not there when their code was. */
static void ask_for_jit_maps(struct session *s)
{
	for (uint32_t id = 0; id < s->data->binaries.v.n; id++) {
		const struct binary *b = binaries_get(&s->data->binaries, id);
		struct mapped_file where = { .pid = b->pid };

		if (b->kind == BINARY_KIND_ANON && b->pid)
			files_request(s->files, id, b, &where);
	}
}

/* What came of all that the helper was asked for. One that writes without end is not waited for. */
static struct err *take_files(struct session *s)
{
	enum { LOOKS_MOST = 256 };

	files_wait(s->files);
	TRY(intake_files(&s->intake));
	for (int i = 0; i < LOOKS_MOST && (!i || s->intake.jitdumps_more); i++) {
		intake_ask_dumps(&s->intake);
		files_wait(s->files);
		TRY(intake_files(&s->intake));
	}
	return NULL;
}

struct err *session_run(struct session *s, struct writer *writer)
{
	s->intake.writer = writer;
	struct err *err = start(s);

	while (!err && s->ended_by == ENDED_NOT)
		err = turn(s);
	openings_enable(&s->attach.openings, false);
	if (!err)
		err = intake_drain(&s->intake, UINT64_MAX);
	files_wait(s->files);
	if (!err)
		err = take_files(s);
	if (!err)
		err = intake_finish_waiting(&s->intake);
	ask_for_jit_maps(s);
	files_wait(s->files);
	if (!err)
		err = intake_files(&s->intake);
	hits_collect(&s->intake.hits, &s->data->tree);
	final_totals(s);
	if (s->command)
		command_reap(s->command, s->ended_by == ENDED_TARGET ? -1 : 0);
	return err;
}
