/* In: bytes of a jitdump. Out: the code that came, with its .eh_frame, in order of address. */
#include "unwind/jitreader.h"

#include "model/jitrecord.h"

enum {
	FRAMES_MOST = 64 << 10, /* of one function; what has more is walked without */
	BYTES_MOST = 64 << 20,  /* of one dump */
	ENTRIES_MOST = 1 << 20, /* likewise */
};

void jitreader_deinit(struct jitreader *r)
{
	vec_deinit(&r->loaded);
	table_deinit(&r->by_start);
}

static struct jitreader_loaded *find_loaded(const struct jitreader *r, uint64_t start,
					    uint64_t index)
{
	for (struct table_probe p = table_probe(&r->by_start, hash_pair(start, index));
	     table_next(&r->by_start, &p);) {
		struct jitreader_loaded *l = &r->loaded.v[p.value];

		if (l->start == start && l->index == index)
			return l;
	}
	return NULL;
}

static void add_entry(struct jitreader *r, uint64_t index, const struct jitcode_entry *e,
		      struct jitcode_batch *b)
{
	struct jitreader_loaded *have = find_loaded(r, e->start, index);

	if (have) {
		have->entry = *e;
	} else {
		table_add(&r->by_start, hash_pair(e->start, index), (uint32_t)r->loaded.n);
		vec_push(&r->loaded, ((struct jitreader_loaded){ e->start, index, *e }));
	}
	r->n_entries++;
	vec_push(&b->entries, *e);
}

static void take_load(struct jitreader *r, struct cursor *body, struct jitcode_batch *b)
{
	struct jitcode_entry e = r->pending;
	struct jit_load load;

	if (!jitrecord_load(body, &load))
		return;
	r->has_code = true;
	r->pending = (struct jitcode_entry){ 0 };
	e.start = load.start;
	e.end = load.end;
	add_entry(r, load.index, &e, b);
}

static void take_move(struct jitreader *r, struct cursor *body, struct jitcode_batch *b)
{
	struct jit_move move;
	bool good = jitrecord_move(body, &move);
	const struct jitreader_loaded *from = good ? find_loaded(r, move.from, move.index) : NULL;

	if (!from)
		return;
	struct jitcode_entry e = from->entry;

	e.start = move.start;
	e.end = move.end;
	add_entry(r, move.index, &e, b);
}

static void take_unwinding(struct jitreader *r, struct cursor *body, struct jitcode_batch *b)
{
	const uint8_t *frames;
	size_t len;

	r->pending = (struct jitcode_entry){ 0 };
	if (!jitrecord_unwinding(body, &frames, &len) || !len || len > FRAMES_MOST)
		return;
	r->has_frames = true;
	r->pending.batch = r->n_batches;
	r->pending.off = (uint32_t)b->bytes.len;
	r->pending.len = (uint32_t)len;
	r->n_bytes += len;
	buf_bytes(&b->bytes, frames, len);
}

static struct err *read_records(struct jitreader *r, struct cursor *c, struct jitcode_batch *b)
{
	struct jitrecord record;

	while (jitrecord_next(c, &record)) {
		if (record.id == JIT_CODE_LOAD)
			take_load(r, &record.body, b);
		else if (record.id == JIT_CODE_MOVE)
			take_move(r, &record.body, b);
		else if (record.id == JIT_CODE_UNWINDING_INFO)
			take_unwinding(r, &record.body, b);
		else if (record.id == JIT_CODE_CLOSE)
			r->closed = true;
		if (r->closed)
			return NULL;
		if (r->n_entries >= ENTRIES_MOST || r->n_bytes >= BYTES_MOST)
			return err_new("it says more of unwinding than singe keeps");
	}
	uint32_t wanted = jitrecord_wanted(c);

	if (wanted && wanted < JITRECORD_LEN)
		return err_new("a record of %u bytes", wanted);
	return NULL;
}

struct err *jitreader_read(struct jitreader *r, struct cursor *c, struct jitcode_batch *ret)
{
	struct err *err = NULL;
	bool arch_time;

	*ret = (struct jitcode_batch){ .number = r->n_batches };
	if (!r->begun && cursor_left(c) >= JITRECORD_HEADER_LEN) {
		r->begun = true;
		if (!jitrecord_header(c, &arch_time))
			err = err_new("not a jitdump file of version 1");
	}
	if (!err && r->begun)
		err = read_records(r, c, ret);
	r->closed |= !!err;
	r->n_batches += !!ret->bytes.len;
	ret->may_unwind = r->has_frames || !r->has_code;
	jitcode_batch_order(ret);
	return err;
}
