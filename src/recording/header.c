/* In: what is known when recording begins and ends. Out: two small blocks, and back. */
#include "recording/header.h"

#include "base/alloc.h"
#include "recording/fields.h"
#include "singe/recording.h"

static void event_write(struct buf *b, const struct event_desc *e)
{
	struct buf f = { 0 };
	uint64_t flags =
		(e->is_clock ? SINGE_EVENT_IS_CLOCK : 0) | (e->is_freq ? SINGE_EVENT_IS_FREQ : 0);

	field_str(&f, SINGE_EVENT_NAME, e->name ? e->name : "");
	field_str(&f, SINGE_EVENT_UNIT, e->unit ? e->unit : "");
	field_uint(&f, SINGE_EVENT_FLAGS, flags);
	field_uint(&f, SINGE_EVENT_RATE, e->rate);
	field_uint(&f, SINGE_EVENT_INTERVAL, e->interval_ns);
	if (e->attr)
		field_bytes(&f, SINGE_EVENT_ATTR, e->attr, e->attr_len);
	field_bytes(b, SINGE_HEADER_EVENT, f.data, f.len);
	buf_deinit(&f);
}

void header_write(struct buf *b, const struct dataset *data)
{
	const struct meta *m = &data->meta;

	field_str(b, SINGE_HEADER_HOST, m->host);
	field_str(b, SINGE_HEADER_OS_RELEASE, m->os_release);
	field_str(b, SINGE_HEADER_MACHINE, m->machine);
	field_str(b, SINGE_HEADER_CMDLINE, m->cmdline);
	field_str(b, SINGE_HEADER_BOOT_ID, m->boot_id);
	field_bytes(b, SINGE_HEADER_KERNEL_BUILD_ID, m->kernel_build_id, m->kernel_build_id_len);
	field_uint(b, SINGE_HEADER_KERNEL_STEXT, m->kernel_stext);
	field_uint(b, SINGE_HEADER_WALL_START, m->wall_start_ns);
	field_uint(b, SINGE_HEADER_CLOCK_START, m->clock_start_ns);
	field_uint(b, SINGE_HEADER_CLOCKID, m->clockid);
	field_uint(b, SINGE_HEADER_N_CPUS, m->n_cpus);
	field_uint(b, SINGE_HEADER_PAGE_SIZE, m->page_size);
	field_str(b, SINGE_HEADER_CALLGRAPH, m->callgraph);
	field_uint(b, SINGE_HEADER_KEEPS_STACKS, m->keeps_stacks);
	for (size_t i = 0; i < m->fallbacks.n; i++)
		field_str(b, SINGE_HEADER_FALLBACK, m->fallbacks.v[i]);
	for (size_t i = 0; i < m->origins.n; i++)
		field_str(b, SINGE_HEADER_ORIGIN, m->origins.v[i]);
	for (size_t i = 0; i < data->events.n; i++)
		event_write(b, &data->events.v[i]);
}

static void fallback_read(struct cursor value, struct meta *m)
{
	vec_push(&m->fallbacks, xstrndup((const char *)value.p, cursor_left(&value)));
}

static bool event_read(struct cursor c, struct dataset *data)
{
	struct event_desc e = { .name = xstrdup(""), .unit = xstrdup("") };
	uint64_t tag;
	struct cursor v;

	while (field_next(&c, &tag, &v)) {
		switch (tag) {
		case SINGE_EVENT_NAME:
			field_take_str(v, &e.name);
			break;
		case SINGE_EVENT_UNIT:
			field_take_str(v, &e.unit);
			break;
		case SINGE_EVENT_FLAGS: {
			uint64_t flags = cursor_uleb(&v);

			e.is_clock = flags & SINGE_EVENT_IS_CLOCK;
			e.is_freq = flags & SINGE_EVENT_IS_FREQ;
			break;
		}
		case SINGE_EVENT_RATE:
			e.rate = cursor_uleb(&v);
			break;
		case SINGE_EVENT_INTERVAL:
			e.interval_ns = cursor_uleb(&v);
			break;
		case SINGE_EVENT_ATTR:
			free(e.attr);
			e.attr = xmemdup(v.p, cursor_left(&v));
			e.attr_len = (uint32_t)cursor_left(&v);
			break;
		}
	}
	vec_push(&data->events, e);
	return !c.failed;
}

/* The strings of HEADER; false if `tag` is not one of them. */
static bool header_read_str(uint64_t tag, struct cursor v, struct meta *m)
{
	char **const strings[] = {
		[SINGE_HEADER_HOST] = &m->host,       [SINGE_HEADER_OS_RELEASE] = &m->os_release,
		[SINGE_HEADER_MACHINE] = &m->machine, [SINGE_HEADER_CMDLINE] = &m->cmdline,
		[SINGE_HEADER_BOOT_ID] = &m->boot_id, [SINGE_HEADER_CALLGRAPH] = &m->callgraph,
	};

	if (tag >= sizeof(strings) / sizeof(strings[0]) || !strings[tag])
		return false;
	field_take_str(v, strings[tag]);
	return true;
}

static bool header_read_field(uint64_t tag, struct cursor v, struct dataset *data)
{
	struct meta *m = &data->meta;

	switch (tag) {
	case SINGE_HEADER_KERNEL_BUILD_ID:
		if (cursor_left(&v) > BUILD_ID_MAX)
			return false;
		m->kernel_build_id_len = (uint8_t)cursor_left(&v);
		if (m->kernel_build_id_len)
			memcpy(m->kernel_build_id, v.p, m->kernel_build_id_len);
		return true;
	case SINGE_HEADER_KERNEL_STEXT:
		m->kernel_stext = cursor_uleb(&v);
		return !v.failed;
	case SINGE_HEADER_WALL_START:
		m->wall_start_ns = cursor_uleb(&v);
		return !v.failed;
	case SINGE_HEADER_CLOCK_START:
		m->clock_start_ns = cursor_uleb(&v);
		return !v.failed;
	case SINGE_HEADER_CLOCKID:
		m->clockid = (uint32_t)cursor_uleb(&v);
		return !v.failed;
	case SINGE_HEADER_N_CPUS:
		m->n_cpus = (uint32_t)cursor_uleb(&v);
		return !v.failed;
	case SINGE_HEADER_KEEPS_STACKS:
		m->keeps_stacks = cursor_uleb(&v);
		return !v.failed;
	case SINGE_HEADER_PAGE_SIZE:
		m->page_size = (uint32_t)cursor_uleb(&v);
		return !v.failed;
	case SINGE_HEADER_FALLBACK:
		fallback_read(v, m);
		return true;
	case SINGE_HEADER_ORIGIN:
		vec_push(&m->origins, xstrndup((const char *)v.p, cursor_left(&v)));
		return m->origins.n <= SINGE_ORIGINS_MAX;
	case SINGE_HEADER_EVENT:
		return event_read(v, data) && data->events.n <= SINGE_EVENTS_MAX;
	}
	return true;
}

struct err *header_read(struct cursor c, struct dataset *data)
{
	uint64_t tag;
	struct cursor v;

	while (field_next(&c, &tag, &v)) {
		if (!header_read_str(tag, v, &data->meta) && !header_read_field(tag, v, data))
			return err_at(cursor_prev_offset(&c), "damaged field in HEADER");
	}
	return c.failed ? err_at(cursor_prev_offset(&c), "damaged HEADER") : NULL;
}

void end_write(struct buf *b, const struct totals *totals, const struct meta *meta,
	       size_t first_fallback)
{
	field_uint(b, SINGE_END_SAMPLES, totals->samples);
	field_uint(b, SINGE_END_LOST, totals->lost);
	field_uint(b, SINGE_END_LOST_SIDEBAND, totals->lost_sideband);
	field_uint(b, SINGE_END_THROTTLED, totals->throttled);
	field_uint(b, SINGE_END_DUPLICATES, totals->duplicates);
	field_uint(b, SINGE_END_FIRST, totals->first_ns);
	field_uint(b, SINGE_END_LAST, totals->last_ns);
	field_uint(b, SINGE_END_RECORDER_CPU, totals->recorder_cpu_ns);
	field_uint(b, SINGE_END_TIME, totals->end_ns);
	for (size_t i = first_fallback; i < meta->fallbacks.n; i++)
		field_str(b, SINGE_END_FALLBACK, meta->fallbacks.v[i]);
}

struct err *end_read(struct cursor c, struct dataset *data)
{
	struct totals t = { .complete = true };
	uint64_t *const numbers[] = {
		[SINGE_END_SAMPLES] = &t.samples,
		[SINGE_END_LOST] = &t.lost,
		[SINGE_END_LOST_SIDEBAND] = &t.lost_sideband,
		[SINGE_END_THROTTLED] = &t.throttled,
		[SINGE_END_DUPLICATES] = &t.duplicates,
		[SINGE_END_FIRST] = &t.first_ns,
		[SINGE_END_LAST] = &t.last_ns,
		[SINGE_END_RECORDER_CPU] = &t.recorder_cpu_ns,
		[SINGE_END_TIME] = &t.end_ns,
	};
	uint64_t tag;
	struct cursor v;

	while (field_next(&c, &tag, &v)) {
		if (tag == SINGE_END_FALLBACK)
			fallback_read(v, &data->meta);
		if (tag >= sizeof(numbers) / sizeof(numbers[0]) || !numbers[tag])
			continue;
		*numbers[tag] = cursor_uleb(&v);
		if (v.failed)
			return err_at(cursor_prev_offset(&c), "damaged field in END");
	}
	if (c.failed)
		return err_at(cursor_prev_offset(&c), "damaged END");
	t.lost_in_file = data->totals.lost_in_file;
	t.damaged_blocks = data->totals.damaged_blocks;
	data->totals = t;
	return NULL;
}
