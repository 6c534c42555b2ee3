/* In: batches of samples. Out: one weight for each distinct (group, stack), after the filters. */
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

#define NO_GROUP UINT32_MAX /* the thread is filtered out */

/* The first groups, nearly always all there are, count by node without looking anything up: samples
 * hit stacks at random, and each step through memory costs more than all else done for one. */
enum { DENSE_GROUPS = 8 };

struct dense {
	uint64_t *samples; /* by node; NULL: the group is not there yet */
	uint64_t *weight;  /* by node, where weights are periods; else NULL */
};

/* Answers that do not change while batches come, looked up by the numbers in a sample. */
struct builder {
	const struct profile_options *opt;
	const struct filter *filter;
	struct profile *p;
	bool event_found;
	VEC(uint32_t) group_of;  /* by thread entry; NO_GROUP: left out */
	VEC(uint8_t) in_binary;  /* by node: a frame of the stack is in one of filter->binaries */
	VEC(uint32_t) cpu_group; /* by cpu; NO_GROUP: not seen yet */
	struct table groups;
	struct table stacks; /* those of further groups */
	struct dense dense[DENSE_GROUPS];
	size_t n_dense; /* nodes there is room for */
	bool has_start; /* p->start_ns is known */
};

static uint32_t group_named(struct builder *b, const char *name)
{
	uint64_t hash = hash_str(name);

	for (struct table_probe p = table_probe(&b->groups, hash); table_next(&b->groups, &p);)
		if (!strcmp(b->p->groups.v[p.value], name))
			return p.value;
	uint32_t id = (uint32_t)b->p->groups.n;

	table_add(&b->groups, hash, id);
	vec_push(&b->p->groups, xstrdup(name));
	return id;
}

static const char *comm_or_stand_in(const char *comm)
{
	return *comm ? comm : "[no name]";
}

static void number_text(const char *before, uint32_t n, char *to, size_t size)
{
	if (n == UINT32_MAX)
		snprintf(to, size, "%s?", before);
	else
		snprintf(to, size, "%s%u", before, n);
}

static const char *origin_name(const struct dataset *d, uint32_t origin)
{
	if (origin < d->meta.origins.n)
		return d->meta.origins.v[origin];
	return *d->meta.host ? d->meta.host : "[no origin]";
}

/* A number that the kernel gave out twice is two processes: the later ones get "#2", "#3". So is
 * one of two inputs of a merge: they get "@web1", "@web2". */
static uint32_t group_of_thread(struct builder *b, const struct thread_entry *t)
{
	bool merged = b->p->data->meta.origins.n > 1;
	char again[16] = "", pid[16], tid[16];
	_cleanup_free_ char *name = NULL;
	_cleanup_free_ char *at = xasprintf("%s%s", merged ? "@" : "",
					    merged ? origin_name(b->p->data, t->origin) : "");

	number_text("-", t->pid, pid, sizeof(pid));
	number_text("/", t->tid, tid, sizeof(tid));
	if (t->pid == UINT32_MAX && t->tid == UINT32_MAX) /* folded stacks */
		*pid = *tid = '\0';
	if (t->incarnation)
		snprintf(again, sizeof(again), "#%u", t->incarnation + 1);
	switch (b->opt->by) {
	case GROUP_PID:
		name = xasprintf("%s%s%s%s", comm_or_stand_in(t->process_comm), pid, again, at);
		break;
	case GROUP_TID:
		name = xasprintf("%s%s%s%s%s", comm_or_stand_in(t->comm), pid, tid, again, at);
		break;
	case GROUP_COMM:
		name = xstrdup(comm_or_stand_in(t->comm));
		break;
	case GROUP_ORIGIN:
		name = xstrdup(origin_name(b->p->data, t->origin));
		break;
	case GROUP_NONE:
	case GROUP_CPU:
		name = xstrdup("");
		break;
	}
	return group_named(b, name);
}

static uint32_t group_of_cpu(struct builder *b, uint32_t cpu)
{
	enum { CACHED = 8192 }; /* a damaged file may claim any number */
	char name[24] = "cpu ?";

	if (cpu < b->cpu_group.n && b->cpu_group.v[cpu] != NO_GROUP)
		return b->cpu_group.v[cpu];
	if (cpu != UINT32_MAX)
		snprintf(name, sizeof(name), "cpu %u", cpu);
	uint32_t group = group_named(b, name);

	if (cpu >= CACHED)
		return group;
	while (b->cpu_group.n <= cpu)
		vec_push(&b->cpu_group, NO_GROUP);
	b->cpu_group.v[cpu] = group;
	return group;
}

static bool event_is_ours(struct builder *b, uint32_t event)
{
	const struct event_desc *e = &b->p->data->events.v[event];
	const char *want = b->opt->event;

	if (want ? strcmp(want, e->name) != 0 : event != 0)
		return false;
	b->p->event = event;
	b->p->by_period = b->opt->weight == WEIGHT_PERIOD ||
			  (b->opt->weight == WEIGHT_DEFAULT && !e->is_clock && e->is_freq);
	b->p->counts_samples = !strcmp(e->unit, "samples");
	b->event_found = true;
	return true;
}

static void find_event(struct builder *b)
{
	for (uint32_t i = 0; !b->event_found && i < b->p->data->events.n; i++)
		event_is_ours(b, i);
}

static void grow(uint64_t **v, size_t from, size_t to)
{
	size_t have = *v ? from : 0;

	*v = xreallocarray(*v, to, sizeof(**v));
	memset(*v + have, 0, (to - have) * sizeof(**v));
}

static void grow_dense(struct builder *b, size_t n_nodes)
{
	size_t old = b->n_dense;

	/* Nothing to count, and what weights are is not known; or kept samples want stacks by
	 * number. */
	if (!b->event_found || b->opt->keep)
		return;
	if (n_nodes > old)
		b->n_dense = n_nodes + n_nodes / 2;
	for (size_t i = 0; i < DENSE_GROUPS && i < b->p->groups.n; i++) {
		struct dense *d = &b->dense[i];

		if (d->samples && old == b->n_dense)
			continue;
		grow(&d->samples, old, b->n_dense);
		if (b->p->by_period)
			grow(&d->weight, old, b->n_dense);
	}
}

/* Brings the answers up to the tables as they are now. */
static void learn(struct builder *b)
{
	const struct dataset *d = b->p->data;
	size_t n_nodes = d->tree.frames.n;

	find_event(b);
	vec_reserve(&b->group_of, d->threads.v.n);
	while (b->group_of.n < d->threads.v.n) {
		const struct thread_entry *t = threads_get(&d->threads, (uint32_t)b->group_of.n);
		bool in = !b->filter || (filter_has_thread(b->filter, t) &&
					 filter_has_origin(b->filter, origin_name(d, t->origin)));
		bool by_cpu = b->opt->by == GROUP_CPU;

		vec_push(&b->group_of, !in ? NO_GROUP : by_cpu ? 0 : group_of_thread(b, t));
	}
	grow_dense(b, n_nodes);
	if (!b->filter || !b->filter->binaries.v.n)
		return;
	vec_reserve(&b->in_binary, n_nodes);
	while (b->in_binary.n < n_nodes) {
		uint32_t i = (uint32_t)b->in_binary.n;
		const struct frame *f = frametree_get(&d->tree, i);
		bool in = i &&
			  ((f->parent && b->in_binary.v[f->parent]) ||
			   (f->kind != FRAME_CUT &&
			    filter_has_binary(b->filter, binaries_get(&d->binaries, f->binary))));

		vec_push(&b->in_binary, in);
	}
}

static bool sample_passes(const struct builder *b, const struct sample *s)
{
	const struct filter *f = b->filter;

	if (f->from_ns || f->to_ns) {
		/* Times may step back a little: before the first sample is at the first sample. */
		uint64_t t = s->time_ns > b->p->start_ns ? s->time_ns - b->p->start_ns : 0;

		if (t < f->from_ns || (f->to_ns && t >= f->to_ns))
			return false;
	}
	if (f->cpus.v.n && !number_list_has(&f->cpus, s->cpu))
		return false;
	return !f->binaries.v.n || b->in_binary.v[s->node];
}

/* A damaged period must not make a small sum of a huge one. */
static inline void add_saturated(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

static struct stack_weight *stack_by_hash(struct builder *b, uint32_t group, uint32_t node)
{
	uint64_t hash = hash_u64((uint64_t)group << 32 | node);
	struct profile *p = b->p;

	for (struct table_probe t = table_probe(&b->stacks, hash); table_next(&b->stacks, &t);) {
		struct stack_weight *w = &p->stacks.v[t.value];

		if (w->group == group && w->node == node)
			return w;
	}
	table_add(&b->stacks, hash, (uint32_t)p->stacks.n);
	vec_push(&p->stacks, ((struct stack_weight){ .group = group, .node = node }));
	return &p->stacks.v[p->stacks.n - 1];
}

static inline void count(struct builder *b, uint32_t group, const struct sample *s)
{
	if (group >= DENSE_GROUPS || b->opt->keep) {
		struct stack_weight *w = stack_by_hash(b, group, s->node);

		w->samples += b->p->counts_samples ? s->period : 1;
		add_saturated(&w->weight, b->p->by_period ? s->period : 1);
		return;
	}
	struct dense *d = &b->dense[group];

	if (!d->samples) /* a CPU not seen before this batch */
		grow_dense(b, b->n_dense);
	d->samples[s->node] += b->p->counts_samples ? s->period : 1;
	if (d->weight)
		add_saturated(&d->weight[s->node], s->period);
}

static void keep_sample(struct profile *p, const struct sample *s, uint32_t stack)
{
	struct kept_sample k = { .time_ns = s->time_ns,
				 .period = s->period,
				 .stack = stack,
				 .thread = s->thread,
				 .cpu = s->cpu,
				 .event = s->event };

	vec_push(&p->kept, k);
}

/* Those from `next` on that came before sample `n` of the batch; returns the next. */
static size_t keep_changes(struct profile *p, const struct batch *batch, size_t next, size_t n)
{
	for (; next < batch->n_events && batch->events[next].samples_before <= n; next++) {
		struct kept_change c = { .n_kept = p->kept.n, .event = batch->events[next] };

		c.event.comm = NULL;
		c.event.stack = NULL;
		if (c.event.kind == PROC_MMAP || c.event.kind == PROC_FORK ||
		    (c.event.kind == PROC_COMM && c.event.exec))
			vec_push(&p->changes, c);
	}
	return next;
}

static void add_samples(struct builder *b, const struct batch *batch)
{
	const struct sample *samples = batch->samples;
	size_t n = batch->n_samples, next = 0;
	struct profile *p = b->p;
	bool by_cpu = b->opt->by == GROUP_CPU;

	if (!b->has_start && n) {
		p->start_ns = samples[0].time_ns;
		b->has_start = true;
	}
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &samples[i];

		if (b->opt->keep)
			next = keep_changes(p, batch, next, i);
		bool ours = b->event_found && s->event == p->event;

		if (!ours) {
			p->other_events++;
			if (!b->opt->keep)
				continue;
		}
		uint32_t group = b->group_of.v[s->thread];

		if (group == NO_GROUP || (b->filter && !sample_passes(b, s))) {
			p->filtered += ours;
			continue;
		}
		group = by_cpu ? group_of_cpu(b, s->cpu) : group;
		if (b->opt->keep)
			keep_sample(p, s,
				    (uint32_t)(stack_by_hash(b, group, s->node) - p->stacks.v));
		if (!ours)
			continue;
		count(b, group, s);
		if (s->time_ns < p->first_ns)
			p->first_ns = s->time_ns;
		if (s->time_ns > p->last_ns)
			p->last_ns = s->time_ns;
	}
	if (b->opt->keep)
		keep_changes(p, batch, next, n);
}

static struct err *no_such_event(const struct dataset *d, const char *event)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < d->events.n; i++) {
		if (i)
			buf_bytes(&list, ", ", 2);
		buf_bytes(&list, d->events.v[i].name, strlen(d->events.v[i].name));
	}
	buf_u8(&list, 0);
	struct err *err = err_new("no event '%s' in the data; there is: %s", event,
				  list.len > 1 ? (const char *)list.data : "none");

	buf_deinit(&list);
	return err;
}

static void gather_dense(struct builder *b)
{
	for (uint32_t g = 0; g < DENSE_GROUPS && b->dense[g].samples; g++) {
		const struct dense *d = &b->dense[g];

		for (uint32_t node = 0; node < b->n_dense; node++) {
			struct stack_weight w = { .group = g, .node = node };

			if (!d->samples[node])
				continue;
			w.samples = d->samples[node];
			w.weight = d->weight ? d->weight[node] : w.samples;
			vec_push(&b->p->stacks, w);
		}
	}
}

/* Keeps every sum of weights below 2^64, whatever the file claims. */
static void sum_up(struct profile *p)
{
	for (size_t i = 0; i < p->stacks.n; i++) {
		struct stack_weight *w = &p->stacks.v[i];

		if (w->weight > UINT64_MAX - p->weight)
			w->weight = UINT64_MAX - p->weight;
		p->weight += w->weight;
		p->samples += w->samples;
	}
	if (!p->samples)
		p->first_ns = p->last_ns = 0;
}

static void builder_deinit(struct builder *b)
{
	vec_deinit(&b->group_of);
	vec_deinit(&b->cpu_group);
	vec_deinit(&b->in_binary);
	for (size_t i = 0; i < DENSE_GROUPS; i++) {
		free(b->dense[i].samples);
		free(b->dense[i].weight);
	}
	table_deinit(&b->groups);
	table_deinit(&b->stacks);
}

static void note_mappings(struct profile *p, const struct batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct proc_event *e = &batch->events[i];

		if (e->kind != PROC_MMAP)
			continue;
		while (p->code_at.n <= e->binary)
			vec_push(&p->code_at, UINT64_MAX);
		if (e->pgoff < p->code_at.v[e->binary])
			p->code_at.v[e->binary] = e->pgoff;
	}
}

static struct err *drain(struct builder *b, struct source *src)
{
	for (;;) {
		struct batch batch;

		TRY(src->next(src, &batch));
		if (!batch.n_samples && !batch.n_events)
			break;
		learn(b);
		note_mappings(b->p, &batch);
		add_samples(b, &batch);
	}
	find_event(b);
	if (b->opt->event && !b->event_found)
		return no_such_event(src->data, b->opt->event);
	return NULL;
}

struct err *profile_build(struct source *src, const struct profile_options *opt,
			  const struct filter *filter, struct profile **ret)
{
	CLEANUP(profile_destroy) struct profile *p = xcalloc(1, sizeof(*p));
	struct builder b = { .opt = opt, .filter = filter, .p = p };

	p->data = src->data;
	p->first_ns = UINT64_MAX;
	struct err *err = drain(&b, src);

	gather_dense(&b);
	builder_deinit(&b);
	if (err)
		return err;
	sum_up(p);
	*ret = take_ptr(p);
	return NULL;
}

void profile_destroy(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->groups.n; i++)
		free(p->groups.v[i]);
	vec_deinit(&p->groups);
	vec_deinit(&p->stacks);
	vec_deinit(&p->code_at);
	vec_deinit(&p->kept);
	vec_deinit(&p->changes);
	free(p);
}

const struct event_desc *profile_event(const struct profile *p)
{
	return p->event < p->data->events.n ? &p->data->events.v[p->event] : NULL;
}

const char *profile_unit(const struct profile *p)
{
	const struct event_desc *e = profile_event(p);

	return p->by_period && e ? e->unit : "samples";
}
