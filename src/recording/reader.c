/* In: a recording, whole or not. Out: a dataset and batches of samples. */
#include "recording/reader.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "recording/codeblock.h"
#include "recording/feed.h"
#include "recording/header.h"
#include "recording/stream.h"
#include "recording/symbols.h"

struct reader {
	struct source source; /* first: what the caller holds */
	struct feed feed;
	struct stream stream;
	struct diag *diag;
	struct block block;
	bool pending; /* `block` was read on the way to HEADER and is still to be used */
	bool at_end;
	bool has_header;
	struct totals counted;     /* the reader's own sums */
	reader_block_fn *on_block; /* NULL: nobody asked */
	void *on_block_ctx;
	struct reader_block header_block; /* kind NULL: there is none */
};

bool reader_magic(const void *p, size_t len)
{
	return len >= SINGE_FILE_MAGIC_LEN && !memcmp(p, SINGE_FILE_MAGIC, SINGE_FILE_MAGIC_LEN);
}

static void reader_destroy(struct source *src)
{
	struct reader *r = (struct reader *)src;

	feed_deinit(&r->feed);
	stream_deinit(&r->stream);
	free(r);
}

static struct reader_block reader_describe(const struct block *b)
{
	static const char *const kinds[] = {
		[SINGE_BLOCK_HEADER] = "HEADER",   [SINGE_BLOCK_STREAM] = "STREAM",
		[SINGE_BLOCK_SYMBOLS] = "SYMBOLS", [SINGE_BLOCK_END] = "END",
		[SINGE_BLOCK_CODE] = "CODE",
	};
	size_t n_kinds = sizeof(kinds) / sizeof(kinds[0]);

	return (struct reader_block){
		.offset = b->offset,
		.kind = b->kind < n_kinds && kinds[b->kind] ? kinds[b->kind] : "unknown",
		.codec = b->codec == SINGE_CODEC_PARTS ? "parts" : codec_name(b->codec),
		.restart = b->kind == SINGE_BLOCK_STREAM && b->flags & SINGE_BLOCK_RESTART,
		.raw_len = b->raw_len,
		.stored_len = b->stored_len,
	};
}

/* A block whose check sum is right and whose contents are not: counted, not fatal. */
static void reader_damage(struct reader *r, struct err *err)
{
	if (!err)
		return;
	feed_damage(&r->feed, r->block.offset, err_msg(err));
	err_destroy(err);
}

static void reader_count(struct reader *r)
{
	struct totals *t = &r->counted;

	for (size_t i = 0; i < r->stream.samples.n; i++) {
		const struct sample *s = &r->stream.samples.v[i];

		if (!t->samples++ || s->time_ns < t->first_ns)
			t->first_ns = s->time_ns;
		if (s->time_ns > t->last_ns)
			t->last_ns = s->time_ns;
		t->lost_in_file += s->node && s->node == r->stream.dict.lost_node;
	}
	for (size_t i = 0; i < r->stream.events.n; i++) {
		const struct proc_event *e = &r->stream.events.v[i];

		t->lost += e->kind == PROC_LOST ? e->lost : 0;
		if (e->time_ns > t->end_ns)
			t->end_ns = e->time_ns;
	}
	if (t->last_ns > t->end_ns)
		t->end_ns = t->last_ns;
}

static uint32_t reader_binary(void *ctx, const struct binary *like)
{
	return dict_binary(ctx, like);
}

/* Applies `block`. */
static void reader_apply(struct reader *r)
{
	struct dataset *data = r->source.data;
	struct reader_block described = reader_describe(&r->block);

	if (r->on_block)
		r->on_block(r->on_block_ctx, &described);
	switch (r->block.kind) {
	case SINGE_BLOCK_STREAM:
		reader_damage(r, stream_read(&r->stream, r->block.body));
		reader_count(r);
		return;
	case SINGE_BLOCK_SYMBOLS:
		reader_damage(r, symbols_read(r->block.body, &data->names, reader_binary,
					      &r->stream.dict));
		return;
	case SINGE_BLOCK_END:
		reader_damage(r, end_read(r->block.body, data));
		return;
	case SINGE_BLOCK_CODE:
		reader_damage(r, codeblock_read(r->block.body, &data->codetimes, reader_binary,
						&r->stream.dict));
		return;
	case SINGE_BLOCK_HEADER: /* one is enough: the first */
		return;
	}
	newer_add(&r->stream.newer, NEWER_BLOCK, r->block.kind);
}

/* Totals as far as they are known. */
static void reader_totals(struct reader *r)
{
	struct totals *t = &r->source.data->totals;

	if (!t->complete)
		*t = r->counted;
	t->lost_in_file = r->counted.lost_in_file;
	t->damaged_blocks = r->feed.damaged;
}

static void reader_finish(struct reader *r)
{
	const struct totals *t = &r->source.data->totals;
	unsigned long long got = r->counted.samples;
	unsigned long long want = t->samples;

	r->at_end = true;
	newer_report(&r->stream.newer, r->diag);
	if (!t->complete)
		diag_add(r->diag, DIAG_WARNING, "recording without end",
			 "the recording was cut off; %llu samples are there", got);
	else if (got != want)
		diag_add(r->diag, DIAG_WARNING, "samples missing",
			 "the recording holds %llu of its %llu samples", got, want);
}

static struct err *reader_next(struct source *src, struct batch *ret)
{
	struct reader *r = (struct reader *)src;

	*ret = (struct batch){ 0 };
	while (!r->at_end) {
		bool end = false;

		if (!r->pending)
			TRY(feed_next(&r->feed, &r->block, &end));
		r->pending = false;
		r->stream.samples.n = r->stream.events.n = 0;
		if (!end)
			reader_apply(r);
		reader_totals(r);
		if (end)
			reader_finish(r);
		if (r->stream.samples.n || r->stream.events.n) {
			ret->samples = r->stream.samples.v;
			ret->n_samples = r->stream.samples.n;
			ret->events = r->stream.events.v;
			ret->n_events = r->stream.events.n;
			return NULL;
		}
	}
	return NULL;
}

/* HEADER is the first block; anything else means that it was damaged. */
static struct err *reader_header(struct reader *r)
{
	bool end;

	TRY(feed_file_header(&r->feed));
	TRY(feed_next(&r->feed, &r->block, &end));
	if (!end && r->block.kind == SINGE_BLOCK_HEADER) {
		struct err *err = header_read(r->block.body, r->source.data);

		r->header_block = reader_describe(&r->block);

		r->stream.header_lost = err != NULL;
		reader_damage(r, err);
		return NULL;
	}
	r->pending = !end;
	r->stream.header_lost = true;
	diag_add(r->diag, DIAG_WARNING, "recording without header",
		 "the recording's header block is damaged: host, command line and events are lost");
	return NULL;
}

struct err *reader_open(int fd, struct dataset *data, struct diag *diag, struct source **ret)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->source = (struct source){ .data = data, .next = reader_next, .destroy = reader_destroy };
	r->diag = diag;
	feed_init(&r->feed, fd, diag);
	stream_init(&r->stream, data);
	struct err *err = reader_header(r);

	if (err) {
		reader_destroy(&r->source);
		return err;
	}
	reader_totals(r);
	*ret = &r->source;
	return NULL;
}

/* What is damaged is counted when the blocks come in their turn. */
static struct err *read_code(struct reader *r, struct feed *ahead)
{
	for (;;) {
		struct block block;
		bool end;

		TRY(feed_find(ahead, SINGE_BLOCK_CODE, &block, &end));
		if (end)
			return NULL;
		err_destroy(codeblock_read(block.body, &r->source.data->codetimes, reader_binary,
					   &r->stream.dict));
	}
}

struct err *reader_read_code(struct source *src)
{
	struct reader *r = (struct reader *)src;
	off_t was = lseek(r->feed.fd, 0, SEEK_CUR);
	struct feed ahead;

	if (was < 0)
		return err_sys(errno, "cannot read ahead in the recording");
	feed_init(&ahead, r->feed.fd, NULL);
	ahead.end_offset = SINGE_FILE_HEADER_LEN;
	struct err *err = read_code(r, &ahead);

	feed_deinit(&ahead);
	if (!err && lseek(r->feed.fd, was, SEEK_SET) < 0)
		err = err_sys(errno, "cannot go back in the recording");
	return err;
}

bool reader_on_block(struct source *src, reader_block_fn *fn, void *ctx)
{
	struct reader *r = (struct reader *)src;

	if (src->next != reader_next)
		return false;
	r->on_block = fn;
	r->on_block_ctx = ctx;
	if (r->header_block.kind)
		fn(ctx, &r->header_block);
	return true;
}

uint64_t reader_end_offset(const struct source *src)
{
	return ((const struct reader *)src)->feed.end_offset;
}
