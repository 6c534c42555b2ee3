/* In: samples and process events, with the tables they speak of. Out: blocks. */
#include "recording/writer.h"

#include "base/alloc.h"
#include "recording/codeblock.h"
#include "recording/columns.h"
#include "recording/defs.h"
#include "recording/header.h"
#include "recording/sink.h"
#include "recording/symbols.h"

static const uint64_t BLOCK_NS = 1000000000;

enum {
	RESTART_BYTES = 64 << 20,
	RESTART_NODES = 1000000,
	NODES_MANY = 4096,     /* new nodes at which a block is closed */
	DEFS_FULL = 256 << 10, /* definitions at which a block of them alone is closed */
};

struct writer {
	struct sink sink;
	const struct dataset *data;
	struct columns cols;
	struct defs defs;
	struct parts parts;
	uint32_t restart;
	bool restart_flag;   /* the next block is the first of its dictionary */
	uint64_t restart_at; /* sink.written when the dictionary began */
	size_t n_fallbacks;  /* that HEADER holds */
	struct err *failed;  /* the first write error: nothing more is gathered */
	uint64_t dropped;    /* samples that could not be written */
};

struct writer *writer_append(int fd, enum codec codec, const struct dataset *data)
{
	struct writer *w = xcalloc(1, sizeof(*w));

	sink_init(&w->sink, fd, codec);
	columns_init(&w->cols);
	defs_restart(&w->defs);
	w->data = data;
	w->n_fallbacks = data->meta.fallbacks.n;
	w->restart_flag = true;
	return w;
}

struct err *writer_create(int fd, enum codec codec, const struct dataset *data, struct writer **ret)
{
	if (!codec_available(codec))
		return err_new("this build of singe cannot write %s", codec_name(codec));
	CLEANUP(writer_destroy) struct writer *w = writer_append(fd, codec, data);

	header_write(&w->parts.raw, data);
	TRY(sink_file_header(&w->sink));
	TRY(sink_block(&w->sink, SINGE_BLOCK_HEADER, 0, &w->parts));
	*ret = take_ptr(w);
	return NULL;
}

void writer_destroy(struct writer *w)
{
	if (!w)
		return;
	sink_deinit(&w->sink);
	columns_deinit(&w->cols);
	defs_deinit(&w->defs);
	parts_deinit(&w->parts);
	err_destroy(w->failed);
	free(w);
}

/* The first error, said again: whoever goes on writing learns that nothing is kept. */
static struct err *writer_failed(const struct writer *w)
{
	int errnum = err_errno(w->failed);
	unsigned long long size = w->sink.written;

	if (errnum)
		return err_sys(errnum, "cannot write the recording; it ends after %llu bytes",
			       size);
	return err_new("%s; the recording ends after %llu bytes", err_msg(w->failed), size);
}

/* Writes what is gathered as one block and begins the next: definitions, and with them the samples
 * and events, or not. */
static struct err *writer_put(struct writer *w, bool with_samples)
{
	struct columns *c = &w->cols;
	struct buf *raw = &w->parts.raw;

	parts_reset(&w->parts);
	buf_uleb(raw, w->restart);
	buf_uleb(raw, w->defs.first_node);
	buf_uleb(raw, w->defs.n_nodes);
	buf_uleb(raw, with_samples ? c->base_ns : 0);
	buf_uleb(raw, with_samples ? c->n_samples : 0);
	buf_uleb(raw, with_samples ? c->n_events : 0);
	defs_pack(&w->defs, raw);
	if (with_samples)
		columns_pack(c, &w->parts);
	w->failed = sink_block(&w->sink, SINGE_BLOCK_STREAM,
			       w->restart_flag ? SINGE_BLOCK_RESTART : 0, &w->parts);
	defs_reset(&w->defs);
	if (w->failed) {
		w->dropped += c->n_samples;
		columns_reset(c);
		return writer_failed(w);
	}
	w->restart_flag = false;
	if (with_samples)
		columns_reset(c);
	return NULL;
}

/* Makes room before the next definition where there is none. */
static struct err *writer_room_for_defs(struct writer *w)
{
	return defs_len(&w->defs) < DEFS_FULL ? NULL : writer_put(w, false);
}

/* Binaries of which more is known than this dictionary says. */
static struct err *writer_renew_binaries(struct writer *w)
{
	for (uint32_t id = 0; id < w->defs.have_binary.n; id++) {
		if (!w->defs.have_binary.v[id])
			continue;
		TRY(writer_room_for_defs(w));
		defs_need_binary(&w->defs, &w->data->binaries, id);
	}
	return NULL;
}

struct err *writer_flush(struct writer *w)
{
	if (w->failed)
		return writer_failed(w);
	TRY(writer_renew_binaries(w));
	while (defs_next(&w->defs) < w->data->tree.frames.n) {
		TRY(writer_room_for_defs(w));
		defs_next_node(&w->defs, w->data);
	}
	if (!w->cols.n_samples && !w->cols.n_events && !defs_len(&w->defs))
		return NULL;
	return writer_put(w, true);
}

static inline bool writer_full(const struct writer *w)
{
	return columns_len(&w->cols) + w->defs.binaries.len + w->defs.threads.len >= COLUMNS_FULL ||
	       w->data->tree.frames.n - defs_next(&w->defs) > NODES_MANY;
}

static uint32_t writer_context(struct writer *w, const struct sample *s)
{
	bool made;
	uint32_t id =
		columns_context_slow(&w->cols, s, w->data->events.v[s->event].interval_ns, &made);

	if (made)
		defs_need_thread(&w->defs, &w->data->threads, s->thread);
	return id;
}

struct err *writer_sample(struct writer *w, const struct sample *s)
{
	struct columns *c = &w->cols;

	if (writer_full(w) || w->failed)
		TRY(writer_flush(w));
	columns_start(c, s->time_ns);
	uint32_t id = *columns_cache(c, s);

	if (id >= c->ctx.n || !context_is(&c->ctx.v[id], s))
		id = writer_context(w, s);
	columns_sample(c, id, s);
	return NULL;
}

struct err *writer_event(struct writer *w, const struct proc_event *e)
{
	if (writer_full(w) || w->failed)
		TRY(writer_flush(w));
	if (e->kind == PROC_MMAP)
		defs_need_binary(&w->defs, &w->data->binaries, e->binary);
	columns_event(&w->cols, e);
	return NULL;
}

void writer_stack(struct writer *w, enum raw_mode mode, const struct raw_sample *stack)
{
	struct proc_event e = {
		.kind = PROC_STACK,
		.time_ns = w->cols.event_ns,
		.mode = mode,
		.stack = stack,
	};

	/* No look at the block's size: it must stand in the sample's block. */
	columns_event(&w->cols, &e);
}

struct err *writer_tick(struct writer *w, uint64_t now_ns)
{
	if (!w->cols.started || now_ns < w->cols.base_ns || now_ns - w->cols.base_ns < BLOCK_NS)
		return NULL;
	return writer_flush(w);
}

bool writer_restart_due(const struct writer *w)
{
	return w->sink.written - w->restart_at >= RESTART_BYTES ||
	       w->data->tree.frames.n > RESTART_NODES;
}

struct err *writer_restart(struct writer *w)
{
	TRY(writer_flush(w));
	defs_restart(&w->defs);
	w->restart++;
	w->restart_flag = true;
	w->restart_at = w->sink.written;
	return NULL;
}

struct err *writer_end(struct writer *w, struct totals *totals)
{
	struct totals *t = totals;
	struct err *err = writer_flush(w);

	if (w->dropped) {
		t->samples -= t->samples < w->dropped ? t->samples : w->dropped;
		t->lost += w->dropped;
		w->dropped = 0;
	}
	parts_reset(&w->parts);
	end_write(&w->parts.raw, t, &w->data->meta, w->n_fallbacks);
	struct err *end_err = sink_block(&w->sink, SINGE_BLOCK_END, 0, &w->parts);

	if (!err)
		return end_err;
	err_destroy(end_err);
	return err;
}

struct err *writer_names(struct writer *w, const struct names *names, size_t *from)
{
	while (*from < names->entries.n) {
		parts_reset(&w->parts);
		symbols_write(&w->parts.raw, w->data, names, from);
		TRY(sink_block(&w->sink, SINGE_BLOCK_SYMBOLS, 0, &w->parts));
	}
	return NULL;
}

struct err *writer_code(struct writer *w)
{
	for (size_t from = 0; from < w->data->codetimes.entries.n;) {
		parts_reset(&w->parts);
		codeblock_write(&w->parts.raw, w->data, &from);
		TRY(sink_block(&w->sink, SINGE_BLOCK_CODE, 0, &w->parts));
	}
	return NULL;
}

uint64_t writer_size(const struct writer *w)
{
	return w->sink.written;
}
