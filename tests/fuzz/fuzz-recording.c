/* In: any bytes, as a recording ('F' and a file), or as bodies of blocks whose check sums are right
 * ('B' and records {u8 kind, u16 length, body}). Out: nothing, if the reader holds. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/checks.h"
#include "fuzz/fuzz.h"
#include "profile/codefollow.h"
#include "recording/reader.h"
#include "recording/sink.h"
#include "recording/writer.h"

static void must(struct err *err)
{
	if (err)
		abort();
}

static int open_file(void)
{
	int fd = memfd_create("fuzz", 0);

	if (fd < 0)
		abort();
	return fd;
}

static void write_bodies(int fd, struct cursor c)
{
	struct sink sink;
	struct parts parts = { 0 };

	sink_init(&sink, fd, CODEC_NONE);
	must(sink_file_header(&sink));
	while (cursor_left(&c) >= 3) {
		uint8_t kind = cursor_u8(&c);
		uint64_t len = cursor_u16(&c);

		parts_reset(&parts);
		if (len > cursor_left(&c))
			len = cursor_left(&c);
		buf_bytes(&parts.raw, c.p, len);
		cursor_skip(&c, len);
		must(sink_block(&sink, kind, 0, &parts));
	}
	parts_deinit(&parts);
	sink_deinit(&sink);
}

static void read_file(int fd)
{
	struct dataset data;
	struct source *src;

	dataset_init(&data);
	lseek(fd, 0, SEEK_SET);
	struct err *err = reader_open(fd, &data, NULL, &src);

	if (err) {
		err_destroy(err);
		dataset_deinit(&data);
		return;
	}
	must(reader_read_code(src));
	src = codefollow_create(src);
	for (;;) {
		struct batch b;

		must(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			break;
		checks_batch(&data, &b);
	}
	checks_tables(&data);
	source_destroy(src);
	dataset_deinit(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = open_file();

	if (size && bytes[0] == 'B')
		write_bodies(fd, cursor(bytes + 1, size - 1));
	else if (size && write(fd, bytes + 1, size - 1) != (ssize_t)size - 1)
		abort();
	read_file(fd);
	close(fd);
	return 0;
}

static void seed_tables(struct dataset *d)
{
	struct binary b = { .kind = BINARY_KIND_FILE, .path = (char *)"/bin/a", .inode = 7 };
	struct thread_entry t = {
		.pid = 1, .tid = 2, .comm = (char *)"comm", .process_comm = (char *)"main"
	};
	struct event_desc e = { .name = xstrdup("cpu-clock"),
				.unit = xstrdup("ns"),
				.interval_ns = 1000 };

	binaries_add(&d->binaries, &b);
	threads_add(&d->threads, &t);
	vec_push(&d->events, e);
}

static void seed_samples(struct writer *w, struct dataset *d, unsigned int n)
{
	struct proc_event comm = { .kind = PROC_COMM, .pid = 1, .tid = 2, .comm = "new" };
	struct proc_event map = { .kind = PROC_MMAP, .pid = 1, .binary = 2, .len = 4096 };

	must(writer_event(w, &map));
	for (unsigned int i = 0; i < n; i++) {
		uint32_t node = frametree_add(&d->tree, 0, i % 3, i % 7 * 16, FRAME_RETURN);

		node = frametree_add(&d->tree, node, 2, i % 5 * 16, FRAME_PC);
		must(writer_sample(w, &(struct sample){ .time_ns = 1000000 + i * 1010,
							.period = 1000 + i / 9,
							.node = node,
							.cpu = i % 2 }));
		if (i % 16 == 5)
			must(writer_event(w, &comm));
	}
}

static void seed_recording(int fd, unsigned int n_samples)
{
	struct dataset d;
	struct writer *w;
	const struct codetime times[] = { { 1002000, 1 }, { 1004000, 2 } };
	struct name_line lines[2];
	size_t from = 0;

	dataset_init(&d);
	seed_tables(&d);
	for (int i = 0; i < 2; i++)
		lines[i] = (struct name_line){ intern_add(&d.names.strings, i ? "f" : "g"),
					       intern_add(&d.names.strings, "/a.c"), 12 };
	names_set(&d.names, 2, 16, lines, 2, NAME_FOUND);
	names_set(&d.names, 1, 32, lines, 1, 0);
	codetimes_set(&d.codetimes, 2, 16, times, 2);
	must(writer_create(fd, CODEC_NONE, &d, &w));
	seed_samples(w, &d, n_samples);
	must(writer_restart(w));
	frametree_clear(&d.tree);
	seed_samples(w, &d, 9);
	must(writer_end(w, &(struct totals){ .samples = n_samples + 9, .lost = 3 }));
	must(writer_names(w, &d.names, &from));
	must(writer_code(w));
	writer_destroy(w);
	dataset_deinit(&d);
}

/* The blocks of an uncompressed recording as 'B' has them. */
static void seed_bodies(const uint8_t *p, size_t len, struct buf *ret)
{
	struct cursor c = cursor(p, len);

	cursor_skip(&c, SINGE_FILE_HEADER_LEN);
	while (cursor_left(&c)) {
		const uint8_t *h = cursor_bytes(&c, SINGE_BLOCK_HEADER_LEN);
		uint32_t stored = 0;

		if (!h)
			abort();
		memcpy(&stored, h + 12, 4);
		buf_u8(ret, h[4]);
		buf_u16(ret, (uint16_t)stored);
		buf_bytes(ret, cursor_bytes(&c, stored), stored);
	}
}

bool fuzz_seed(unsigned int i, struct buf *ret)
{
	enum { CAP = 1 << 16 };
	uint8_t *bytes = xmalloc(CAP);
	int fd = open_file();

	if (i < 3) {
		seed_recording(fd, i == 1 ? 3000 : 40);
		ssize_t n = pread(fd, bytes, CAP, 0);

		if (n <= 0)
			abort();
		buf_u8(ret, i < 2 ? 'F' : 'B');
		if (i < 2)
			buf_bytes(ret, bytes, (size_t)n);
		else
			seed_bodies(bytes, (size_t)n, ret);
	}
	close(fd);
	free(bytes);
	return i < 3;
}
