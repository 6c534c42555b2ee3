/* In: a dataset's tables. Out: the sections of a perf.data file. */
#include "import/perfsections.h"

#include <linux/perf_event.h>
#include <string.h>

enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCK_DATA = 29,
	N_FEATURES = 30,
	NAME_ALIGN = 64, /* of strings; tools/perf/util/header.c */
};

static struct perf_event_attr attr_of(const struct event_desc *e, uint32_t clockid,
				      uint64_t sample_type)
{
	struct perf_event_attr from = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };
	struct perf_event_attr to = { .size = sizeof(to), .sample_type = sample_type };

	if (!e->is_clock) {
		from.type = PERF_TYPE_HARDWARE;
		from.config = PERF_COUNT_HW_CPU_CYCLES;
	}
	if (e->attr)
		memcpy(&from, e->attr, e->attr_len < sizeof(from) ? e->attr_len : sizeof(from));
	to.type = from.type;
	to.config = from.config;
	to.config1 = from.config1;
	to.config2 = from.config2;
	to.sample_period = e->rate ? e->rate : 1;
	to.freq = e->is_freq;
	to.exclude_user = from.exclude_user;
	to.exclude_kernel = from.exclude_kernel;
	to.read_format = PERF_FORMAT_ID;
	to.inherit = to.mmap = to.comm = to.task = to.mmap2 = to.comm_exec = 1;
	to.sample_id_all = 1;
	to.build_id = 1; /* in the mappings, as far as they are known */
	to.use_clockid = 1;
	to.clockid = (int32_t)clockid;
	return to;
}

static uint64_t attrs_off(const struct dataset *data)
{
	return PERFSECTIONS_HEAD_LEN + 8 * data->events.n;
}

static const uint64_t entry_len = sizeof(struct perf_event_attr) + 16;

uint64_t perfsections_head(const struct dataset *data, uint64_t sample_type, struct buf *to)
{
	static const uint8_t none[PERFSECTIONS_HEAD_LEN];

	buf_bytes(to, none, sizeof(none));
	for (size_t i = 0; i < data->events.n; i++)
		buf_u64(to, PERFSECTIONS_FIRST_ID + i);
	for (size_t i = 0; i < data->events.n; i++) {
		struct perf_event_attr attr =
			attr_of(&data->events.v[i], data->meta.clockid, sample_type);

		buf_bytes(to, &attr, sizeof(attr));
		buf_u64(to, PERFSECTIONS_HEAD_LEN + 8 * i);
		buf_u64(to, 8);
	}
	return to->len;
}

static void put_string(struct buf *to, const char *s)
{
	size_t len = strlen(s) + 1;
	size_t padded = (len + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;

	buf_u32(to, (uint32_t)padded);
	buf_bytes(to, s, len);
	for (size_t i = len; i < padded; i++)
		buf_u8(to, 0);
}

/* What perf shows as the command, one argument a word. */
static void put_cmdline(struct buf *to, const char *cmdline)
{
	_cleanup_free_ char *copy = xstrdup(cmdline);
	size_t at = to->len;
	uint32_t n = 0;
	char *rest = copy;

	buf_u32(to, 0);
	for (char *word; (word = strsep(&rest, " "));) {
		if (!*word)
			continue;
		put_string(to, word);
		n++;
	}
	memcpy(to->data + at, &n, sizeof(n));
}

static void put_event_desc(struct buf *to, const struct dataset *data)
{
	buf_u32(to, (uint32_t)data->events.n);
	buf_u32(to, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < data->events.n; i++) {
		const struct event_desc *e = &data->events.v[i];
		struct perf_event_attr attr = attr_of(e, data->meta.clockid, 0);

		buf_bytes(to, &attr, sizeof(attr));
		buf_u32(to, 1);
		put_string(to, e->name);
		buf_u64(to, PERFSECTIONS_FIRST_ID + i);
	}
}

static void put_build_id(struct buf *to, uint16_t misc, const uint8_t *id, uint8_t len,
			 const char *path)
{
	enum { BUILD_ID_SIZE = 20, MISC_BUILD_ID_SIZE = 1 << 15 };
	uint8_t field[24] = { 0 };
	size_t at = to->len;

	if (!len || len > BUILD_ID_SIZE)
		return;
	memcpy(field, id, len);
	field[BUILD_ID_SIZE] = len;
	buf_u32(to, 0);
	buf_u16(to, misc | MISC_BUILD_ID_SIZE);
	buf_u16(to, 0);
	buf_u32(to, UINT32_MAX); /* pid: the host's */
	buf_bytes(to, field, sizeof(field));
	buf_bytes(to, path, strnlen(path, 4095));
	buf_u8(to, 0);
	while ((to->len - at) % 4)
		buf_u8(to, 0);
	uint16_t size = (uint16_t)(to->len - at);

	memcpy(to->data + at + offsetof(struct perf_event_header, size), &size, 2);
}

static bool same_build_id(const struct binary *a, const struct binary *b)
{
	return a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len);
}

/* By binary: whether it is the first file at its path and has the build-id of all files there. The
 * caller frees. */
static bool *speaks_for_path(const struct binaries *binaries)
{
	const struct binary *v = binaries->v.v;
	bool *speaks = xcalloc(binaries->v.n, sizeof(*speaks));
	struct table paths = { 0 };

	for (uint32_t i = 0; i < binaries->v.n; i++) {
		uint64_t hash = hash_str(v[i].path);

		if (v[i].kind != BINARY_KIND_FILE)
			continue;
		speaks[i] = true;
		for (struct table_probe p = table_probe(&paths, hash); table_next(&paths, &p);) {
			if (strcmp(v[p.value].path, v[i].path) != 0)
				continue;
			speaks[i] = false;
			speaks[p.value] &= same_build_id(&v[p.value], &v[i]);
		}
		if (speaks[i])
			table_add(&paths, hash, i);
	}
	table_deinit(&paths);
	return speaks;
}

/* A path that is several files is left out: the mappings say which. */
static void put_build_ids(struct buf *to, const struct dataset *data)
{
	const struct meta *m = &data->meta;
	_cleanup_free_ bool *speaks = speaks_for_path(&data->binaries);

	put_build_id(to, PERF_RECORD_MISC_KERNEL, m->kernel_build_id, m->kernel_build_id_len,
		     "[kernel.kallsyms]");
	for (size_t i = 0; i < data->binaries.v.n; i++) {
		const struct binary *b = &data->binaries.v.v[i];

		if (speaks[i])
			put_build_id(to, PERF_RECORD_MISC_USER, b->build_id, b->build_id_len,
				     b->path);
	}
}

static void put_feature(struct buf *to, unsigned int feature, const struct dataset *data,
			uint64_t first_ns, uint64_t last_ns)
{
	const struct meta *m = &data->meta;

	switch (feature) {
	case FEATURE_BUILD_ID:
		put_build_ids(to, data);
		return;
	case FEATURE_HOSTNAME:
		put_string(to, m->host);
		return;
	case FEATURE_OSRELEASE:
		put_string(to, m->os_release);
		return;
	case FEATURE_ARCH:
		put_string(to, m->machine);
		return;
	case FEATURE_NRCPUS:
		buf_u32(to, m->n_cpus);
		buf_u32(to, m->n_cpus);
		return;
	case FEATURE_CMDLINE:
		put_cmdline(to, m->cmdline);
		return;
	case FEATURE_EVENT_DESC:
		put_event_desc(to, data);
		return;
	case FEATURE_SAMPLE_TIME:
		buf_u64(to, first_ns);
		buf_u64(to, last_ns);
		return;
	case FEATURE_CLOCK_DATA:
		buf_u32(to, 1); /* the version of this section */
		buf_u32(to, m->clockid);
		buf_u64(to, m->wall_start_ns);
		buf_u64(to, m->clock_start_ns);
		return;
	}
}

static bool has_feature(const struct dataset *data, unsigned int i)
{
	bool has_wall = data->meta.wall_start_ns && data->meta.clock_start_ns;

	static const unsigned int ours =
		1U << FEATURE_BUILD_ID | 1U << FEATURE_HOSTNAME | 1U << FEATURE_OSRELEASE |
		1U << FEATURE_ARCH | 1U << FEATURE_NRCPUS | 1U << FEATURE_CMDLINE |
		1U << FEATURE_EVENT_DESC | 1U << FEATURE_SAMPLE_TIME | 1U << FEATURE_CLOCK_DATA;

	return ours >> i & 1 && (i != FEATURE_CLOCK_DATA || has_wall);
}

static void put_u64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* tools/perf/util/header.h, struct perf_file_header. */
enum { AT_SIZE = 8, AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_FEATURES = 72 };

void perfsections_tail(const struct dataset *data, uint64_t first_ns, uint64_t last_ns,
		       uint64_t data_end, struct buf *to, uint8_t head[PERFSECTIONS_HEAD_LEN])
{
	size_t table = to->len, n = 0;

	memset(head, 0, PERFSECTIONS_HEAD_LEN);
	memcpy(head, "PERFILE2", 8);
	put_u64(head + AT_SIZE, PERFSECTIONS_HEAD_LEN);
	put_u64(head + AT_ATTR_SIZE, entry_len);
	put_u64(head + AT_ATTRS, attrs_off(data));
	put_u64(head + AT_ATTRS + 8, entry_len * data->events.n);
	for (unsigned int i = 0; i < N_FEATURES; i++) {
		if (!has_feature(data, i))
			continue;
		head[AT_FEATURES + i / 8] |= (uint8_t)(1U << i % 8);
		buf_u64(to, 0);
		buf_u64(to, 0);
	}
	for (unsigned int i = 0; i < N_FEATURES; i++) {
		if (!has_feature(data, i))
			continue;
		size_t from = to->len;

		put_feature(to, i, data, first_ns, last_ns);
		put_u64(to->data + table + 16 * n, data_end + from - table);
		put_u64(to->data + table + 16 * n + 8, to->len - from);
		n++;
	}
}

void perfsections_set_data(uint8_t head[PERFSECTIONS_HEAD_LEN], uint64_t off, uint64_t len)
{
	put_u64(head + AT_DATA, off);
	put_u64(head + AT_DATA + 8, len);
}
