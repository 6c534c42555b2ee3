/* In: feature sections. Out: what they say of the host, the events and the files. */
#include "import/perffeatures.h"

#include <stdlib.h>

#include "base/buf.h"

/* perf.data-file-format.txt; misc bits of an entry of the build-id table,
 * tools/perf/util/build-id.h and include/uapi/linux/perf_event.h. */
enum {
	MISC_KERNEL = PERF_RECORD_MISC_KERNEL,
	MISC_BUILD_ID_SIZE = 1 << 15,
	BUILD_ID_FIELD = 24,
	MAX_EVENTS = 4096,
};

void perffeatures_deinit(struct perffeatures *f)
{
	for (size_t i = 0; i < f->build_ids.n; i++)
		free(f->build_ids.v[i].path);
	vec_deinit(&f->build_ids);
	table_deinit(&f->by_path);
}

bool perffeatures_wanted(unsigned int feature)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
	case PERF_FEATURE_HOSTNAME:
	case PERF_FEATURE_OSRELEASE:
	case PERF_FEATURE_ARCH:
	case PERF_FEATURE_NRCPUS:
	case PERF_FEATURE_CMDLINE:
	case PERF_FEATURE_EVENT_DESC:
	case PERF_FEATURE_CLOCK_DATA:
		return true;
	default:
		return false;
	}
}

static void set(char **to, const char *text)
{
	free(*to);
	*to = xstrdup(text);
}

static void read_string(struct perf_cursor *c, char **to)
{
	const char *s = perf_cursor_str(c);

	if (s)
		set(to, s);
}

/* The arguments with blanks between them. */
static void read_cmdline(struct perf_cursor *c, struct meta *meta)
{
	uint32_t n = perf_cursor_u32(c);
	struct buf line = { 0 };

	for (uint32_t i = 0; i < n && !c->c.failed; i++) {
		const char *arg = perf_cursor_str(c);

		if (!arg)
			break;
		if (i)
			buf_u8(&line, ' ');
		buf_bytes(&line, arg, strlen(arg));
	}
	buf_u8(&line, 0);
	set(&meta->cmdline, (const char *)line.data);
	buf_deinit(&line);
}

/* Which attr an entry of EVENT_DESC is of: by one of its ids, else by its place. */
static uint32_t desc_attr(const struct perf_cursor *ids, uint32_t n_ids, uint32_t place,
			  const struct perfattrs *attrs)
{
	struct perf_cursor c = *ids;
	uint32_t attr = n_ids ? perfattrs_by_id(attrs, perf_cursor_u64(&c)) : UINT32_MAX;

	return attr == UINT32_MAX && place < attrs->v.n ? place : attr;
}

static void read_event_desc(struct perf_cursor *c, struct perfattrs *attrs)
{
	uint32_t n = perf_cursor_u32(c);
	uint32_t attr_len = perf_cursor_u32(c);

	if (n > MAX_EVENTS)
		c->c.failed = true;
	for (uint32_t i = 0; i < n && !c->c.failed; i++) {
		const uint8_t *attr = cursor_bytes(&c->c, attr_len);
		uint32_t n_ids = perf_cursor_u32(c);
		const char *name = perf_cursor_str(c);

		if (!attr || !name || n_ids > cursor_left(&c->c) / 8) {
			c->c.failed = true;
			break;
		}
		uint32_t at = desc_attr(c, n_ids, i, attrs);

		if (at != UINT32_MAX && !attrs->v.v[at].name)
			perfattrs_set_name(attrs, at, name);
		for (uint32_t k = 0; k < n_ids; k++) {
			uint64_t id = perf_cursor_u64(c);

			if (at != UINT32_MAX)
				perfattrs_add_id(attrs, at, id);
		}
	}
}

/* {u32 version, u32 clockid, u64 wall clock ns, u64 that clock's ns}, taken together. */
static void read_clock_data(struct perf_cursor *c, struct meta *meta)
{
	perf_cursor_u32(c);
	uint32_t clockid = perf_cursor_u32(c);
	uint64_t wall = perf_cursor_u64(c);
	uint64_t clock = perf_cursor_u64(c);

	if (c->c.failed)
		return;
	meta->clockid = clockid;
	meta->wall_start_ns = wall;
	meta->clock_start_ns = clock;
}

static size_t id_len_trimmed(const uint8_t *id)
{
	size_t n = 20;

	while (n && !id[n - 1])
		n--;
	return n ? 20 : 0;
}

bool perffeatures_build_id(struct perffeatures *f, struct cursor entry, struct dataset *data)
{
	struct perf_cursor c = { entry, f->swap };
	struct perf_event_header h;
	const uint8_t *bytes = cursor_bytes(&c.c, sizeof(h));

	if (!bytes)
		return false;
	memcpy(&h, bytes, sizeof(h));
	if (f->swap)
		perfswap_header(&h);
	perf_cursor_u32(&c); /* pid */
	const uint8_t *id = cursor_bytes(&c.c, BUILD_ID_FIELD);
	const char *path = cursor_cstr(&c.c);

	if (!id || !path)
		return false;
	size_t len = h.misc & MISC_BUILD_ID_SIZE ? id[20] : id_len_trimmed(id);

	if (!len || len > 20)
		return len <= 20;
	if ((h.misc & PERF_RECORD_MISC_CPUMODE_MASK) == MISC_KERNEL && *path == '[') {
		memcpy(data->meta.kernel_build_id, id, len);
		data->meta.kernel_build_id_len = (uint8_t)len;
		return true;
	}
	struct perf_build_id b = { .path = xstrdup(path), .len = (uint8_t)len };

	memcpy(b.id, id, len);
	table_add(&f->by_path, hash_str(path), (uint32_t)f->build_ids.n);
	vec_push(&f->build_ids, b);
	return true;
}

/* Entries one after the other, each as long as its header says. */
static void read_build_ids(struct perffeatures *f, struct perf_cursor *c, struct dataset *data)
{
	while (cursor_left(&c->c) >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, c->c.p, sizeof(h));
		if (f->swap)
			perfswap_header(&h);
		const uint8_t *entry = cursor_bytes(&c->c, h.size);

		if (!entry || h.size < sizeof(h) ||
		    !perffeatures_build_id(f, cursor(entry, h.size), data)) {
			c->c.failed = true;
			return;
		}
	}
}

const struct perf_build_id *perffeatures_find(const struct perffeatures *f, const char *path)
{
	for (struct table_probe p = table_probe(&f->by_path, hash_str(path));
	     table_next(&f->by_path, &p);) {
		if (!strcmp(f->build_ids.v[p.value].path, path))
			return &f->build_ids.v[p.value];
	}
	return NULL;
}

bool perffeatures_read(struct perffeatures *f, unsigned int feature, struct cursor section,
		       struct perfattrs *attrs, struct dataset *data)
{
	struct perf_cursor c = { section, f->swap };
	struct meta *meta = &data->meta;

	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		read_build_ids(f, &c, data);
		break;
	case PERF_FEATURE_HOSTNAME:
		read_string(&c, &meta->host);
		break;
	case PERF_FEATURE_OSRELEASE:
		read_string(&c, &meta->os_release);
		break;
	case PERF_FEATURE_ARCH:
		read_string(&c, &meta->machine);
		break;
	case PERF_FEATURE_NRCPUS:
		perf_cursor_u32(&c); /* available */
		meta->n_cpus = perf_cursor_u32(&c);
		break;
	case PERF_FEATURE_CMDLINE:
		read_cmdline(&c, meta);
		break;
	case PERF_FEATURE_EVENT_DESC:
		read_event_desc(&c, attrs);
		break;
	case PERF_FEATURE_CLOCK_DATA:
		read_clock_data(&c, meta);
		break;
	default:
		break;
	}
	return !c.c.failed;
}
