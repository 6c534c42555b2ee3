/* In: fields. Out: perf.data, and what the importer makes of it. */
#include "perfmaker.h"

#include <byteswap.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/perfdata.h"
#include "import/text.h"

void put16(struct maker *m, uint16_t v)
{
	buf_u16(&m->b, m->other_order ? bswap_16(v) : v);
}

void put32(struct maker *m, uint32_t v)
{
	buf_u32(&m->b, m->other_order ? bswap_32(v) : v);
}

void put64(struct maker *m, uint64_t v)
{
	buf_u64(&m->b, m->other_order ? bswap_64(v) : v);
}

void put_text(struct maker *m, const char *s)
{
	buf_cstr(&m->b, s);
	while ((m->b.len - m->record) % 8)
		buf_u8(&m->b, 0);
}

void maker_begin(struct maker *m, uint32_t type, uint16_t misc)
{
	m->record = m->b.len;
	put32(m, type);
	put16(m, misc);
	put16(m, 0);
}

void maker_end(struct maker *m)
{
	size_t len = m->b.len;
	uint16_t size = (uint16_t)(len - m->record);

	m->b.len = m->record + 6;
	put16(m, size);
	m->b.len = len;
}

void put_attr(struct maker *m, uint32_t type, uint64_t config)
{
	uint64_t sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN;
	/* freq is bit 10, sample_id_all bit 18; the other order counts bits from the other end of
	 * each byte. */
	uint8_t flags[8] = { 0, 1 << 2, 1 << 2 };

	if (m->other_order) {
		flags[1] = 1 << 5;
		flags[2] = 1 << 5;
	}
	put32(m, type);
	put32(m, MAKER_ATTR_LEN);
	put64(m, config);
	put64(m, 99);
	put64(m, sample_type);
	put64(m, 0);
	buf_bytes(&m->b, flags, sizeof(flags));
	put64(m, 0);
	put64(m, 0);
	put64(m, 0);
}

void maker_pipe_header(struct maker *m)
{
	buf_bytes(&m->b, m->other_order ? "2ELIFREP" : "PERFILE2", 8);
	put64(m, 16);
}

void maker_attr(struct maker *m, uint32_t type, uint64_t config, uint64_t id)
{
	maker_begin(m, 64, 0);
	put_attr(m, type, config);
	put64(m, id);
	maker_end(m);
}

static void trailer(struct maker *m, uint64_t time)
{
	put32(m, MAKER_PID);
	put32(m, MAKER_TID);
	put64(m, time);
	put32(m, 1);
	put32(m, 0);
	put64(m, MAKER_ID);
	maker_end(m);
}

void maker_comm(struct maker *m, const char *comm, uint64_t time)
{
	maker_begin(m, PERF_RECORD_COMM, 0);
	put32(m, MAKER_PID);
	put32(m, MAKER_TID);
	put_text(m, comm);
	trailer(m, time);
}

void maker_mmap2(struct maker *m, uint64_t start, uint64_t len, uint64_t pgoff, const char *path,
		 uint64_t time)
{
	maker_begin(m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(m, MAKER_PID);
	put32(m, MAKER_TID);
	put64(m, start);
	put64(m, len);
	put64(m, pgoff);
	put32(m, 8);
	put32(m, 1);
	put64(m, 1234);
	put64(m, 0);
	put32(m, 5);
	put32(m, 2);
	put_text(m, path);
	trailer(m, time);
}

void maker_sample(struct maker *m, uint64_t id, uint64_t time, uint64_t ip, uint64_t caller)
{
	maker_begin(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(m, id);
	put64(m, ip);
	put32(m, MAKER_PID);
	put32(m, MAKER_TID);
	put64(m, time);
	put32(m, 3);
	put32(m, 0);
	put64(m, 1000);
	put64(m, 3);
	put64(m, (uint64_t)PERF_CONTEXT_USER);
	put64(m, ip);
	put64(m, caller);
	maker_end(m);
}

void maker_round(struct maker *m)
{
	maker_begin(m, 68, 0);
	maker_end(m);
}

static void must(struct err *err)
{
	if (err)
		fail_msg("%s", err_msg(err));
}

void made_read(struct made *r, const struct buf *file)
{
	struct perfdata_options opt = { 0 };
	struct batch b;

	*r = (struct made){ .fd = memfd_create("made", 0) };
	assert_int_equal(write(r->fd, file->data, file->len), file->len);
	assert_int_equal(lseek(r->fd, 0, SEEK_SET), 0);
	dataset_init(&r->data);
	if (perfdata_magic(file->data, file->len))
		must(perfdata_open(r->fd, &opt, &r->data, &r->diag, &r->source));
	else
		must(text_open(r->fd, &r->data, &r->diag, &r->source));
	for (;;) {
		must(r->source->next(r->source, &b));
		if (!b.n_samples && !b.n_events)
			break;
		for (size_t i = 0; i < b.n_samples; i++)
			vec_push(&r->samples, b.samples[i]);
		for (size_t i = 0; i < b.n_events; i++)
			vec_push(&r->events, b.events[i]);
	}
}

void made_deinit(struct made *r)
{
	source_destroy(r->source);
	dataset_deinit(&r->data);
	diag_deinit(&r->diag);
	vec_deinit(&r->samples);
	vec_deinit(&r->events);
	close(r->fd);
}

static void put_frame(const struct made *r, uint32_t node, struct buf *to)
{
	const struct frame *f = frametree_get(&r->data.tree, node);
	const struct binary *b = binaries_get(&r->data.binaries, f->binary);
	const struct name_entry *e = names_find(&r->data.names, f->binary, names_key(f));

	if (f->parent)
		put_frame(r, f->parent, to);
	for (uint16_t i = e ? e->n : 0; i-- > 0;) {
		uint32_t id = r->data.names.lines.v[e->first + i].function;
		const char *name = intern_str(&r->data.names.strings, id);

		buf_u8(to, ';');
		buf_bytes(to, name, strlen(name));
	}
	if (e)
		return;
	_cleanup_free_ char *place = xasprintf(";%s+%" PRIx64, binary_name(b), f->off);

	buf_bytes(to, place, strlen(place));
}

char *made_stack(const struct made *r, size_t sample)
{
	const struct sample *s = &r->samples.v[sample];
	const char *comm = threads_get(&r->data.threads, s->thread)->comm;
	struct buf b = { 0 };

	buf_bytes(&b, comm, strlen(comm));
	if (s->node)
		put_frame(r, s->node, &b);
	buf_u8(&b, 0);
	return (char *)b.data;
}

bool made_was_told(const struct made *r, const char *text)
{
	for (size_t i = 0; i < r->diag.entries.n; i++)
		if (strstr(r->diag.entries.v[i].text, text))
			return true;
	return false;
}
