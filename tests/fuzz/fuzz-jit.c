/* In: any bytes, as what a JIT compiler left of its code. Out: nothing, if reading it and asking it
 * for addresses, their names and how to unwind there leads nowhere else and ends. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "symbol/jitdump.h"
#include "symbol/jitnames.h"
#include "unwind/jitreader.h"

static const uint64_t addrs[] = { 0,      0x1000,     0x1001,         0x10ff,
				  0x2000, 0x1ffff000, 0x7fffffffffff, UINT64_MAX };

enum { N_ADDRS = sizeof(addrs) / sizeof(addrs[0]) };

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_changes(const struct jitdump *d, const jitdump_changes *changes)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct jitdump_change *c = &changes->v[i];
		const struct jitdump_change *before = i ? c - 1 : NULL;

		must(c->addr < N_ADDRS && c->code < d->code.n);
		const struct jitdump_code *code = &d->code.v[c->code];

		must(code->start <= addrs[c->addr] && addrs[c->addr] < code->end);
		must(!before || before->addr < c->addr ||
		     (before->addr == c->addr && before->from_ns < c->from_ns));
		must((size_t)code->first + code->n <= d->lines.n);
		must((const uint8_t *)code->name >= d->bytes.data);
		must((const uint8_t *)code->name + strlen(code->name) <
		     d->bytes.data + d->bytes.len);
		jitdump_line(d, code, addrs[c->addr]);
	}
}

static void check_dump(int fd)
{
	const struct jitdump_span span = { 10, 1000 };
	jitdump_changes changes = { 0 };
	struct jitdump d;
	struct err *err = jitdump_read(fd, &d);

	if (err) {
		err_destroy(err);
		return;
	}
	jitdump_find(&d, addrs, N_ADDRS, jitdump_has_times(&d, &span) ? &span : NULL, &changes);
	check_changes(&d, &changes);
	vec_deinit(&changes);
	jitdump_deinit(&d);
}

static void check_names(int fd)
{
	const struct binary code = { .kind = BINARY_KIND_ANON, .pid = 1, .path = (char *)"[anon]" };
	struct dataset data;
	struct diag diag = { 0 };
	struct jitnames j = {
		.data = &data, .keys = addrs, .n = N_ADDRS, .standin = "[anon]", .diag = &diag
	};

	dataset_init(&data);
	data.meta.clockid = 1;
	j.binary = binaries_add(&data.binaries, &code);
	err_destroy(jitnames_run(&j, fd));
	for (size_t i = 0; i < data.codetimes.entries.n; i++) {
		const struct codetimes_entry *e = &data.codetimes.entries.v[i];

		for (uint32_t k = 0; k < e->n; k++)
			must(names_find(&data.names, data.codetimes.times.v[e->first + k].binary,
					e->off));
	}
	dataset_deinit(&data);
	diag_deinit(&diag);
}

/* Read as it grows, the second half later. */
static void check_unwinding(const uint8_t *bytes, size_t size)
{
	struct jitcode *j = jitcode_create(&arch_x86_64);
	struct jitreader r = { 0 };
	size_t at = 0;

	for (int half = 1; half <= 2 && !r.closed; half++) {
		struct cursor c = cursor(bytes + at, size * (size_t)half / 2 - at);
		struct jitcode_batch batch;

		err_destroy(jitreader_read(&r, &c, &batch));
		at += cursor_offset(&c);
		for (size_t i = 0; i < batch.pieces.n; i++) {
			const struct jitcode_piece *p = &batch.pieces.v[i];

			must(p->start < p->end && p->entry < batch.entries.n);
			must(!i || p[-1].end <= p->start);
		}
		jitcode_take(j, &batch);
		for (size_t i = 0; i < N_ADDRS; i++) {
			struct row row;

			jitcode_row(j, addrs[i], &row);
		}
	}
	jitreader_deinit(&r);
	jitcode_destroy(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	check_dump(fd);
	check_names(fd);
	check_unwinding(bytes, size);
	close(fd);
	return 0;
}

static void put_record(struct buf *b, uint32_t id, uint64_t time_ns, const struct buf *body)
{
	buf_u32(b, id);
	buf_u32(b, (uint32_t)(16 + body->len));
	buf_u64(b, time_ns);
	buf_bytes(b, body->data, body->len);
}

static void put_words(struct buf *b, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_u64(b, words[i]);
}

static void put_code(struct buf *b, uint64_t time_ns, uint64_t start, const char *name)
{
	const uint64_t lines[] = { start, 2, start, 7 };
	const uint64_t load[] = { 1, start, start, 0x100, time_ns };
	struct buf body = { 0 };

	put_words(&body, lines, 4);
	buf_cstr(&body, "f.js");
	buf_u64(&body, start + 4);
	buf_u64(&body, 9);
	buf_cstr(&body, "\xff");
	put_record(b, 2, time_ns, &body);
	body.len = 0;
	put_words(&body, load, 5);
	buf_cstr(&body, name);
	put_record(b, 0, time_ns, &body);
	buf_deinit(&body);
}

/* .eh_frame of 256 bytes of code: a CIE, an FDE, the end. */
static const uint8_t frames[] = {
	20,   0,    0,    0,    0,    0, 0, 0, 1,  'z',  'R', 0,  1,  0x78, 16, 1,
	0x1b, 0x0c, 7,    8,    0x90, 1, 0, 0, 16, 0,    0,   0,  28, 0,    0,  0,
	0xe0, 0xfe, 0xff, 0xff, 0,    1, 0, 0, 0,  0x44, 14,  32, 0,  0,    0,  0,
};

/* A dump with everything in it, and a map. */
bool fuzz_seed(unsigned int i, struct buf *ret)
{
	static const uint64_t move[] = { 1, 0x2000, 0x1000, 0x2000, 0x100, 20 };
	static const uint64_t unwinding[] = { sizeof(frames), 0, 0 };
	static const char map[] = "1000 100 a\n10ff 20 b c\n2000 1 a\n";
	struct buf body = { 0 };

	if (i > 1)
		return false;
	if (i) {
		buf_bytes(ret, map, sizeof(map) - 1);
		return true;
	}
	buf_u32(ret, 0x4a695444);
	buf_u32(ret, 1);
	buf_u32(ret, 40);
	for (int k = 0; k < 7; k++)
		buf_u32(ret, 0);
	put_code(ret, 5, 0x1000, "a");
	put_code(ret, 20, 0x1000, "b");
	put_words(&body, unwinding, 3);
	buf_bytes(&body, frames, sizeof(frames));
	put_record(ret, 4, 25, &body);
	body.len = 0;
	put_words(&body, move, 6);
	put_record(ret, 1, 30, &body);
	put_code(ret, 40, 0x1000, "c");
	buf_deinit(&body);
	return true;
}
