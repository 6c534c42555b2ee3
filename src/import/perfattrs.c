/* In: attrs and ids of a file. Out: the layout of each record. */
#include "import/perfattrs.h"

#include <inttypes.h>
#include <stdio.h>

void perfattrs_deinit(struct perfattrs *a)
{
	for (size_t i = 0; i < a->v.n; i++)
		free(a->v.v[i].name);
	vec_deinit(&a->v);
	vec_deinit(&a->ids);
	table_deinit(&a->by_id);
}

uint32_t perfattrs_add(struct perfattrs *a, const uint8_t *attr, size_t len)
{
	struct perfattr p = { .event = UINT32_MAX };

	perfswap_attr(attr, len, a->swap, &p.attr);
	record_layout_init(&p.layout, &p.attr);
	vec_push(&a->v, p);
	/* Records that perf made up itself are of no event, but hold what one of them asked for. */
	for (size_t i = 0; i < a->v.n; i++)
		a->v.v[i].layout.build_id |= p.attr.build_id || a->v.v[0].layout.build_id;
	return (uint32_t)a->v.n - 1;
}

uint32_t perfattrs_by_id(const struct perfattrs *a, uint64_t id)
{
	for (struct table_probe p = table_probe(&a->by_id, hash_u64(id));
	     table_next(&a->by_id, &p);) {
		if (a->ids.v[p.value].id == id)
			return a->ids.v[p.value].attr;
	}
	return UINT32_MAX;
}

void perfattrs_add_id(struct perfattrs *a, uint32_t attr, uint64_t id)
{
	if (perfattrs_by_id(a, id) != UINT32_MAX)
		return;
	table_add(&a->by_id, hash_u64(id), (uint32_t)a->ids.n);
	vec_push(&a->ids, ((struct perfid){ id, attr }));
}

void perfattrs_set_name(struct perfattrs *a, uint32_t attr, const char *name)
{
	char **to = &a->v.v[attr].name;

	free(*to);
	*to = xstrdup(name);
}

/* By what perf-list(1) calls them, for files that do not name their events. */
static const char *known_name(const struct perf_event_attr *attr)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
	};

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof(software) / sizeof(*software))
		return software[attr->config];
	return NULL;
}

static char *made_up_name(const struct perf_event_attr *attr)
{
	const char *known = known_name(attr);

	if (known)
		return xstrdup(known);
	if (attr->type == PERF_TYPE_RAW)
		return xasprintf("r%" PRIx64, (uint64_t)attr->config);
	return xasprintf("type%u/config=0x%" PRIx64 "/", attr->type, (uint64_t)attr->config);
}

static bool takes_samples(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY;
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Two events of one name are two events. */
static bool name_taken(const struct dataset *data, const char *name)
{
	for (size_t i = 0; i < data->events.n; i++)
		if (!strcmp(data->events.v[i].name, name))
			return true;
	return false;
}

/* `number` tells it from others of its name. */
static char *free_name(const struct dataset *data, const struct perfattr *p, size_t number)
{
	char *name = p->name ? xstrdup(p->name) : made_up_name(&p->attr);
	char *first = name;

	for (size_t i = number; name_taken(data, name); i++) {
		if (name != first)
			free(name);
		name = xasprintf("%s#%zu", first, i);
	}
	if (name != first)
		free(first);
	return name;
}

void perfattrs_describe(struct perfattrs *a, struct dataset *data)
{
	for (size_t i = 0; i < a->v.n; i++) {
		struct perfattr *p = &a->v.v[i];

		if (p->event != UINT32_MAX || !takes_samples(&p->attr))
			continue;
		struct event_desc e = {
			.name = free_name(data, p, i + 1),
			.unit = xstrdup(is_clock(&p->attr) ? "ns" : "events"),
			.is_clock = is_clock(&p->attr),
			/* A counter that is read with others' samples has no period of its own. */
			.is_freq = p->attr.freq || (p->attr.sample_type & PERF_SAMPLE_READ &&
						    !p->attr.sample_period),
			.rate = p->attr.sample_freq, /* a union with the period */
			.attr = xmemdup(&p->attr, sizeof(p->attr)),
			.attr_len = sizeof(p->attr),
		};

		if (e.is_clock && e.rate)
			e.interval_ns = e.is_freq ? 1000000000 / e.rate : e.rate;
		p->event = (uint32_t)data->events.n;
		vec_push(&data->events, e);
	}
}

static bool record_id(const struct perfattrs *a, const struct perf_event_header *h, uint64_t *ret)
{
	const struct record_layout *l = &a->v.v[0].layout;
	size_t at;

	if (h->type == PERF_RECORD_SAMPLE) {
		int off = record_sample_id_offset(l);

		if (off < 0)
			return false;
		at = sizeof(*h) + (size_t)off;
	} else {
		int off = record_trailer_id_offset(l);

		if (off == -1 || h->size < (size_t)-off)
			return false;
		at = h->size - (size_t)-off;
	}
	if (at < sizeof(*h) || at + 8 > h->size)
		return false;
	memcpy(ret, (const uint8_t *)h + at, 8);
	if (a->swap)
		*ret = bswap_64(*ret);
	return true;
}

/* Where a file has several events, the id stands in the same place for all of them
 * (tools/perf/util/evlist.c, evlist__valid_sample_id_all()). Id 0 is perf's own, for records that
 * it made up. */
const struct perfattr *perfattrs_of(const struct perfattrs *a, const struct perf_event_header *h)
{
	uint64_t id;

	if (a->v.n <= 1)
		return a->v.n ? &a->v.v[0] : NULL;
	if (!record_id(a, h, &id) || !id)
		return &a->v.v[0];
	uint32_t i = perfattrs_by_id(a, id);

	return i == UINT32_MAX ? NULL : &a->v.v[i];
}
