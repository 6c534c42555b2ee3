/* In: a jitdump file. Out: which code was at an address. */
#include "symbol/jitdump.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"

enum {
	JITDUMP_MAGIC = 0x4a695444, /* "JiTD" as a number: tells the byte order */
	JITDUMP_MAX = 1 << 30,
	HEADER_LEN = 40,
	RECORD_LEN = 16,
};

enum jit_record {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_DEBUG_INFO = 2,
	JIT_CODE_CLOSE = 3
};

/* Lines come in a record of their own before the code they are for. */
struct pending_lines {
	uint64_t addr;
	uint32_t first, n;
};

bool jitdump_is(int fd)
{
	uint32_t magic;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == JITDUMP_MAGIC;
}

static struct err *read_all(int fd, struct buf *ret)
{
	while (ret->len < JITDUMP_MAX) {
		buf_room(ret, 1 << 18);
		ssize_t n = pread(fd, ret->data + ret->len, 1 << 18, (off_t)ret->len);

		if (n < 0 && errno != EINTR)
			return err_sys(errno, "cannot read a jitdump file");
		if (!n)
			return NULL;
		ret->len += n > 0 ? (size_t)n : 0;
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

static void read_lines(struct jitdump *d, struct cursor *c, struct pending_lines *pending)
{
	*pending = (struct pending_lines){ .first = (uint32_t)d->lines.n };
	pending->addr = cursor_u64(c);
	uint64_t n = cursor_u64(c);

	for (uint64_t i = 0; i < n && !c->failed; i++) {
		struct jitdump_line line = { .addr = cursor_u64(c) };

		line.line = cursor_u32(c);
		cursor_skip(c, 4); /* discriminator */
		line.file = cursor_cstr(c);
		if (c->failed)
			break;
		if (!is_text(line.file))
			line.file = NULL;
		vec_push(&d->lines, line);
		pending->n++;
	}
}

static void read_load(struct jitdump *d, struct cursor *c, uint64_t time_ns,
		      struct pending_lines *pending)
{
	struct jitdump_code code = { .from_ns = time_ns };

	cursor_skip(c, 4 + 4 + 8); /* pid, tid, vma */
	code.start = cursor_u64(c);
	uint64_t len = cursor_u64(c);

	code.index = cursor_u64(c);
	code.name = cursor_cstr(c);
	if (c->failed || !len || __builtin_add_overflow(code.start, len, &code.end))
		return;
	if (pending->addr == code.start) {
		code.first = pending->first;
		code.n = pending->n;
	}
	code.lines_start = code.start;
	/* V8 counts the ELF header that perf will put before the code, 64 bytes. */
	if (code.n && d->lines.v[code.first].addr == code.start + 64)
		code.lines_start += 64;
	*pending = (struct pending_lines){ 0 };
	vec_push(&d->code, code);
}

static void read_move(struct jitdump *d, struct cursor *c, uint64_t time_ns)
{
	cursor_skip(c, 4 + 4 + 8);
	uint64_t from = cursor_u64(c);
	uint64_t to = cursor_u64(c);
	uint64_t len = cursor_u64(c);
	uint64_t index = cursor_u64(c);

	if (c->failed)
		return;
	for (size_t i = d->code.n; i-- > 0;) {
		struct jitdump_code code = d->code.v[i];

		if (code.start != from || code.index != index)
			continue;
		code.from_ns = time_ns;
		code.start = to;
		if (!len || __builtin_add_overflow(to, len, &code.end))
			return;
		vec_push(&d->code, code);
		return;
	}
}

struct err *jitdump_read(int fd, struct jitdump *ret)
{
	struct pending_lines pending = { 0 };
	struct jitdump d = { 0 };
	struct err *err = read_all(fd, &d.bytes);
	struct cursor c = cursor(d.bytes.data, d.bytes.len);
	uint32_t magic = cursor_u32(&c);
	uint32_t version = cursor_u32(&c);
	uint32_t header_len = cursor_u32(&c);

	if (!err && (c.failed || magic != JITDUMP_MAGIC || version != 1 || header_len < HEADER_LEN))
		err = err_new("not a jitdump file of version 1");
	if (err) {
		jitdump_deinit(&d);
		return err;
	}
	cursor_skip(&c, header_len - 12);
	for (;;) {
		uint32_t id = cursor_u32(&c);
		uint32_t len = cursor_u32(&c);
		uint64_t time_ns = cursor_u64(&c);
		const uint8_t *body = len >= RECORD_LEN ? cursor_bytes(&c, len - RECORD_LEN) : NULL;

		if (c.failed || !body || id == JIT_CODE_CLOSE)
			break;
		struct cursor record = cursor(body, len - RECORD_LEN);

		if (id == JIT_CODE_LOAD)
			read_load(&d, &record, time_ns, &pending);
		else if (id == JIT_CODE_MOVE)
			read_move(&d, &record, time_ns);
		else if (id == JIT_CODE_DEBUG_INFO)
			read_lines(&d, &record, &pending);
	}
	*ret = d;
	return NULL;
}

void jitdump_deinit(struct jitdump *d)
{
	buf_deinit(&d->bytes);
	vec_deinit(&d->code);
	vec_deinit(&d->lines);
}

static size_t lower_bound(const uint64_t *addrs, size_t n, uint64_t at)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addrs[mid] < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void jitdump_find(const struct jitdump *d, const uint64_t *addrs, size_t n, uint32_t *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = JITDUMP_NONE;
	for (size_t k = 0; k < d->code.n; k++) {
		const struct jitdump_code *code = &d->code.v[k];

		for (size_t i = lower_bound(addrs, n, code->start); i < n && addrs[i] < code->end;
		     i++) {
			if (ret[i] == JITDUMP_NONE || (ret[i] != JITDUMP_SEVERAL &&
						       !strcmp(d->code.v[ret[i]].name, code->name)))
				ret[i] = (uint32_t)k;
			else
				ret[i] = JITDUMP_SEVERAL;
		}
	}
}

const struct jitdump_line *jitdump_line(const struct jitdump *d, const struct jitdump_code *code,
					uint64_t addr)
{
	const struct jitdump_line *best = NULL;
	uint64_t at = code->lines_start + (addr - code->start);

	for (uint32_t i = 0; i < code->n; i++) {
		const struct jitdump_line *line = &d->lines.v[code->first + i];

		if (line->addr <= at && (!best || line->addr >= best->addr))
			best = line;
	}
	return best && best->file ? best : NULL;
}
