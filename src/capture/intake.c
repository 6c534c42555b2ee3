/* In: records of all rings in order of time. Out: samples in the recording. */
#include "capture/intake.h"

#include <errno.h>
#include <string.h>
#include <time.h>

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
	jitdumps_deinit(&in->jitdumps);
	for (size_t i = 0; i < IN_FLIGHT_MAX; i++)
		unwinding_deinit(&in->flights.v[i].stack);
}

static struct err *take_lost(struct intake *in, enum ring_role role, const struct raw_event *ev)
{
	struct proc_event e = { .kind = PROC_LOST, .time_ns = ev->time_ns, .lost = ev->lost.lost };

	in->lost[role] += ev->lost.lost;
	return in->writer ? writer_event(in->writer, &e) : NULL;
}

static struct err *take(struct intake *in, size_t input, const struct perf_event_header *h)
{
	enum ring_role role = input < in->rings->n ? RING_SIDE : RING_SAMPLES;
	size_t cpu_index = role == RING_SIDE ? input : input - in->rings->n;
	struct raw_event *ev = samples_event(in);
	struct err *err = record_parse(&in->rings->layouts[role], h, ev);

	if (err) {
		diag_err(in->diag, DIAG_WARNING, "bad-record", err);
		return NULL;
	}
	if (ev->kind == RAW_SAMPLE)
		/* Nothing samples before the writer is there. */
		return in->writer ? samples_take(in, cpu_index) : NULL;
	TRY(samples_finish(in)); /* they were taken in the world as it was */
	switch (ev->kind) {
	case RAW_LOST:
	case RAW_LOST_SAMPLES:
		return take_lost(in, role, ev);
	case RAW_THROTTLE:
		in->data->totals.throttled++;
		return NULL;
	case RAW_MMAP:
	case RAW_COMM:
	case RAW_FORK:
	case RAW_EXIT:
		return tasks_take(in, cpu_index, ev);
	case RAW_SAMPLE:
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
	struct order *order = &in->rings->order;
	struct err *err = NULL;
	const struct perf_event_header *h;
	size_t input;

	order_begin(order, limit_ns);
	while (!err && order_next(order, &input, &h)) {
		err = take(in, input, h);
		if (!err && order_is_release_due(order) && !(err = samples_finish(in)))
			order_release(order);
	}
	if (!err)
		err = samples_finish(in);
	if (err)
		samples_drop(in);
	order_end(order);
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

/* What the helper found out of a file that was mapped. */
static void take_file(struct intake *in, struct code *code, struct file_result *r)
{
	struct binary *b = binaries_get(&in->data->binaries, r->binary);

	if (code && b->kind == BINARY_KIND_FILE)
		code_give_file(code, r->binary, r->elf);
	if (code && r->err && err_errno(r->err) == ENOEXEC)
		code_set_no_elf(code, r->binary);
	if (r->err) {
		_cleanup_free_ char *cause = xasprintf("open %s %u", b->path, b->pid);
		/* A map that is another's is a surprise; one that is not there is not. */
		bool refused = b->kind == BINARY_KIND_ANON && err_errno(r->err) == EPERM;

		diag_err(in->diag, refused ? DIAG_WARNING : DIAG_DETAIL, cause, r->err);
		return;
	}
	if (b->kind != BINARY_KIND_FILE)
		return;
	b->mtime_ns = r->found.mtime_ns;
	b->size = r->found.size;
	if (!b->build_id_len) {
		memcpy(b->build_id, r->found.build_id, sizeof(b->build_id));
		b->build_id_len = r->found.build_id_len;
	}
	b->revision++;
}

static void take_dump(struct intake *in, struct code *code, struct file_result *r)
{
	bool timed = in->data->meta.clockid == CLOCK_MONOTONIC;

	if (r->err)
		diag_err(in->diag, DIAG_DETAIL, "jitdump", r->err);
	in->jitdumps_more |= jitdumps_take(&in->jitdumps, in->files, code, timed, r);
}

struct err *intake_files(struct intake *in)
{
	struct code *code = unwinder_code(in->unwinder);
	struct file_result r;

	in->jitdumps_more = false;
	while (files_take(in->files, &r)) {
		if (r.is_dump)
			take_dump(in, code, &r);
		else
			take_file(in, code, &r);
	}
	return samples_try_waiting(in);
}

void intake_ask_dumps(struct intake *in)
{
	jitdumps_ask(&in->jitdumps, in->files, unwinder_code(in->unwinder), in->world);
}
