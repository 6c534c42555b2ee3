/* In: a perf.data file. Out: a dataset and batches of samples. */
#include "import/perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/perfapply.h"
#include "import/perfheader.h"
#include "import/perfqueue.h"
#include "import/perfrecords.h"
#include "import/perftypes.h"

/* Where no rounds end, or a round has no end, half of what waits is given out at this many bytes.
 * Two rounds of a large machine's rings are less. */
enum { MAX_WAITING = 256 << 20 };

struct stream {
	int fd;
	bool owned;
};

struct perfdata {
	struct source source; /* first: what the caller holds */
	struct diag *diag;
	struct perfheader header;
	struct perfattrs attrs;
	struct perffeatures features;
	struct perfapply apply;
	struct perfqueue queue;
	uint64_t latest, round_limit; /* the latest time so far, and when the last round ended */
	struct perfrecords records;   /* of the stream being read */
	bool reading;
	size_t n_described;         /* attrs that have their events */
	VEC(struct stream) streams; /* the file's; a directory has several */
	size_t next_stream;
	uint64_t counts[N_PERFDATA_TYPES + 1]; /* by type; the last: above */
	bool at_end;
};

bool perfdata_magic(const void *p, size_t len)
{
	return perfheader_magic(p, len);
}

bool perfdata_needs_seek(const void *p, size_t len)
{
	struct perfheader h;
	_cleanup_err_ struct err *err = perfheader_parse(p, len, &h);

	return perfheader_magic(p, len) && (err || !h.is_pipe);
}

static void perfdata_destroy(struct source *src)
{
	struct perfdata *d = (struct perfdata *)src;

	if (d->reading)
		perfrecords_deinit(&d->records);
	for (size_t i = 0; i < d->streams.n; i++)
		if (d->streams.v[i].owned)
			close(d->streams.v[i].fd);
	vec_deinit(&d->streams);
	perfqueue_deinit(&d->queue);
	perfapply_deinit(&d->apply);
	perfattrs_deinit(&d->attrs);
	perffeatures_deinit(&d->features);
	free(d);
}

/* Takes `err`; tells of damage once, and counts all. */
static void damage(struct perfdata *d, struct err *err)
{
	d->source.data->totals.damaged_blocks++;
	diag_err(d->diag, DIAG_WARNING, "perf.data damage",
		 err_wrap(err, "damage in the perf.data file"));
}

static void apply(struct perfdata *d, struct perf_event_header *h, uint64_t offset)
{
	const struct perfattr *attr = perfattrs_of(&d->attrs, h);

	if (attr && d->header.swap)
		perfswap_record(&attr->layout, h);
	_cleanup_err_ struct err *err = perfapply_record(&d->apply, attr, h);

	if (err)
		damage(d, err_at(offset, "%s", err_msg(err)));
}

static void give_out(struct perfdata *d, uint64_t limit)
{
	struct perf_event_header *h;
	uint64_t offset;

	perfqueue_sort(&d->queue);
	while ((h = perfqueue_take(&d->queue, limit, &offset)))
		apply(d, h, offset);
}

/* As perf does it: what came in this round may be earlier than what other rings gave in this round,
 * but not than the latest of the round before (tools/perf/util/ordered-events.c). Files of a
 * directory are read one after the other, so rounds say nothing there. */
static void end_round(struct perfdata *d)
{
	if (d->streams.n > 1)
		return;
	give_out(d, d->round_limit);
	d->round_limit = d->latest;
}

static uint64_t time_of(const struct perfdata *d, const struct perfattr *attr,
			const struct perf_event_header *h)
{
	uint64_t time = attr ? record_time(&attr->layout, h) : 0;

	return d->header.swap ? bswap_64(time) : time;
}

/* Events, and how their stacks were taken, once all attrs are there. */
static void describe(struct perfdata *d)
{
	struct meta *meta = &d->source.data->meta;
	bool chains = false, calls = false;
	uint32_t stack = 0;

	if (d->n_described == d->attrs.v.n)
		return;
	d->n_described = d->attrs.v.n;
	perfattrs_describe(&d->attrs, d->source.data);

	for (size_t i = 0; i < d->attrs.v.n; i++) {
		const struct perf_event_attr *attr = &d->attrs.v.v[i].attr;

		chains |= (attr->sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
		calls |= perflbr_has_calls(attr);
		if (attr->sample_type & PERF_SAMPLE_STACK_USER)
			stack = attr->sample_stack_user;
	}
	free(meta->callgraph);
	if (stack)
		meta->callgraph = xasprintf("dwarf,%u", stack);
	else
		meta->callgraph = xstrdup(!chains ? "none" : calls ? "lbr" : "fp");
}

static void take_kernel_record(struct perfdata *d, const struct perfrecord *r)
{
	if (r->h.type == PERF_RECORD_SAMPLE)
		describe(d);
	struct perf_event_header *h = perfqueue_copy(&d->queue, r->bytes, r->h.size);

	*h = r->h;
	uint64_t time = time_of(d, perfattrs_of(&d->attrs, h), h);

	if (!time || time == UINT64_MAX) {
		apply(d, h, r->offset);
		return;
	}
	perfqueue_add(&d->queue, h, time, r->offset);
	if (time > d->latest)
		d->latest = time;
	if (d->queue.bytes < MAX_WAITING)
		return;
	perfqueue_sort(&d->queue);
	diag_add(d->diag, DIAG_WARNING, "perf.data rounds",
		 "the file does not say how far it is in order; some records may be out of it");
	give_out(d, d->queue.entries.v[d->queue.entries.n / 2].time);
}

/* {header, attr, its ids}: the attr is as long as it says. */
static bool take_attr(struct perfdata *d, struct perf_cursor c)
{
	enum { VER0 = 64 };
	struct perf_cursor peek = c;

	perf_cursor_u32(&peek);
	uint32_t len = perf_cursor_u32(&peek);

	if (!len)
		len = VER0;
	const uint8_t *attr = cursor_bytes(&c.c, len);

	if (!attr || len < VER0 || d->attrs.v.n >= PERF_MAX_ATTRS)
		return false;
	uint32_t i = perfattrs_add(&d->attrs, attr, len);

	while (cursor_left(&c.c) >= 8)
		perfattrs_add_id(&d->attrs, i, perf_cursor_u64(&c));
	return true;
}

/* {header, u64 what, u64 id, …}: of what there is only a name matters here. */
static bool take_update(struct perfdata *d, struct perf_cursor c)
{
	enum { UPDATE_NAME = 2 };
	uint64_t what = perf_cursor_u64(&c);
	uint64_t id = perf_cursor_u64(&c);

	if (c.c.failed)
		return false;
	const char *name = what == UPDATE_NAME ? cursor_cstr(&c.c) : NULL;
	uint32_t attr = name ? perfattrs_by_id(&d->attrs, id) : UINT32_MAX;

	if (attr != UINT32_MAX)
		perfattrs_set_name(&d->attrs, attr, name);
	return !c.c.failed;
}

/* Binaries that were mapped before their build-ids came. */
static void apply_build_ids(struct perfdata *d)
{
	struct binaries *binaries = &d->source.data->binaries;

	for (uint32_t i = 0; i < binaries->v.n; i++) {
		struct binary *b = binaries_get(binaries, i);
		const struct perf_build_id *id = b->kind == BINARY_KIND_FILE && !b->build_id_len
							 ? perffeatures_find(&d->features, b->path)
							 : NULL;

		if (!id)
			continue;
		memcpy(b->build_id, id->id, id->len);
		b->build_id_len = id->len;
		b->revision++;
	}
}

static void take_user_record(struct perfdata *d, const struct perfrecord *r)
{
	struct cursor body = cursor(r->bytes + sizeof(r->h), r->h.size - sizeof(r->h));
	struct perf_cursor c = { body, d->header.swap };
	bool good = true;

	switch (r->h.type) {
	case PERFDATA_FINISHED_ROUND:
		end_round(d);
		break;
	case PERFDATA_ATTR:
		good = take_attr(d, c);
		break;
	case PERFDATA_EVENT_UPDATE:
		good = take_update(d, c);
		break;
	case PERFDATA_FEATURE: {
		uint64_t feature = perf_cursor_u64(&c);

		good = !c.c.failed && (feature >= N_PERF_FEATURES ||
				       perffeatures_read(&d->features, (unsigned int)feature,
							 cursor(c.c.p, cursor_left(&c.c)),
							 &d->attrs, d->source.data));
		break;
	}
	case PERFDATA_BUILD_ID:
		good = perffeatures_build_id(&d->features, cursor(r->bytes, r->h.size),
					     d->source.data);
		break;
	default:
		break;
	}
	if (!good)
		damage(d,
		       err_at(r->offset, "a record of type %u holds less than it says", r->h.type));
}

static struct err *take_next(struct perfdata *d, bool *ret_end)
{
	struct perfrecord r;

	TRY(perfrecords_next(&d->records, &r));
	*ret_end = !r.bytes;
	if (!r.bytes)
		return NULL;
	d->counts[r.h.type < N_PERFDATA_TYPES ? r.h.type : N_PERFDATA_TYPES]++;
	if (r.h.type < PERFDATA_FIRST_USER_TYPE) {
		take_kernel_record(d, &r);
		return NULL;
	}
	take_user_record(d, &r);
	return perfrecords_skip_payload(&d->records, &r);
}

static void note_counts(struct perfdata *d)
{
	struct dataset *data = d->source.data;

	data->records.n = 0;
	for (uint32_t i = 0; i <= N_PERFDATA_TYPES; i++) {
		const char *name = perftype_name(i);

		if (d->counts[i])
			vec_push(&data->records,
				 ((struct record_count){ name ?: "UNKNOWN", d->counts[i] }));
	}
	if (d->counts[PERFDATA_AUXTRACE])
		diag_add(d->diag, DIAG_NOTE, "perf.data auxtrace",
			 "traces of the CPU (AUXTRACE, %llu records) are skipped",
			 (unsigned long long)d->counts[PERFDATA_AUXTRACE]);
}

static void finish(struct perfdata *d, bool damaged)
{
	struct dataset *data = d->source.data;
	struct totals *t = &data->totals;

	give_out(d, UINT64_MAX);
	describe(d);
	apply_build_ids(d);
	note_counts(d);
	d->at_end = true;
	t->complete = !damaged && !d->header.has_no_end;
	t->end_ns = t->last_ns;
	if (d->header.has_no_end)
		diag_add(d->diag, DIAG_WARNING, "perf.data without end",
			 "`perf record` did not end this file; what is there is shown");
	if (!data->meta.clock_start_ns && t->samples)
		data->meta.clock_start_ns = t->first_ns;
}

/* Moves on to the next file of a directory. False if there is none. */
static bool next_stream(struct perfdata *d)
{
	if (d->reading)
		perfrecords_deinit(&d->records);
	d->reading = d->next_stream < d->streams.n;
	if (!d->reading)
		return false;
	bool first = !d->next_stream;
	uint64_t from = first ? d->header.data_off : 0;
	uint64_t end = first ? d->header.data_end : UINT64_MAX;
	int fd = d->streams.v[d->next_stream++].fd;

	/* A pipe stands where its header ended. */
	if (!first || !d->header.is_pipe)
		lseek(fd, (off_t)from, SEEK_SET);
	perfrecords_init(&d->records, fd, from, end, d->header.swap);
	return true;
}

static struct err *step(struct perfdata *d)
{
	bool end = true;
	struct err *err = d->reading ? take_next(d, &end) : NULL;

	if (err && err_errno(err))
		return err;
	if (err) {
		damage(d, err);
		finish(d, true);
		return NULL;
	}
	if (!end)
		return NULL;
	bool short_of = d->next_stream == 1 && d->header.data_end != UINT64_MAX &&
			perfbytes_offset(&d->records.bytes) < d->header.data_end;

	if (short_of)
		damage(d, err_at(perfbytes_offset(&d->records.bytes), "the file is cut off"));
	if (short_of || !next_stream(d))
		finish(d, short_of);
	return NULL;
}

/* The first batch goes on to the first sample: whoever merges files asks it when they begin. */
static struct err *perfdata_next(struct source *src, struct batch *ret)
{
	enum { BATCH = 4096, FIRST_BATCH = 1 << 16 };
	struct perfdata *d = (struct perfdata *)src;
	struct perfapply *a = &d->apply;
	const struct totals *t = &src->data->totals;

	perfapply_begin(a);
	while (!d->at_end && a->samples.n + a->events.n < (t->samples ? BATCH : FIRST_BATCH))
		TRY(step(d));
	*ret = (struct batch){ a->samples.v, a->samples.n, a->events.v, a->events.n };
	return NULL;
}

/* The files of `perf record --threads` beside "data": data.0, data.1, … */
static void open_parts(struct perfdata *d, int dir)
{
	enum { MAX_PARTS = 4096 };

	for (unsigned int i = 0; i < MAX_PARTS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "data.%u", i);
		int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return;
		vec_push(&d->streams, ((struct stream){ fd, true }));
	}
}

static struct err *open_streams(struct perfdata *d, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(errno, "cannot read the file");
	if (!S_ISDIR(st.st_mode)) {
		vec_push(&d->streams, ((struct stream){ .fd = fd }));
		return NULL;
	}
	int data = openat(fd, "data", O_RDONLY | O_CLOEXEC);

	if (data < 0)
		return err_sys(errno, "a directory without a file 'data'");
	vec_push(&d->streams, ((struct stream){ data, true }));
	open_parts(d, fd);
	return NULL;
}

/* As far as a pipe's header goes, and no further: what follows must stay unread. */
static struct err *read_start(int fd, uint8_t *to, size_t *len)
{
	size_t want = PERF_PIPE_HEADER_LEN;

	*len = 0;
	while (*len < want) {
		ssize_t n = read(fd, to + *len, want - *len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "cannot read the file");
		if (!n)
			break;
		*len += (size_t)n;
		if (*len == want && want == PERF_PIPE_HEADER_LEN && perfdata_needs_seek(to, *len))
			want = PERF_FILE_HEADER_LEN;
	}
	return NULL;
}

static struct err *open_file(struct perfdata *d, int given)
{
	uint8_t start[PERF_FILE_HEADER_LEN];
	size_t len;

	TRY(open_streams(d, given));
	int fd = d->streams.v[0].fd;

	TRY(read_start(fd, start, &len));
	TRY(perfheader_parse(start, len, &d->header));
	d->attrs.swap = d->features.swap = d->header.swap;
	if (d->header.is_pipe)
		return NULL;
	if (lseek(fd, 0, SEEK_CUR) < 0)
		return err_sys(errno, "a perf.data file that is no stream");
	return perfheader_tables(&d->header, fd, &d->attrs, &d->features, d->source.data, d->diag);
}

struct err *perfdata_open(int fd, const struct perfdata_options *opt, struct dataset *data,
			  struct diag *diag, struct source **ret)
{
	struct perfdata *d = xcalloc(1, sizeof(*d));

	d->source = (struct source){ data, perfdata_next, perfdata_destroy };
	d->diag = diag;
	perfapply_init(&d->apply, data, &d->attrs, &d->features, diag);
	d->apply.open = opt->open;
	d->apply.open_ctx = opt->ctx;
	struct err *err = open_file(d, fd);

	if (err) {
		perfdata_destroy(&d->source);
		return err;
	}
	describe(d);
	next_stream(d);
	*ret = &d->source;
	return NULL;
}

void perfdata_set_engine(struct source *src, enum unwind_engine engine)
{
	((struct perfdata *)src)->apply.engine = engine;
}
