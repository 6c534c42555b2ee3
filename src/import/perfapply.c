/* In: records in order. Out: samples with their stacks, and what happened to processes. */
#include "import/perfapply.h"

#include <elf.h>

enum {
	/* Of FORKs that perf made up of processes that were there already: their mappings follow
	 * (include/uapi/linux/perf_event.h, PERF_RECORD_MISC_FORK_EXEC). */
	MISC_FORK_EXEC = 1 << 13,
	MAX_STACK = 127, /* /proc/sys/kernel/perf_event_max_stack, unless someone changed it */
};

static void add_event(struct perfapply *a, struct proc_event e)
{
	e.time_ns = a->at_ns;
	e.samples_before = (uint32_t)a->samples.n;
	vec_push(&a->events, e);
}

static void on_mapped(void *ctx, struct process *p, const struct mapping *m)
{
	struct perfapply *a = ctx;
	struct code *code = a->unwinder ? unwinder_code(a->unwinder) : NULL;

	if (code && a->open && !code_has_file(code, m->binary))
		code_give_file(code, m->binary, a->open(a->open_ctx, m->binary));
	add_event(a, (struct proc_event){ .kind = PROC_MMAP,
					  .pid = p->pid,
					  .tid = p->pid,
					  .binary = m->binary,
					  .start = m->start,
					  .len = m->end - m->start,
					  .pgoff = m->pgoff });
}

void perfapply_init(struct perfapply *a, struct dataset *data, const struct perfattrs *attrs,
		    const struct perffeatures *features, struct diag *diag)
{
	*a = (struct perfapply){ .data = data, .attrs = attrs, .features = features, .diag = diag };
	a->world = world_create(data);
	world_on_mapped(a->world, on_mapped, a);
	intern_init(&a->comms);
}

void perfapply_deinit(struct perfapply *a)
{
	unwinder_destroy(a->unwinder);
	world_destroy(a->world);
	perflbr_deinit(&a->lbr);
	perfreads_deinit(&a->reads);
	vec_deinit(&a->samples);
	vec_deinit(&a->events);
	intern_deinit(&a->comms);
}

void perfapply_begin(struct perfapply *a)
{
	a->samples.n = 0;
	a->events.n = 0;
}

/* perf writes uname's machine, but i386 and the like for what runs on x86_64 too. */
static const struct arch *arch_of(const struct perfapply *a)
{
	const char *machine = a->data->meta.machine;

	return *machine ? arch_by_name(machine) : arch_native();
}

static bool has_stacks(const struct perf_event_attr *attr)
{
	uint64_t both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (attr->sample_type & both) == both;
}

static void choose_unwinder(struct perfapply *a)
{
	struct unwinder_options opt = {
		.mode = UNWIND_FP, .engine = a->engine, .max_stack = MAX_STACK, .arch = arch_of(a)
	};
	bool any = false;

	for (size_t i = 0; i < a->attrs->v.n; i++) {
		const struct perf_event_attr *attr = &a->attrs->v.v[i].attr;
		bool user_chain =
			attr->sample_type & PERF_SAMPLE_CALLCHAIN && !attr->exclude_callchain_user;

		if (attr->sample_max_stack)
			opt.max_stack = attr->sample_max_stack;
		if (!has_stacks(attr))
			continue;
		if (!any || user_chain)
			opt.mode = user_chain ? UNWIND_AUTO : UNWIND_DWARF;
		any = true;
	}
	if (any && (!opt.arch || a->attrs->swap)) {
		opt.mode = UNWIND_FP;
		diag_add(a->diag, DIAG_WARNING, "unwind machine",
			 "stacks of a machine '%s' can't be unwound here: only the kernel's part "
			 "of them is shown",
			 a->data->meta.machine);
	}
	a->unwinder = unwinder_create(&opt, &a->data->tree, &a->data->binaries);
}

struct give {
	struct perfapply *a;
	struct code *code;
};

static void give_files(void *ctx, struct process *p)
{
	struct give *give = ctx;

	for (size_t i = 0; i < p->as.maps.n; i++) {
		uint32_t binary = p->as.maps.v[i].binary;

		if (!code_has_file(give->code, binary))
			code_give_file(give->code, binary,
				       give->a->open(give->a->open_ctx, binary));
	}
}

/* What was mapped before the first sample has been waiting for this. */
static void make_unwinder(struct perfapply *a)
{
	choose_unwinder(a);
	struct give give = { a, unwinder_code(a->unwinder) };

	if (give.code && a->open)
		world_each_process(a->world, give_files, &give);
}

static void add_sample(struct perfapply *a, struct sample s)
{
	struct totals *t = &a->data->totals;

	vec_push(&a->samples, s);
	if (!t->samples++ || s.time_ns < t->first_ns)
		t->first_ns = s.time_ns;
	if (s.time_ns > t->last_ns)
		t->last_ns = s.time_ns;
}

/* One sample of each event that counted something since its counter was read last
 * (tools/perf/util/session.c, evlist__deliver_sample()). */
static void add_counted(struct perfapply *a, const struct perfattr *attr,
			const struct raw_event *ev, struct sample s)
{
	const struct raw_read *r = &ev->sample.read;
	bool by_thread = attr->attr.inherit;

	for (uint32_t i = 0; i < r->n; i++) {
		const uint64_t *words = r->words + (size_t)i * r->stride;
		uint32_t of = perfattrs_by_id(a->attrs, words[r->id_at]);

		if (of == UINT32_MAX || a->attrs->v.v[of].event == UINT32_MAX) {
			diag_add(
				a->diag, DIAG_WARNING, "perf.data unknown event",
				"records of an event that the file does not describe are left out");
			continue;
		}
		s.event = a->attrs->v.v[of].event;
		s.period = perfreads_since(&a->reads, words[r->id_at], by_thread ? ev->tid : 0,
					   words[0]);
		if (s.period)
			add_sample(a, s);
	}
}

static void take_sample(struct perfapply *a, const struct perfattr *attr, struct raw_event *ev)
{
	if (perflbr_has_calls(&attr->attr))
		perflbr_chain(&a->lbr, &ev->sample);
	if (!a->unwinder)
		make_unwinder(a);
	struct thread *thread = world_thread(a->world, ev->pid, ev->tid);
	struct sample s = {
		.time_ns = ev->time_ns,
		.period = ev->sample.period,
		.thread = world_thread_entry(a->world, thread),
		.cpu = ev->cpu,
		.event = attr->event,
	};

	if (!(attr->attr.sample_type & PERF_SAMPLE_PERIOD))
		s.period = attr->attr.freq ? 1 : attr->attr.sample_period;
	unwinder_sample(a->unwinder, &thread->process->as, ev, true, &s.node);
	if (ev->sample.read.n)
		add_counted(a, attr, ev, s);
	else
		add_sample(a, s);
}

/* perf measures from _text, or where that is missing from _stext; both are one place on x86, not
 * elsewhere. */
static bool is_stext(const struct perfapply *a, const char *symbol)
{
	const struct arch *arch = arch_of(a);

	return !strcmp(symbol, "_stext") || (arch && arch->machine == EM_X86_64);
}

/* "[kernel.kallsyms]_text", whose page offset is where _text was
 * (tools/perf/util/synthetic-events.c, perf_event__synthesize_kernel_mmap()). */
static void take_kernel_mmap(struct perfapply *a, const struct raw_mmap *m)
{
	static const char name[] = "[kernel.kallsyms]";
	struct meta *meta = &a->data->meta;

	if (strncmp(m->path, name, strlen(name)) != 0)
		return;
	if (!meta->kernel_stext && is_stext(a, m->path + strlen(name)))
		meta->kernel_stext = m->pgoff;
	if (m->build_id_len && !meta->kernel_build_id_len) {
		meta->kernel_build_id_len = (uint8_t)m->build_id_len;
		memcpy(meta->kernel_build_id, m->build_id, m->build_id_len);
	}
}

static void take_mmap(struct perfapply *a, struct raw_event *ev)
{
	if (ev->mode == RAW_MODE_GUEST)
		return;
	if (ev->mode == RAW_MODE_KERNEL || ev->pid == UINT32_MAX) {
		take_kernel_mmap(a, &ev->mmap);
		return;
	}
	const struct perf_build_id *id =
		ev->mmap.build_id_len ? NULL : perffeatures_find(a->features, ev->mmap.path);

	if (id) {
		ev->mmap.build_id = id->id;
		ev->mmap.build_id_len = id->len;
	}
	world_apply(a->world, ev);
}

static void take_comm(struct perfapply *a, const struct raw_event *ev)
{
	const char *name = intern_str(&a->comms, intern_add(&a->comms, ev->comm.name));

	world_apply(a->world, ev);
	add_event(a, (struct proc_event){ .kind = PROC_COMM,
					  .pid = ev->pid,
					  .tid = ev->tid,
					  .exec = ev->comm.exec,
					  .comm = name });
}

static void take_fork(struct perfapply *a, const struct raw_event *ev, uint16_t misc)
{
	bool made_up = misc & MISC_FORK_EXEC || !ev->time_ns;

	if (ev->pid == UINT32_MAX)
		return;
	if (made_up) {
		world_thread(a->world, ev->pid, ev->tid);
		return;
	}
	world_apply(a->world, ev);
	add_event(a, (struct proc_event){ .kind = PROC_FORK,
					  .pid = ev->pid,
					  .tid = ev->tid,
					  .ppid = ev->task.ppid });
}

static void take_exit(struct perfapply *a, const struct raw_event *ev)
{
	world_apply(a->world, ev);
	add_event(a, (struct proc_event){ .kind = PROC_EXIT, .pid = ev->pid, .tid = ev->tid });
}

static bool counts_losses(const struct perfapply *a)
{
	for (size_t i = 0; i < a->attrs->v.n; i++)
		if (a->attrs->v.v[i].attr.read_format & PERF_FORMAT_LOST)
			return true;
	return false;
}

/* Newer kernels count what they could not store, which perf reads at the end and writes as
 * LOST_SAMPLES: the same losses that LOST records tell of as they happen. */
static void take_lost(struct perfapply *a, const struct raw_event *ev)
{
	uint64_t *sum = ev->kind == RAW_LOST ? &a->lost : &a->lost_counts;

	if (__builtin_add_overflow(*sum, ev->lost.lost, sum))
		*sum = UINT64_MAX;
	uint64_t both =
		a->lost > UINT64_MAX - a->lost_counts ? UINT64_MAX : a->lost + a->lost_counts;
	uint64_t most = a->lost > a->lost_counts ? a->lost : a->lost_counts;

	a->data->totals.lost = counts_losses(a) ? most : both;
	if (ev->kind == RAW_LOST)
		add_event(a, (struct proc_event){ .kind = PROC_LOST, .lost = ev->lost.lost });
}

struct err *perfapply_record(struct perfapply *a, const struct perfattr *attr,
			     const struct perf_event_header *h)
{
	struct raw_event ev;

	if (!attr || (h->type == PERF_RECORD_SAMPLE && attr->event == UINT32_MAX)) {
		diag_add(a->diag, DIAG_WARNING, "perf.data unknown event",
			 "records of an event that the file does not describe are left out");
		return NULL;
	}
	TRY(record_parse(&attr->layout, h, &ev));
	if (ev.time_ns)
		a->at_ns = ev.time_ns;
	switch (ev.kind) {
	case RAW_SAMPLE:
		take_sample(a, attr, &ev);
		break;
	case RAW_MMAP:
		take_mmap(a, &ev);
		break;
	case RAW_COMM:
		take_comm(a, &ev);
		break;
	case RAW_FORK:
		take_fork(a, &ev, h->misc);
		break;
	case RAW_EXIT:
		take_exit(a, &ev);
		break;
	case RAW_LOST:
	case RAW_LOST_SAMPLES:
		take_lost(a, &ev);
		break;
	case RAW_THROTTLE:
		a->data->totals.throttled++;
		break;
	default:
		break;
	}
	return NULL;
}
