/* In: kept samples, in the order of the file. Out: columns, one thread after the other. */
#include "output/html/pagesamples.h"

static bool default_by_period(const struct event_desc *e)
{
	return !e->is_clock && e->is_freq;
}

bool pagesamples_by_period(const struct profile *p, uint32_t event)
{
	const struct event_desc *ours = profile_event(p);
	const struct event_desc *e = &p->data->events.v[event];

	if (!ours || event == p->event)
		return p->by_period;
	/* --weight said otherwise than the rule: it did for every event. */
	if (p->by_period != default_by_period(ours))
		return p->by_period;
	return default_by_period(e);
}

static int time_cmp(const void *a, const void *b, void *ctx)
{
	const struct kept_sample *kept = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (kept[i].time_ns != kept[k].time_ns)
		return kept[i].time_ns < kept[k].time_ns ? -1 : 1;
	return (i > k) - (i < k);
}

/* Recorders write nearly in order of time: most threads need no sorting. */
static void sort_run(const struct profile *p, uint32_t *run, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (p->kept.v[run[i]].time_ns < p->kept.v[run[i - 1]].time_ns) {
			qsort_r(run, n, sizeof(*run), time_cmp, p->kept.v);
			return;
		}
	}
}

void pagesamples_init(struct pagesamples *s, const struct calltree *from, const struct pagetree *p)
{
	const struct profile *profile = from->profile;
	size_t n_threads = profile->data->threads.v.n, n = profile->kept.n;
	_cleanup_free_ size_t *at = xcalloc(n_threads + 1, sizeof(*at));

	*s = (struct pagesamples){ .profile = profile };
	s->stack = xcalloc(n, sizeof(*s->stack));
	for (size_t i = 0; i < n; i++) {
		uint32_t leaf = from->leaves.v[profile->kept.v[i].stack];

		s->stack[i] = leaf == UINT32_MAX ? UINT32_MAX : p->number[leaf];
		if (s->stack[i] != UINT32_MAX)
			at[profile->kept.v[i].thread + 1]++;
	}
	for (uint32_t t = 0; t < n_threads; t++) {
		if (at[t + 1])
			vec_push(&s->threads, t);
		at[t + 1] += at[t];
	}
	vec_reserve(&s->order, at[n_threads]);
	s->order.n = at[n_threads];
	for (uint32_t i = 0; i < n; i++)
		if (s->stack[i] != UINT32_MAX)
			s->order.v[at[profile->kept.v[i].thread]++] = i;
	for (size_t i = 0, from_i = 0; i < s->threads.n; i++) {
		size_t to = at[s->threads.v[i]];

		sort_run(profile, s->order.v + from_i, to - from_i);
		from_i = to;
	}
}

void pagesamples_deinit(struct pagesamples *s)
{
	vec_deinit(&s->threads);
	vec_deinit(&s->order);
	free(s->stack);
}

static void put_times(const struct pagesamples *s, struct pagecolumns *c)
{
	struct column *count = pagecolumns_begin(c, "thread.samples", 'u');
	uint64_t start = s->profile->start_ns;
	uint32_t thread = UINT32_MAX;
	uint64_t n = 0;

	for (size_t i = 0; i < s->order.n; i++, n++) {
		uint32_t t = s->profile->kept.v[s->order.v[i]].thread;

		if (i && t != thread) {
			column_put(count, n);
			n = 0;
		}
		thread = t;
	}
	if (s->order.n)
		column_put(count, n);

	struct column *time = pagecolumns_begin(c, "sample.time", 'd');

	for (size_t i = 0; i < s->order.n; i++) {
		uint64_t t = s->profile->kept.v[s->order.v[i]].time_ns;

		column_put(time, t > start ? (t - start) / PAGE_TICK_NS : 0);
	}
}

void pagesamples_put(const struct pagesamples *s, struct pagecolumns *c)
{
	const struct profile *p = s->profile;
	const struct kept_sample *kept = p->kept.v;
	bool periods = false;

	put_times(s, c);
	struct column *col = pagecolumns_begin(c, "sample.stack", 'd');

	for (size_t i = 0; i < s->order.n; i++)
		column_put(col, s->stack[s->order.v[i]]);
	col = pagecolumns_begin(c, "sample.cpu", 'd');
	/* One more than the number: 0 is "not known". */
	for (size_t i = 0; i < s->order.n; i++)
		column_put(col, (uint32_t)(kept[s->order.v[i]].cpu + 1));
	for (uint32_t e = 0; e < p->data->events.n; e++)
		periods |= pagesamples_by_period(p, e);
	if (p->data->events.n > 1) {
		col = pagecolumns_begin(c, "sample.event", 'd');
		for (size_t i = 0; i < s->order.n; i++)
			column_put(col, kept[s->order.v[i]].event);
	}
	if (!periods)
		return;
	col = pagecolumns_begin(c, "sample.period", 'd');
	for (size_t i = 0; i < s->order.n; i++)
		column_put(col, kept[s->order.v[i]].period);
}
