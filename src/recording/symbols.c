/* In: names of places. Out: blocks that stand alone, and back. */
#include "recording/symbols.h"

#include "recording/fields.h"
#include "singe/recording.h"

struct symbols_block {
	const struct names *names;
	struct blockbinaries binaries;
	struct buf strings, entries;
	VEC(uint32_t) string_id; /* by number in `names`: number in the block; 0: not in it */
	uint32_t n_strings;
	uint64_t last_off;
};

static uint32_t block_string(struct symbols_block *s, uint32_t id)
{
	if (!id)
		return 0;
	while (s->string_id.n <= id)
		vec_push(&s->string_id, 0);
	if (s->string_id.v[id])
		return s->string_id.v[id];
	const char *str = intern_str(&s->names->strings, id);
	size_t len = strnlen(str, RECORD_STR_MAX);

	buf_uleb(&s->strings, len);
	buf_bytes(&s->strings, str, len);
	return s->string_id.v[id] = ++s->n_strings;
}

static void block_entry(struct symbols_block *s, const struct name_entry *e)
{
	buf_uleb(&s->entries, blockbinaries_add(&s->binaries, e->binary));
	buf_zigzag(&s->entries, (int64_t)(e->off - s->last_off));
	buf_uleb(&s->entries, e->flags);
	buf_uleb(&s->entries, e->n);
	s->last_off = e->off;
	for (uint16_t i = 0; i < e->n; i++) {
		const struct name_line *line = &s->names->lines.v[e->first + i];

		buf_uleb(&s->entries, block_string(s, line->function));
		buf_uleb(&s->entries, block_string(s, line->file));
		buf_uleb(&s->entries, line->line);
	}
}

static size_t str_max_len(const struct names *n, uint32_t id)
{
	return strnlen(intern_str(&n->strings, id), RECORD_STR_MAX) + 3;
}

/* No more than this many bytes will the entry take. */
static size_t entry_max_len(const struct symbols_block *s, const struct name_entry *e)
{
	size_t len = 64 + (size_t)e->n * 15 +
		     strlen(binaries_get(s->binaries.all, e->binary)->path) + 128;

	for (uint16_t i = 0; i < e->n; i++) {
		const struct name_line *line = &s->names->lines.v[e->first + i];

		len += str_max_len(s->names, line->function) + str_max_len(s->names, line->file);
	}
	return len;
}

/* Of an entry that no block can hold, the innermost inlined calls are left out: the real function,
 * which comes last, stays. */
static struct name_entry entry_fit(const struct symbols_block *s, const struct name_entry *e)
{
	struct name_entry fit = *e;

	while (fit.n > 1 && entry_max_len(s, &fit) > SYMBOLS_FULL) {
		uint16_t drop = fit.n / 2;

		fit.first += drop;
		fit.n -= drop;
	}
	return fit;
}

void symbols_write(struct buf *b, const struct dataset *data, const struct names *names,
		   size_t *from)
{
	struct symbols_block s = { .names = names, .binaries.all = &data->binaries };

	for (; *from < names->entries.n; ++*from) {
		struct name_entry e = entry_fit(&s, &names->entries.v[*from]);

		block_entry(&s, &e);
		if (s.strings.len + s.binaries.records.len + s.entries.len > SYMBOLS_FULL) {
			++*from;
			break;
		}
	}
	field_buf(b, SINGE_SYMBOLS_STRINGS, &s.strings);
	field_buf(b, SINGE_SYMBOLS_BINARIES, &s.binaries.records);
	field_buf(b, SINGE_SYMBOLS_ENTRIES, &s.entries);
	buf_deinit(&s.strings);
	buf_deinit(&s.entries);
	blockbinaries_deinit(&s.binaries);
	vec_deinit(&s.string_id);
}

struct symbols_reader {
	struct names *names;
	VEC(uint32_t) strings; /* [0] is 0, "not known" */
	struct blockbinaries_ids binaries;
	VEC(struct name_line) lines;
};

static void symbols_reader_deinit(struct symbols_reader *r)
{
	vec_deinit(&r->strings);
	vec_deinit(&r->binaries);
	vec_deinit(&r->lines);
}

static bool read_strings(struct symbols_reader *r, struct cursor c)
{
	vec_push(&r->strings, 0);
	while (cursor_left(&c)) {
		struct cursor s = cursor_sub(&c);

		if (c.failed)
			return false;
		vec_push(&r->strings,
			 intern_add_len(&r->names->strings, (const char *)s.p, cursor_left(&s)));
	}
	return true;
}

/* `n` lines into r->lines. */
static bool read_lines(struct symbols_reader *r, struct cursor *c, uint64_t n)
{
	r->lines.n = 0;
	if (!n || n > UINT16_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t function = cursor_uleb(c);
		uint64_t file = cursor_uleb(c);
		uint64_t line = cursor_uleb(c);

		if (c->failed || function >= r->strings.n || file >= r->strings.n ||
		    line > UINT32_MAX)
			return false;
		vec_push(&r->lines, ((struct name_line){
					    .function = r->strings.v[function],
					    .file = r->strings.v[file],
					    .line = (uint32_t)line,
				    }));
	}
	return true;
}

static bool read_entries(struct symbols_reader *r, struct cursor c)
{
	uint64_t off = 0;

	while (cursor_left(&c)) {
		uint64_t binary = cursor_uleb(&c);

		off += (uint64_t)cursor_zigzag(&c);
		uint64_t flags = cursor_uleb(&c);

		if (!read_lines(r, &c, cursor_uleb(&c)) || binary >= r->binaries.n ||
		    flags > UINT16_MAX)
			return false;
		names_set(r->names, r->binaries.v[binary], off, r->lines.v, (uint16_t)r->lines.n,
			  (uint16_t)flags);
	}
	return true;
}

struct err *symbols_read(struct cursor c, struct names *names, blockbinaries_fn *binary, void *ctx)
{
	struct cursor strings = { 0 }, binaries = { 0 }, entries = { 0 };
	uint64_t tag;
	struct cursor v;

	while (field_next(&c, &tag, &v)) {
		if (tag == SINGE_SYMBOLS_STRINGS)
			strings = v;
		else if (tag == SINGE_SYMBOLS_BINARIES)
			binaries = v;
		else if (tag == SINGE_SYMBOLS_ENTRIES)
			entries = v;
	}
	struct symbols_reader r = { .names = names };
	bool good = !c.failed && read_strings(&r, strings) &&
		    blockbinaries_read(binaries, binary, ctx, &r.binaries) &&
		    read_entries(&r, entries);

	symbols_reader_deinit(&r);
	return good ? NULL : err_new("damaged names");
}
