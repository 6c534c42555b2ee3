/* In: records of all rings in order of time. Out: samples in the recording. */
#include "capture/intake.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "model/vdso.h"

void intake_init(struct intake *in, const struct rings *rings)
{
	*in = (struct intake){
		.caches = xcalloc(rings->n, sizeof(*in->caches)),
		.seen = xcalloc(rings->n, sizeof(*in->seen)),
	};
	hits_init(&in->hits);
}

void intake_deinit(struct intake *in)
{
	free(in->caches);
	free(in->seen);
	err_destroy(in->failed);
	hits_deinit(&in->hits);
	waiting_deinit(&in->waiting);
}

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

static struct err *take_sample(struct intake *in, size_t cpu_index, const struct raw_event *ev)
{
	struct intake_cache *c = &in->caches[cpu_index];
	struct totals *totals = &in->data->totals;

	if (c->id != ev->id && !cache_event(in, c, ev->id))
		return NULL;
	if (c->tid != ev->tid || c->pid != ev->pid || !c->valid)
		cache_thread(in, c, ev);
	struct thread *t = c->thread;

	if (!t || in->full)
		return NULL;
	if (t->opening != c->opening) {
		if (t->opening) {
			totals->duplicates++;
			return NULL;
		}
		t->opening = c->opening;
	}
	struct sample s = {
		.time_ns = ev->time_ns,
		.period = ev->sample.period,
		.thread = world_thread_entry(in->world, t),
		.cpu = in->rings->v[cpu_index].cpu,
		.event = c->event,
	};
	const struct addrspace *as = &t->process->as;
	bool final = !waiting_has_room(&in->waiting);

	if (!unwinder_node(in->unwinder, as, ev, final, &s.node)) {
		waiting_add(&in->waiting, ev, as, ev->pid, &s);
		return NULL;
	}
	return emit(in, &s, ev);
}

/* Those of `pid` (UINT32_MAX: all) that can be placed now, or with `final` all the same. */
static struct err *place_waiting(struct intake *in, uint32_t pid, bool final)
{
	struct waiting *w = &in->waiting;
	struct err *err = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < w->held.n; i++) {
		struct held *h = &w->held.v[i];
		bool ours = pid == UINT32_MAX || h->pid == pid;

		if (!err && ours &&
		    unwinder_node(in->unwinder, h->as, &h->ev, final, &h->sample.node)) {
			err = in->full ? NULL : emit(in, &h->sample, &h->ev);
			held_deinit(w, h);
		} else {
			w->held.v[kept++] = *h;
		}
	}
	w->held.n = kept;
	return err;
}

struct err *intake_finish_waiting(struct intake *in, uint32_t pid)
{
	return in->waiting.held.n ? place_waiting(in, pid, true) : NULL;
}

void intake_forgotten(void *ctx, struct process *p)
{
	struct intake *in = ctx;

	if (!in->failed)
		in->failed = intake_finish_waiting(in, p->pid);
}

static struct err *take_lost(struct intake *in, enum ring_role role, const struct raw_event *ev)
{
	struct proc_event e = { .kind = PROC_LOST, .time_ns = ev->time_ns, .lost = ev->lost.lost };

	in->lost[role] += ev->lost.lost;
	return in->writer ? writer_event(in->writer, &e) : NULL;
}

/* A record taken from the rings, until it is released. */
struct incoming {
	size_t cpu_index;
	enum ring_role role;
	struct raw_event ev;
};

/* Records are looked at a few at a time, so that memory that one waits for comes while others are
 * worked on. */
enum { INCOMING_MAX = 16, INCOMING_BYTES = 64 * 1024 };

static size_t gather(struct intake *in, struct incoming v[INCOMING_MAX])
{
	const struct perf_event_header *h;
	size_t input, n = 0, n_bytes = 0;

	order_release(&in->rings->order);
	while (n < INCOMING_MAX && n_bytes < INCOMING_BYTES &&
	       order_next(&in->rings->order, &input, &h)) {
		struct incoming *to = &v[n];

		to->role = input < in->rings->n ? RING_SIDE : RING_SAMPLES;
		to->cpu_index = to->role == RING_SIDE ? input : input - in->rings->n;
		n_bytes += h->size;
		struct err *err = record_parse(&in->rings->layouts[to->role], h, &to->ev);

		if (err)
			diag_err(in->diag, DIAG_WARNING, "bad-record", err);
		else
			n++;
	}
	return n;
}

static void expect(struct intake *in, const struct incoming *v, size_t n)
{
	struct unwinder_expected samples[INCOMING_MAX];
	size_t n_samples = 0;

	for (size_t i = 0; i < n; i++) {
		const struct intake_cache *c = &in->caches[v[i].cpu_index];

		if (v[i].ev.kind == RAW_SAMPLE)
			samples[n_samples++] = (struct unwinder_expected){
				.as = c->valid && c->thread ? &c->thread->process->as : NULL,
				.ev = &v[i].ev,
			};
	}
	unwinder_expect(in->unwinder, samples, n_samples);
}

static struct err *take(struct intake *in, const struct incoming *from)
{
	const struct raw_event *ev = &from->ev;

	switch (ev->kind) {
	case RAW_SAMPLE:
		return take_sample(in, from->cpu_index, ev);
	case RAW_LOST:
	case RAW_LOST_SAMPLES:
		return take_lost(in, from->role, ev);
	case RAW_THROTTLE:
		in->data->totals.throttled++;
		return NULL;
	case RAW_MMAP:
	case RAW_COMM:
	case RAW_FORK:
	case RAW_EXIT:
		return tasks_take(in, from->cpu_index, ev);
	case RAW_UNTHROTTLE:
	case RAW_KSYMBOL:
	case RAW_SWITCH:
	case RAW_OTHER:
		break;
	}
	return NULL;
}

static struct err *restart(struct intake *in, uint64_t now_ns)
{
	hits_collect(&in->hits, &in->data->tree);
	TRY(writer_restart(in->writer));
	frametree_clear(&in->data->tree);
	unwinder_clear(in->unwinder);
	return intake_write_maps(in, now_ns);
}

struct err *intake_drain(struct intake *in, uint64_t limit_ns)
{
	struct incoming v[INCOMING_MAX];
	struct err *err = NULL;
	size_t n;

	order_begin(&in->rings->order, limit_ns);
	while (!err && (n = gather(in, v))) {
		if (in->writer)
			expect(in, v, n);
		for (size_t i = 0; i < n && !err; i++)
			/* Nothing samples before the writer is there. */
			err = v[i].ev.kind == RAW_SAMPLE && !in->writer ? NULL : take(in, &v[i]);
	}
	order_end(&in->rings->order);
	if (!err && in->writer && writer_restart_due(in->writer))
		err = restart(in, in->data->totals.last_ns);
	return err;
}

void intake_give_vdso(struct intake *in, uint32_t binary)
{
	struct elffile *file = NULL;

	err_destroy(vdso_open(&file));
	code_give_file(unwinder_code(in->unwinder), binary, file);
}

struct err *intake_files(struct intake *in)
{
	struct code *code = unwinder_code(in->unwinder);
	struct file_result r;

	while (files_take(in->files, &r)) {
		struct binary *b = binaries_get(&in->data->binaries, r.binary);

		if (code && b->kind == BINARY_KIND_FILE)
			code_give_file(code, r.binary, r.elf);
		if (r.err) {
			_cleanup_free_ char *cause = xasprintf("open %s %u", b->path, b->pid);
			/* A map that is another's is a surprise; one that is not there is not. */
			bool refused = b->kind == BINARY_KIND_ANON && err_errno(r.err) == EPERM;

			diag_err(in->diag, refused ? DIAG_WARNING : DIAG_DETAIL, cause, r.err);
			continue;
		}
		if (b->kind != BINARY_KIND_FILE)
			continue;
		b->mtime_ns = r.found.mtime_ns;
		b->size = r.found.size;
		if (!b->build_id_len) {
			memcpy(b->build_id, r.found.build_id, sizeof(b->build_id));
			b->build_id_len = r.found.build_id_len;
		}
		b->revision++;
	}
	return in->waiting.held.n ? place_waiting(in, UINT32_MAX, false) : NULL;
}
