/* In: what places were from when on. Out: blocks that stand alone, and back. */
#include "recording/codeblock.h"

#include "recording/fields.h"
#include "recording/symbols.h"
#include "singe/recording.h"

/* Times of one place beyond this, the earliest, are left out, so that a block can hold an entry. */
enum { TIMES_MAX = 1024 };

struct codeblock {
	const struct codetimes *all;
	struct blockbinaries binaries;
	struct buf entries;
};

static void codeblock_entry(struct codeblock *s, const struct codetimes_entry *e, uint64_t last_off)
{
	uint32_t n = e->n > TIMES_MAX ? TIMES_MAX : e->n;
	const struct codetime *times = &s->all->times.v[e->first + e->n - n];
	uint64_t last_ns = 0;

	buf_uleb(&s->entries, blockbinaries_add(&s->binaries, e->binary));
	buf_zigzag(&s->entries, (int64_t)(e->off - last_off));
	buf_uleb(&s->entries, n);
	for (uint32_t i = 0; i < n; i++) {
		buf_uleb(&s->entries, times[i].from_ns - last_ns);
		buf_uleb(&s->entries, blockbinaries_add(&s->binaries, times[i].binary));
		last_ns = times[i].from_ns;
	}
}

void codeblock_write(struct buf *b, const struct dataset *data, size_t *from)
{
	const struct codetimes *all = &data->codetimes;
	struct codeblock s = { .all = all, .binaries.all = &data->binaries };
	uint64_t last_off = 0;

	while (*from < all->entries.n && s.binaries.records.len + s.entries.len < SYMBOLS_FULL) {
		const struct codetimes_entry *e = &all->entries.v[(*from)++];

		codeblock_entry(&s, e, last_off);
		last_off = e->off;
	}
	field_buf(b, SINGE_CODE_BINARIES, &s.binaries.records);
	field_buf(b, SINGE_CODE_ENTRIES, &s.entries);
	blockbinaries_deinit(&s.binaries);
	buf_deinit(&s.entries);
}

struct codeblock_reader {
	struct codetimes *ret;
	struct blockbinaries_ids binaries;
	VEC(struct codetime) times;
};

/* `n` times into r->times. */
static bool read_times(struct codeblock_reader *r, struct cursor *c, uint64_t n)
{
	uint64_t ns = 0;

	r->times.n = 0;
	if (!n || n > TIMES_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t step = cursor_uleb(c);
		uint64_t binary = cursor_uleb(c);

		if (c->failed || binary >= r->binaries.n || __builtin_add_overflow(ns, step, &ns))
			return false;
		vec_push(&r->times, ((struct codetime){ ns, r->binaries.v[binary] }));
	}
	return true;
}

static bool read_entries(struct codeblock_reader *r, struct cursor c)
{
	uint64_t off = 0;

	while (cursor_left(&c)) {
		uint64_t binary = cursor_uleb(&c);

		off += (uint64_t)cursor_zigzag(&c);
		if (!read_times(r, &c, cursor_uleb(&c)) || binary >= r->binaries.n)
			return false;
		codetimes_set(r->ret, r->binaries.v[binary], off, r->times.v, (uint32_t)r->times.n);
	}
	return true;
}

struct err *codeblock_read(struct cursor c, struct codetimes *ret, blockbinaries_fn *binary,
			   void *ctx)
{
	struct cursor binaries = { 0 }, entries = { 0 };
	struct codeblock_reader r = { .ret = ret };
	uint64_t tag;
	struct cursor v;

	while (field_next(&c, &tag, &v)) {
		if (tag == SINGE_CODE_BINARIES)
			binaries = v;
		else if (tag == SINGE_CODE_ENTRIES)
			entries = v;
	}
	bool good = !c.failed && blockbinaries_read(binaries, binary, ctx, &r.binaries) &&
		    read_entries(&r, entries);

	vec_deinit(&r.binaries);
	vec_deinit(&r.times);
	return good ? NULL : err_new("damaged times of code");
}
