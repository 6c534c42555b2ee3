/* In: a source of samples. Out: sums. */
#include "cmd/info_facts.h"

#include <string.h>

#include "cmd/advice.h"
#include "profile/calltree.h"
#include "profile/coverage.h"
#include "symbol/symbolizer.h"

/* Samples of each event by node. */
struct tally {
	VEC(uint64_t *) by_event; /* each of n_nodes; owned */
	size_t n_nodes;
};

static void tally_deinit(struct tally *t)
{
	for (size_t i = 0; i < t->by_event.n; i++)
		free(t->by_event.v[i]);
	vec_deinit(&t->by_event);
}

static void tally_room(struct tally *t, const struct dataset *data)
{
	size_t n = t->n_nodes;

	if (data->tree.frames.n > n)
		n = data->tree.frames.n * 2;
	for (size_t i = 0; i < data->events.n && n > t->n_nodes; i++) {
		if (i >= t->by_event.n)
			break;
		uint64_t *v = xreallocarray(t->by_event.v[i], n, sizeof(*v));

		memset(v + t->n_nodes, 0, (n - t->n_nodes) * sizeof(*v));
		t->by_event.v[i] = v;
	}
	t->n_nodes = n;
	while (t->by_event.n < data->events.n)
		vec_push(&t->by_event, xcalloc(n, sizeof(uint64_t)));
}

static struct err *drain(struct info_facts *f, struct source *src, struct tally *t)
{
	for (;;) {
		struct batch b;

		TRY(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			return NULL;
		tally_room(t, src->data);
		while (f->events.n < src->data->events.n)
			vec_push(&f->events, (struct info_event){ 0 });
		for (size_t i = 0; i < b.n_samples; i++) {
			const struct sample *s = &b.samples[i];

			f->events.v[s->event].samples++;
			f->events.v[s->event].period += s->period;
			t->by_event.v[s->event][s->node]++;
		}
	}
}

static struct err *choose_event(struct info_facts *f, const char *event)
{
	const struct dataset *data = f->data;

	for (size_t i = 0; event && i < data->events.n; i++) {
		if (strcmp(data->events.v[i].name, event) != 0)
			continue;
		f->event = (uint32_t)i;
		return NULL;
	}
	return event ? err_new("the recording has no event '%s'", event) : NULL;
}

/* A stack counts once for a binary, however many of its frames are there. */
static void count_any(uint64_t *any, const struct profile *p, const uint32_t *same)
{
	const struct frametree *tree = &p->data->tree;
	_cleanup_free_ uint32_t *seen = xcalloc(p->data->binaries.v.n, sizeof(*seen));

	for (size_t i = 0; i < p->stacks.n; i++) {
		uint32_t node = p->stacks.v[i].node;

		for (uint32_t at = node; at; at = frametree_get(tree, at)->parent) {
			uint32_t binary = same[frametree_get(tree, at)->binary];

			if (seen[binary] == node)
				continue;
			seen[binary] = node;
			any[binary] += p->stacks.v[i].samples;
		}
	}
}

static int binary_cmp(const void *a, const void *b)
{
	const struct info_binary *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->any != y->any)
		return x->any > y->any ? -1 : 1;
	return (x->binary > y->binary) - (x->binary < y->binary);
}

static char *advice_for(const struct info_facts *f, const struct coverage_row *row,
			const struct symbolizer *symbols)
{
	struct advice_of of = {
		.binary = binaries_get(&f->data->binaries, row->binary),
		.has_names = coverage_has_names(row),
		.has_lines = row->has_lines,
		.gone = row->gone,
		.no_inlines = row->no_inlines,
		.resolvable = f->resolvable,
		.why = symbolizer_status(symbols, row->binary)->why,
	};

	return row->samples ? advice(&of) : NULL;
}

static void count_binaries(struct info_facts *f, const struct profile *p,
			   const struct symbolizer *symbols)
{
	size_t n = f->data->binaries.v.n;
	_cleanup_free_ uint32_t *same = binaries_same(&f->data->binaries);
	_cleanup_free_ uint64_t *any = xcalloc(n, sizeof(*any));
	_cleanup_free_ struct coverage_row *rows = xcalloc(n, sizeof(*rows));
	struct coverage c;

	coverage_init(&c, p, &f->data->names);
	for (size_t i = 0; i < c.v.n; i++)
		rows[c.v.v[i].binary] = c.v.v[i];
	coverage_deinit(&c);
	count_any(any, p, same);
	for (uint32_t i = 0; i < n; i++) {
		struct info_binary b = {
			.binary = i,
			.samples = rows[i].samples,
			.named = rows[i].named,
			.lines = rows[i].lines,
			.inlined = rows[i].inlined,
			.any = any[i],
			.has_lines = rows[i].has_lines,
		};

		rows[i].binary = i;
		if (same[i] != i)
			continue;
		b.advice = advice_for(f, &rows[i], symbols);
		vec_push(&f->binaries, b);
	}
	vec_sort(&f->binaries, binary_cmp);
}

/* Of the event; the caller destroys it. */
static struct profile *make_profile(const struct info_facts *f, const uint64_t *by_node)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->data = f->data;
	p->event = f->event;
	vec_push(&p->groups, xstrdup(""));
	for (uint32_t node = 0; by_node && node < f->data->tree.frames.n; node++) {
		uint64_t n = by_node[node];

		if (n)
			vec_push(&p->stacks, ((struct stack_weight){
						     .node = node, .weight = n, .samples = n }));
		p->weight += n;
		p->samples += n;
	}
	return p;
}

/* The call tree's judgement of how stacks ended. */
static struct err *count_verdicts(struct info_facts *f, const struct profile *p)
{
	CLEANUP(calltree_destroy) struct calltree *tree = NULL;

	f->distinct_stacks = p->stacks.n;
	TRY(calltree_build(p, &f->data->names, &(struct calltree_options){ 0 }, &tree));
	memcpy(f->verdicts, tree->verdicts, sizeof(f->verdicts));
	for (size_t i = 0; i < tree->cuts.n; i++)
		vec_push(&f->cuts, tree->cuts.v[i]);
	return NULL;
}

static uint64_t duration(const struct dataset *d)
{
	const struct totals *t = &d->totals;
	uint64_t from = d->meta.clock_start_ns ? d->meta.clock_start_ns : t->first_ns;

	return t->end_ns > from ? t->end_ns - from : 0;
}

static struct err *sum_up(struct info_facts *f, const struct tally *t, const char *event,
			  const struct symbolizer *symbols)
{
	TRY(choose_event(f, event));
	CLEANUP(profile_destroy)
	struct profile *p =
		make_profile(f, f->event < t->by_event.n ? t->by_event.v[f->event] : NULL);

	while (f->events.n < f->data->events.n)
		vec_push(&f->events, (struct info_event){ 0 });
	f->duration_ns = duration(f->data);
	count_binaries(f, p, symbols);
	return count_verdicts(f, p);
}

struct err *info_facts_collect(struct info_facts *f, struct source *src, const char *event,
			       struct diag *diag)
{
	struct tally t = { 0 };
	struct err *err = drain(f, src, &t);

	f->data = src->data;
	f->n_names = src->data->names.entries.n;
	if (!err) {
		CLEANUP(symbolizer_destroy)
		struct symbolizer *symbols = symbolizer_create(src->data, diag);

		err = symbolizer_run(symbols);
		if (!err)
			err = sum_up(f, &t, event, symbols);
	}
	tally_deinit(&t);
	return err;
}

void info_facts_deinit(struct info_facts *f)
{
	for (size_t i = 0; i < f->binaries.n; i++)
		free(f->binaries.v[i].advice);
	vec_deinit(&f->events);
	vec_deinit(&f->binaries);
	vec_deinit(&f->cuts);
}

const char *info_kind_name(enum binary_kind kind)
{
	static const char *const names[] = {
		[BINARY_KIND_UNKNOWN] = "unknown", [BINARY_KIND_KERNEL] = "kernel",
		[BINARY_KIND_FILE] = "file",       [BINARY_KIND_VDSO] = "vdso",
		[BINARY_KIND_ANON] = "anon",       [BINARY_KIND_TEXT] = "text",
	};

	return names[kind];
}
