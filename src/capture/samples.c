/* In: samples in the rings. Out: samples in the recording, each with its thread and the node of its
 * stack. */
#include <string.h>

#include "capture/intake.h"

static bool cache_event(struct intake *in, struct intake_cache *c, uint64_t id)
{
	const struct opened *opened = openings_find(&in->attach->openings, id);

	if (!opened || opened->event == OPENING_SIDEBAND) {
		diag_add(in->diag, DIAG_WARNING, "unknown-event-id",
			 "samples came with an event id that was not opened; they are left out");
		return false;
	}
	c->id = id;
	c->opening = opened->opening;
	c->event = opened->event;
	return true;
}

/* A task on the last steps of its exit has lost its tid, then its pid: the kernel writes -1
 * (perf_event_pid_type()). Its time is its process's, or nobody's, but it is no living thread. */
static struct thread *exiting_thread(struct intake *in, uint32_t pid)
{
	struct raw_event gone = { .kind = RAW_EXIT, .pid = pid, .tid = UINT32_MAX };

	if (pid == UINT32_MAX)
		world_name_existing(in->world, pid, pid, "[exited]");
	struct thread *t = world_thread(in->world, pid, UINT32_MAX);

	world_apply(in->world, &gone);
	return t;
}

static void cache_thread(struct intake *in, struct intake_cache *c, const struct raw_event *ev)
{
	c->pid = ev->pid;
	c->tid = ev->tid;
	c->valid = true;
	c->thread = NULL;
	if (!tasks_is_ours(in, ev->pid))
		return;
	c->thread = ev->tid == UINT32_MAX ? exiting_thread(in, ev->pid)
					  : world_thread(in->world, ev->pid, ev->tid);
}

static struct err *emit(struct intake *in, const struct sample *s, const struct raw_event *ev)
{
	struct totals *totals = &in->data->totals;

	TRY(writer_sample(in->writer, s));
	hits_add(&in->hits, s->node);
	if (!totals->samples++ || s->time_ns < totals->first_ns)
		totals->first_ns = s->time_ns;
	totals->last_ns = s->time_ns > totals->last_ns ? s->time_ns : totals->last_ns;
	in->full = totals->samples == in->max_samples;
	if (in->keep_stacks)
		writer_stack(in->writer, ev->mode, &ev->sample);
	return NULL;
}

static struct in_flight *flight(struct intake *in, uint64_t n)
{
	return &in->flights.v[n % IN_FLIGHT_MAX];
}

struct raw_event *samples_event(struct intake *in)
{
	return &flight(in, in->flights.begun)->ev;
}

static void walk(struct intake *in, struct in_flight *f)
{
	f->waits = !unwinder_walk(in->unwinder, &f->stack, !waiting_has_room(&in->waiting));
	if (f->waits)
		waiting_add(&in->waiting, &f->ev, f->stack.as, f->ev.pid, &f->sample);
}

static void place(struct intake *in, struct in_flight *f)
{
	if (f->waits)
		return;
	f->sample.node = unwinder_node(in->unwinder, &f->stack);
	hits_prefetch(&in->hits, f->sample.node);
}

static struct err *leave(struct intake *in, struct in_flight *f)
{
	if (f->waits || in->full)
		return NULL;
	return emit(in, &f->sample, &f->ev);
}

/* Takes every step that is due: when `lag` samples have taken the one before it since. */
static struct err *advance(struct intake *in, uint64_t lag)
{
	struct flights *fl = &in->flights;

	while (fl->begun - fl->walked > lag)
		walk(in, flight(in, fl->walked++));
	for (; fl->walked - fl->neared > lag; fl->neared++)
		if (!flight(in, fl->neared)->waits)
			unwinder_near(in->unwinder, &flight(in, fl->neared)->stack);
	while (fl->neared - fl->placed > lag)
		place(in, flight(in, fl->placed++));
	while (fl->placed - fl->left > lag)
		TRY(leave(in, flight(in, fl->left++)));
	return NULL;
}

struct err *samples_finish(struct intake *in)
{
	return advance(in, 0);
}

void samples_drop(struct intake *in)
{
	struct flights *fl = &in->flights;

	fl->walked = fl->neared = fl->placed = fl->left = fl->begun;
}

struct err *samples_take(struct intake *in, size_t cpu_index)
{
	enum { LAG = 2, STEPS = 4 };
	struct in_flight *f = flight(in, in->flights.begun);
	const struct raw_event *ev = &f->ev;
	struct intake_cache *c = &in->caches[cpu_index];

	if (c->id != ev->id && !cache_event(in, c, ev->id))
		return NULL;
	if (c->tid != ev->tid || c->pid != ev->pid || !c->valid)
		cache_thread(in, c, ev);
	struct thread *t = c->thread;

	if (!t || in->full)
		return NULL;
	if (t->opening != c->opening) {
		if (t->opening) {
			in->data->totals.duplicates++;
			return NULL;
		}
		t->opening = c->opening;
	}
	f->sample = (struct sample){
		.time_ns = ev->time_ns,
		.period = ev->sample.period,
		.thread = world_thread_entry(in->world, t),
		.cpu = in->rings->v[cpu_index].cpu,
		.event = c->event,
	};
	unwinder_begin(in->unwinder, &f->stack, &t->process->as, ev);
	_Static_assert(STEPS * LAG < IN_FLIGHT_MAX, "room for one more");
	in->flights.begun++;
	return advance(in, LAG);
}

/* Those that can be placed now; with `final` all, as far as can be. `pid` UINT32_MAX: of all. */
static struct err *place_waiting(struct intake *in, uint32_t pid, bool final)
{
	struct waiting *w = &in->waiting;
	struct err *err = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < w->held.n; i++) {
		struct held *h = &w->held.v[i];
		bool ours = pid == UINT32_MAX || h->pid == pid;

		if (!err && ours &&
		    unwinder_sample(in->unwinder, h->as, &h->ev, final, &h->sample.node)) {
			err = in->full ? NULL : emit(in, &h->sample, &h->ev);
			held_deinit(w, h);
		} else {
			w->held.v[kept++] = *h;
		}
	}
	w->held.n = kept;
	if (!kept)
		waiting_forget(w);
	return err;
}

struct err *intake_finish_waiting(struct intake *in)
{
	return in->waiting.held.n ? place_waiting(in, UINT32_MAX, true) : NULL;
}

static bool dumps_code(const struct intake *in, uint32_t pid)
{
	for (size_t i = 0; i < in->jitdumps.v.n; i++)
		if (in->jitdumps.v.v[i].pid == pid)
			return true;
	return false;
}

struct err *samples_leave(struct intake *in, uint32_t pid)
{
	if (!in->waiting.held.n)
		return NULL;
	/* Who unwinds kept stacks later goes by the mappings told before each; a process's dump
	   goes when it runs another program. */
	if (in->keep_stacks || dumps_code(in, pid))
		return place_waiting(in, pid, true);
	waiting_leave(&in->waiting, pid);
	return NULL;
}

void intake_forgotten(void *ctx, struct process *p)
{
	struct intake *in = ctx;

	if (!in->failed)
		in->failed = samples_finish(in);
	if (!in->failed)
		in->failed = samples_leave(in, p->pid);
	jitdumps_forget(&in->jitdumps, in->files, unwinder_code(in->unwinder), p->pid);
}

struct err *samples_try_waiting(struct intake *in)
{
	return in->waiting.held.n ? place_waiting(in, UINT32_MAX, false) : NULL;
}
