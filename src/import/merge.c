/* In: batches of several datasets. Out: the same in the numbers of one. */
#include "import/merge.h"

#include <string.h>

#include "import/textplaces.h"

void merge_init(struct merge *m, struct dataset *into, bool several)
{
	*m = (struct merge){ .into = into, .several = several };
}

void merge_deinit(struct merge *m)
{
	vec_deinit(&m->inputs);
	table_deinit(&m->origin_names);
}

void merge_input_deinit(struct merge_input *in)
{
	vec_deinit(&in->nodes);
	vec_deinit(&in->binaries);
	vec_deinit(&in->threads);
	vec_deinit(&in->events);
	vec_deinit(&in->samples);
	vec_deinit(&in->proc_events);
}

static void set(char **to, const char *text)
{
	char *old = *to;

	*to = xstrdup(text);
	free(old);
}

static void copy_meta(struct meta *to, const struct meta *from)
{
	set(&to->host, from->host);
	set(&to->os_release, from->os_release);
	set(&to->machine, from->machine);
	set(&to->cmdline, from->cmdline);
	set(&to->boot_id, from->boot_id);
	set(&to->callgraph, from->callgraph);
	memcpy(to->kernel_build_id, from->kernel_build_id, sizeof(to->kernel_build_id));
	to->kernel_build_id_len = from->kernel_build_id_len;
	to->kernel_stext = from->kernel_stext;
	to->wall_start_ns = from->wall_start_ns;
	to->clock_start_ns = from->clock_start_ns;
	to->clockid = from->clockid;
	to->n_cpus = from->n_cpus;
	to->page_size = from->page_size;
}

static bool same_host(const struct meta *a, const struct meta *b)
{
	return *a->host && !strcmp(a->host, b->host);
}

static bool same_kernel(const struct meta *a, const struct meta *b)
{
	return !strcmp(a->boot_id, b->boot_id) && a->kernel_stext == b->kernel_stext &&
	       a->kernel_build_id_len == b->kernel_build_id_len &&
	       !memcmp(a->kernel_build_id, b->kernel_build_id, a->kernel_build_id_len) &&
	       (*a->boot_id || a->kernel_build_id_len || same_host(a, b));
}

/* What does not hold for all inputs is not said of the merge. Chains of frame pointers are judged
 * by the names of where they end, which does no wrong to stacks that were walked. */
static void join_meta(struct meta *to, const struct meta *from)
{
	if (!same_kernel(to, from)) {
		set(&to->boot_id, "");
		to->kernel_build_id_len = 0;
		to->kernel_stext = 0;
	}
	if (strcmp(to->callgraph, from->callgraph) != 0 && strcmp(to->callgraph, "fp") != 0)
		set(&to->callgraph, !strcmp(from->callgraph, "fp") ? "fp" : "");
	if (strcmp(to->cmdline, from->cmdline) != 0) {
		char *both = xasprintf("%s + %s", to->cmdline, from->cmdline);

		free(to->cmdline);
		to->cmdline = both;
	}
	if (from->n_cpus > to->n_cpus)
		to->n_cpus = from->n_cpus;
}

static bool origin_taken(const struct merge *m, const char *name)
{
	const struct meta *into = &m->into->meta;

	for (struct table_probe p = table_probe(&m->origin_names, hash_str(name));
	     table_next(&m->origin_names, &p);)
		if (!strcmp(into->origins.v[p.value], name))
			return true;
	return false;
}

/* Not taken yet; the caller frees. */
static char *free_origin(const struct merge *m, const char *name)
{
	char *origin = xstrdup(name);

	for (unsigned int i = 2; origin_taken(m, origin); i++) {
		free(origin);
		origin = xasprintf("%s#%u", name, i);
	}
	return origin;
}

static void add_origin(struct merge *m, const char *name)
{
	struct meta *into = &m->into->meta;
	char *origin = free_origin(m, name);

	table_add(&m->origin_names, hash_str(origin), (uint32_t)into->origins.n);
	vec_push(&into->origins, origin);
}

/* Where several inputs are of one host, its name tells nothing: the one before goes by its file,
 * too. */
static void give_up_host(struct merge *m, const char *host)
{
	struct meta *to = &m->into->meta;

	for (size_t i = 0; i < m->inputs.n; i++) {
		const struct merge_input *in = m->inputs.v[i];
		char **origin = &to->origins.v[in->first_origin];

		if (in->from->meta.origins.n || strcmp(*origin, host) != 0)
			continue;
		char *name = free_origin(m, in->name);

		table_add(&m->origin_names, hash_str(name), in->first_origin);
		free(*origin);
		*origin = name;
	}
}

static bool is_of(const struct merge *m, const char *host)
{
	bool is = false;

	for (size_t i = 0; i < m->inputs.n; i++)
		is |= !strcmp(m->inputs.v[i]->from->meta.host, host);
	return is;
}

static void add_origins(struct merge *m, const struct meta *from, const char *name)
{
	bool by_host = *from->host && !is_of(m, from->host) && !origin_taken(m, from->host);

	for (size_t i = 0; i < from->origins.n; i++)
		add_origin(m, from->origins.v[i]);
	if (from->origins.n || !m->several)
		return;
	if (!by_host && *from->host)
		give_up_host(m, from->host);
	add_origin(m, by_host ? from->host : name);
}

static uint32_t add_event(struct merge *m, const struct event_desc *e)
{
	struct dataset *into = m->into;

	for (uint32_t i = 0; i < into->events.n; i++)
		if (!strcmp(into->events.v[i].name, e->name) &&
		    !strcmp(into->events.v[i].unit, e->unit))
			return i;
	struct event_desc copy = *e;

	copy.name = xstrdup(e->name);
	copy.unit = xstrdup(e->unit);
	copy.attr = e->attr ? xmemdup(e->attr, e->attr_len) : NULL;
	vec_push(&into->events, copy);
	return (uint32_t)into->events.n - 1;
}

/* An input that is a merge says nothing of which of its hosts runs what. */
static bool is_merge(const struct dataset *d)
{
	return d->meta.origins.n > 1;
}

/* By the first origin of the input that came first among equals. */
static void find_equals(const struct merge *m, struct merge_input *in)
{
	const struct meta *meta = &in->from->meta;

	in->kernel = in->files = in->first_origin;
	for (size_t i = m->inputs.n; i-- > 0 && !is_merge(in->from);) {
		const struct merge_input *other = m->inputs.v[i];

		if (is_merge(other->from))
			continue;
		if (same_kernel(&other->from->meta, meta))
			in->kernel = other->kernel;
		if (same_host(&other->from->meta, meta))
			in->files = other->files;
	}
}

/* Whether times moved to the clock of `a` stay further from 0, before which there is none: the
 * earliest by the time of day is best, else the one whose clock is furthest. */
static bool better_base(const struct merge_input *a, const struct merge_input *b)
{
	uint64_t a_ns = a->from->meta.wall_start_ns, b_ns = b->from->meta.wall_start_ns;

	if (a_ns && b_ns)
		return a_ns < b_ns;
	return a_ns || b_ns ? a_ns != 0 : a->start_ns > b->start_ns;
}

/* The merge has the clock of one of its inputs. */
static void choose_base(struct merge *m, const struct merge_input *in)
{
	const struct meta *meta = &in->from->meta;
	struct meta *into = &m->into->meta;

	if (m->base && !better_base(in, m->base))
		return;
	m->base = in;
	into->wall_start_ns = meta->wall_start_ns;
	into->clock_start_ns = meta->clock_start_ns;
	into->clockid = meta->clockid;
}

void merge_add(struct merge *m, const struct dataset *from, uint64_t start_ns, const char *name,
	       struct merge_input *in)
{
	struct dataset *into = m->into;

	*in = (struct merge_input){ .from = from, .start_ns = start_ns, .name = name };
	in->first_origin = (uint32_t)into->meta.origins.n;
	if (!m->inputs.n)
		copy_meta(&into->meta, &from->meta);
	else
		join_meta(&into->meta, &from->meta);
	choose_base(m, in);
	find_equals(m, in);
	add_origins(m, &from->meta, name);
	for (size_t i = 0; i < from->meta.fallbacks.n; i++)
		vec_push(&into->meta.fallbacks, xstrdup(from->meta.fallbacks.v[i]));
	for (uint32_t i = 0; i < from->events.n; i++)
		vec_push(&in->events, add_event(m, &from->events.v[i]));
	vec_push(&m->inputs, in);
}

/* Inputs that know the time of day stand where they belong; others begin together. */
static void find_shift(const struct merge *m, struct merge_input *in)
{
	const struct meta *base = &m->base->from->meta, *meta = &in->from->meta;

	if (in->has_shift)
		return;
	in->has_shift = true;
	if (base->wall_start_ns && meta->wall_start_ns)
		in->shift_ns = meta->wall_start_ns - base->wall_start_ns + base->clock_start_ns -
			       meta->clock_start_ns;
	else
		in->shift_ns = m->base->start_ns - in->start_ns;
}

/* Binaries that only look alike get a mark of their input: the numbers that tell files apart are
 * there for that. An inode's generation has 32 bits; above them is the origin, and the marks that a
 * merge has already move up with its origins. */
static struct binary keep_apart(const struct merge_input *in, const struct binary *b)
{
	struct binary copy = *b;
	uint32_t mark = 0;

	if (b->kind == BINARY_KIND_KERNEL || b->kind == BINARY_KIND_VDSO)
		mark = in->kernel;
	if (b->kind == BINARY_KIND_ANON && b->pid)
		mark = in->first_origin;
	if (b->kind == BINARY_KIND_FILE && !b->build_id_len)
		mark = in->files;
	copy.inode_generation += (uint64_t)mark << 32;
	return copy;
}

static void map_binaries(struct merge *m, struct merge_input *in)
{
	while (in->binaries.n < in->from->binaries.v.n) {
		const struct binary *b =
			binaries_get(&in->from->binaries, (uint32_t)in->binaries.n);
		struct binary like = keep_apart(in, b);
		uint32_t id = binaries_add(&m->into->binaries, &like);
		struct binary *to = binaries_get(&m->into->binaries, id);

		to->deleted |= b->deleted;
		to->mtime_ns = b->mtime_ns;
		to->size = b->size;
		vec_push(&in->binaries, id);
	}
}

static uint64_t map_off(struct merge *m, const struct merge_input *in, uint32_t binary,
			uint64_t off)
{
	const struct binary *b = binaries_get(&in->from->binaries, binary);
	const struct intern *strings = &in->from->names.strings;

	if (b->kind != BINARY_KIND_TEXT || b->inode != TEXT_BY_NAME || off >= strings->strings.n)
		return off;
	return intern_add(&m->into->names.strings, intern_str(strings, (uint32_t)off));
}

static void map_nodes(struct merge *m, struct merge_input *in)
{
	const struct frametree *tree = &in->from->tree;

	if (!in->nodes.n)
		vec_push(&in->nodes, 0);
	vec_reserve(&in->nodes, tree->frames.n);
	while (in->nodes.n < tree->frames.n) {
		const struct frame *f = frametree_get(tree, (uint32_t)in->nodes.n);

		vec_push(&in->nodes, frametree_add(&m->into->tree, in->nodes.v[f->parent],
						   in->binaries.v[f->binary],
						   map_off(m, in, f->binary, f->off), f->kind));
	}
}

static void map_threads(struct merge *m, struct merge_input *in)
{
	while (in->threads.n < in->from->threads.v.n) {
		struct thread_entry t = *threads_get(&in->from->threads, (uint32_t)in->threads.n);

		t.origin += in->first_origin;
		vec_push(&in->threads, threads_add(&m->into->threads, &t));
	}
}

struct batch merge_batch(struct merge *m, struct merge_input *in, const struct batch *batch)
{
	map_binaries(m, in);
	map_nodes(m, in);
	map_threads(m, in);
	find_shift(m, in);
	in->samples.n = in->proc_events.n = 0;
	for (size_t i = 0; i < batch->n_samples; i++) {
		struct sample s = batch->samples[i];

		s.time_ns += in->shift_ns;
		s.node = in->nodes.v[s.node];
		s.thread = in->threads.v[s.thread];
		s.event = in->events.v[s.event];
		vec_push(&in->samples, s);
	}
	for (size_t i = 0; i < batch->n_events; i++) {
		struct proc_event e = batch->events[i];

		if (e.kind == PROC_STACK) /* what it was good for is done */
			continue;
		if (e.time_ns) /* what was there before is, without a time */
			e.time_ns += in->shift_ns;
		e.origin += in->first_origin;
		if (e.kind == PROC_MMAP)
			e.binary = in->binaries.v[e.binary];
		vec_push(&in->proc_events, e);
	}
	return (struct batch){ in->samples.v, in->samples.n, in->proc_events.v, in->proc_events.n };
}

static void add_times(struct totals *to, const struct totals *from, uint64_t shift_ns)
{
	uint64_t first = from->first_ns + shift_ns, last = from->last_ns + shift_ns;
	uint64_t end = from->end_ns + shift_ns;

	if (from->samples && (!to->samples || first < to->first_ns))
		to->first_ns = first;
	if (from->samples && (!to->samples || last > to->last_ns))
		to->last_ns = last;
	if (from->end_ns && end > to->end_ns)
		to->end_ns = end;
}

static void add_totals(struct merge *m, const struct merge_input *in)
{
	struct totals *to = &m->into->totals;
	const struct totals *from = &in->from->totals;

	add_times(to, from, in->shift_ns);
	to->complete = from->complete && (to->complete || !m->n_finished);
	m->n_finished++;
	to->samples += from->samples;
	to->lost += from->lost;
	to->lost_sideband += from->lost_sideband;
	to->throttled += from->throttled;
	to->duplicates += from->duplicates;
	to->recorder_cpu_ns += from->recorder_cpu_ns;
	to->lost_in_file += from->lost_in_file;
	to->damaged_blocks += from->damaged_blocks;
}

/* Binaries may have got their build-ids, and the file its kernel's, after they were first seen. */
static void late_facts(struct merge *m, const struct merge_input *in)
{
	for (uint32_t i = 0; i < in->binaries.n; i++) {
		const struct binary *from = binaries_get(&in->from->binaries, i);
		struct binary *to = binaries_get(&m->into->binaries, in->binaries.v[i]);

		if (!from->build_id_len || to->build_id_len)
			continue;
		memcpy(to->build_id, from->build_id, from->build_id_len);
		to->build_id_len = from->build_id_len;
		to->revision++;
	}
}

static void map_codetimes(struct merge *m, const struct merge_input *in)
{
	const struct codetimes *from = &in->from->codetimes;
	VEC(struct codetime) times = { 0 };

	for (size_t i = 0; i < from->entries.n; i++) {
		const struct codetimes_entry *e = &from->entries.v[i];

		times.n = 0;
		for (uint32_t k = 0; k < e->n; k++) {
			struct codetime t = from->times.v[e->first + k];

			t.from_ns += in->shift_ns;
			t.binary = in->binaries.v[t.binary];
			vec_push(&times, t);
		}
		codetimes_set(&m->into->codetimes, in->binaries.v[e->binary], e->off, times.v,
			      e->n);
	}
	vec_deinit(&times);
}

void merge_finish(struct merge *m, struct merge_input *in)
{
	const struct names *names = &in->from->names;
	VEC(struct name_line) lines = { 0 };

	map_binaries(m, in);
	late_facts(m, in);
	for (size_t i = 0; i < names->entries.n; i++) {
		const struct name_entry *e = &names->entries.v[i];

		lines.n = 0;
		for (uint16_t k = 0; k < e->n; k++) {
			struct name_line line = names->lines.v[e->first + k];
			struct intern *to = &m->into->names.strings;

			line.function = intern_add(to, intern_str(&names->strings, line.function));
			line.file = intern_add(to, intern_str(&names->strings, line.file));
			vec_push(&lines, line);
		}
		names_set(&m->into->names, in->binaries.v[e->binary],
			  map_off(m, in, e->binary, e->off), lines.v, (uint16_t)lines.n, e->flags);
	}
	vec_deinit(&lines);
	map_codetimes(m, in);
	add_totals(m, in);
}
