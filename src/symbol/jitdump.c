/* In: a jitdump file. Out: which code was at an address. */
#include "symbol/jitdump.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "model/jitrecord.h"
#include "symbol/addrset.h"

enum { JITDUMP_MAX = 1 << 30 };

/* Nobody looks at a dump later than this after its last sample. */
static const uint64_t LONG_AFTER_NS = 86400 * 1000000000ULL;

/* Lines come in a record of their own before the code they are for. */
struct pending_lines {
	uint64_t addr;
	uint32_t first, n;
};

bool jitdump_is(int fd)
{
	uint32_t magic;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == JITRECORD_MAGIC;
}

static struct err *read_all(int fd, struct buf *ret)
{
	enum { PIECE = 1 << 18 };

	while (ret->len < JITDUMP_MAX) {
		size_t before = ret->len;

		if (!buf_read_at(ret, fd, before, PIECE))
			return err_sys(errno, "cannot read a jitdump file");
		if (ret->len - before < PIECE)
			return NULL;
	}
	return err_new("a jitdump file that does not end");
}

/* V8 writes the names of some scripts from memory it has freed: bytes that are no text name no
 * file. */
static bool is_text(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)
			return false;
	return true;
}

/* A byte of 255 alone stands for the name before it. */
static const char *line_file(const char *name, const char *before)
{
	if (!strcmp(name, "\xff"))
		return before;
	return is_text(name) && *name ? name : NULL;
}

static int line_cmp(const void *a, const void *b)
{
	const struct jitdump_line *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void read_lines(struct jitdump *d, struct cursor *c, struct pending_lines *pending)
{
	const char *file = NULL;
	uint64_t last = 0;
	bool sorted = true;

	*pending = (struct pending_lines){ .first = (uint32_t)d->lines.n };
	pending->addr = cursor_u64(c);
	uint64_t n = cursor_u64(c);

	for (uint64_t i = 0; i < n && !c->failed; i++) {
		struct jitdump_line line = { .addr = cursor_u64(c) };

		line.line = cursor_u32(c);
		cursor_skip(c, 4); /* discriminator */
		const char *name = cursor_cstr(c);

		if (c->failed)
			break;
		line.file = file = line_file(name, file);
		line.seq = pending->n++;
		sorted &= line.addr >= last;
		last = line.addr;
		vec_push(&d->lines, line);
	}
	if (!sorted)
		qsort(d->lines.v + pending->first, pending->n, sizeof(*d->lines.v), line_cmp);
}

/* Where `loaded` has what was last loaded or moved to `start` under this number; NULL: nothing. */
static uint32_t *find_loaded(const struct jitdump *d, uint64_t start, uint64_t index)
{
	for (struct table_probe p = table_probe(&d->by_start, hash_pair(start, index));
	     table_next(&d->by_start, &p);) {
		const struct jitdump_code *code = &d->code.v[d->loaded.v[p.value]];

		if (code->start == start && code->index == index)
			return &d->loaded.v[p.value];
	}
	return NULL;
}

static void add_code(struct jitdump *d, const struct jitdump_code *code)
{
	uint32_t *have = find_loaded(d, code->start, code->index);

	if (have) {
		*have = (uint32_t)d->code.n;
	} else {
		table_add(&d->by_start, hash_pair(code->start, code->index), (uint32_t)d->loaded.n);
		vec_push(&d->loaded, (uint32_t)d->code.n);
	}
	vec_push(&d->code, *code);
}

static void read_load(struct jitdump *d, struct jitrecord *r, struct pending_lines *pending)
{
	struct jit_load load;

	if (!jitrecord_load(&r->body, &load))
		return;
	struct jitdump_code code = {
		.start = load.start,
		.end = load.end,
		.from_ns = r->time_ns,
		.index = load.index,
		.name = load.name,
		.lines_start = load.start,
	};

	if (pending->addr == code.start) {
		code.first = pending->first;
		code.n = pending->n;
	}
	if (code.end - code.start <= cursor_left(&r->body))
		code.bytes = cursor_bytes(&r->body, code.end - code.start);
	/* V8 counts the ELF header that perf will put before the code, 64 bytes. */
	if (code.n && d->lines.v[code.first].addr == code.start + 64)
		code.lines_start += 64;
	*pending = (struct pending_lines){ 0 };
	add_code(d, &code);
}

static void read_move(struct jitdump *d, struct jitrecord *r)
{
	struct jit_move move;
	bool good = jitrecord_move(&r->body, &move);
	const uint32_t *loaded = good ? find_loaded(d, move.from, move.index) : NULL;

	if (!loaded)
		return;
	struct jitdump_code code = d->code.v[*loaded];

	if (move.end - move.start > code.end - code.start)
		code.bytes = NULL;
	code.from_ns = r->time_ns;
	code.start = move.start;
	code.end = move.end;
	add_code(d, &code);
}

static void read_records(struct jitdump *d, struct cursor *c)
{
	struct pending_lines pending = { 0 };
	struct jitrecord r;

	while (jitrecord_next(c, &r) && r.id != JIT_CODE_CLOSE) {
		if (r.id == JIT_CODE_LOAD)
			read_load(d, &r, &pending);
		else if (r.id == JIT_CODE_MOVE)
			read_move(d, &r);
		else if (r.id == JIT_CODE_DEBUG_INFO)
			read_lines(d, &r.body, &pending);
	}
}

struct err *jitdump_read(int fd, struct jitdump *ret)
{
	struct jitdump d = { 0 };
	struct err *err = read_all(fd, &d.bytes);
	struct cursor c = cursor(d.bytes.data, d.bytes.len);

	d.machine = jitrecord_machine(c);
	if (!err && !jitrecord_header(&c, &d.arch_time))
		err = err_new("not a jitdump file of version 1");
	if (err) {
		jitdump_deinit(&d);
		return err;
	}
	read_records(&d, &c);
	*ret = d;
	return NULL;
}

void jitdump_deinit(struct jitdump *d)
{
	buf_deinit(&d->bytes);
	vec_deinit(&d->code);
	vec_deinit(&d->lines);
	vec_deinit(&d->loaded);
	table_deinit(&d->by_start);
}

bool jitdump_has_times(const struct jitdump *d, const struct jitdump_span *span)
{
	if (d->arch_time)
		return false;
	for (size_t i = 0; i < d->code.n; i++)
		if (d->code.v[i].from_ns <= span->last_ns ||
		    d->code.v[i].from_ns - span->last_ns < LONG_AFTER_NS)
			return true;
	return !d->code.n;
}

static int time_cmp(const void *a, const void *b, void *ctx)
{
	const struct jitdump *d = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t at_x = d->code.v[x].from_ns, at_y = d->code.v[y].from_ns;

	if (at_x != at_y)
		return at_x < at_y ? -1 : 1;
	return (x > y) - (x < y);
}

/* Threads of a compiler may write their records in another order than they took the time. */
static uint32_t *order_of(const struct jitdump *d, bool by_time)
{
	uint32_t *order = xcalloc(d->code.n + 1, sizeof(*order));

	for (uint32_t i = 0; i < d->code.n; i++)
		order[i] = i;
	if (by_time && d->code.n)
		qsort_r(order, d->code.n, sizeof(*order), time_cmp, (void *)d);
	return order;
}

static int change_cmp(const void *a, const void *b)
{
	const struct jitdump_change *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* From the last code to the first, so that an address is done with the one that was there when the
 * span began. */
void jitdump_find(const struct jitdump *d, const uint64_t *addrs, size_t n,
		  const struct jitdump_span *span, jitdump_changes *ret)
{
	_cleanup_free_ uint32_t *order = order_of(d, span);
	_cleanup_free_ uint32_t *n_changes = xcalloc(n + 1, sizeof(*n_changes));
	_cleanup_free_ uint64_t *latest = xcalloc(n + 1, sizeof(*latest));
	struct addrset open;

	addrset_init(&open, addrs, n);
	for (size_t k = d->code.n; k-- > 0;) {
		const struct jitdump_code *code = &d->code.v[order[k]];

		if (span && code->from_ns > span->last_ns)
			continue;
		for (size_t i = addrset_first(&open, code->start); i < n && addrs[i] < code->end;
		     i = addrset_next(&open, i)) {
			/* Of two at the same time the later in the file was there. */
			if (!n_changes[i] || latest[i] != code->from_ns)
				vec_push(ret, ((struct jitdump_change){ (uint32_t)i, order[k],
									code->from_ns }));
			latest[i] = code->from_ns;
			if (++n_changes[i] == JITDUMP_CHANGES_MAX || !span ||
			    code->from_ns <= span->first_ns)
				addrset_take(&open, i);
		}
	}
	addrset_deinit(&open);
	vec_sort(ret, change_cmp);
}

const struct jitdump_line *jitdump_line(const struct jitdump *d, const struct jitdump_code *code,
					uint64_t addr)
{
	const struct jitdump_line *lines = code->n ? &d->lines.v[code->first] : NULL;
	uint64_t at = code->lines_start + (addr - code->start);
	uint32_t lo = 0, hi = code->n; /* the first that is behind lies in [lo, hi] */

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (lines[mid].addr <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && lines[lo - 1].file ? &lines[lo - 1] : NULL;
}
