/* In: any bytes, as a perf.data file or as text. Out: nothing, if the importers hold. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/importing.h"
#include "import/perfwrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct totals totals;
	struct diag diag = { 0 };

	importing_read(bytes, size, &totals, &diag);
	diag_deinit(&diag);
	return 0;
}

static void must(struct err *err)
{
	if (err)
		abort();
}

static void seed_tables(struct dataset *d)
{
	struct binary b = { .kind = BINARY_KIND_FILE, .path = (char *)"/bin/a", .inode = 7 };
	struct thread_entry t = {
		.pid = 1, .tid = 2, .comm = (char *)"comm", .process_comm = (char *)"main"
	};
	struct event_desc clock = { .name = xstrdup("cpu-clock"), .unit = xstrdup("ns") };
	struct event_desc cycles = { .name = xstrdup("cycles"), .unit = xstrdup("events") };

	binaries_add(&d->binaries, &b);
	threads_add(&d->threads, &t);
	vec_push(&d->events, clock);
	vec_push(&d->events, cycles);
}

/* A file as perf(1) writes it. */
static void seed_perfdata(struct buf *ret)
{
	enum { CAP = 1 << 16 };
	int fd = memfd_create("seed", 0);
	struct dataset d;
	struct perfwrite *w;
	struct proc_event map = {
		.kind = PROC_MMAP, .pid = 1, .binary = 2, .start = 1 << 20, .len = 4096
	};
	struct proc_event comm = {
		.kind = PROC_COMM, .pid = 1, .tid = 2, .comm = "new", .time_ns = 9
	};

	dataset_init(&d);
	seed_tables(&d);
	must(perfwrite_create(fd, &d, &w));
	perfwrite_event(w, &map);
	perfwrite_event(w, &comm);
	for (unsigned int i = 0; i < 40; i++) {
		uint32_t node = frametree_add(&d.tree, 0, 2, i % 7 * 16, FRAME_RETURN);

		node = frametree_add(&d.tree, node, i % 3, i % 5 * 16, FRAME_PC);
		must(perfwrite_sample(w, &(struct sample){ .time_ns = 1000 + i % 11 * 10,
							   .period = i,
							   .node = node,
							   .event = i % 2 }));
	}
	must(perfwrite_end(w));
	buf_room(ret, CAP);
	ssize_t n = pread(fd, ret->data, CAP, 0);

	if (n <= 0)
		abort();
	ret->len = (size_t)n;
	perfwrite_destroy(w);
	dataset_deinit(&d);
	close(fd);
}

/* The records of that file behind the header of a stream, its attr in a record. */
static void seed_pipe(struct buf *ret)
{
	enum { ATTR_LEN = 136 };
	struct buf file = { 0 };
	uint64_t at[4];

	seed_perfdata(&file);
	memcpy(at, file.data + 24, sizeof(at)); /* attrs and data: offset, length */
	buf_bytes(ret, "PERFILE2\20\0\0\0\0\0\0", 16);
	for (uint64_t i = 0; i < 2; i++) {
		buf_u32(ret, 64);
		buf_u16(ret, 0);
		buf_u16(ret, 8 + ATTR_LEN + 8);
		buf_bytes(ret, file.data + at[0] + i * (ATTR_LEN + 16), ATTR_LEN);
		buf_u64(ret, i + 1);
	}
	buf_bytes(ret, file.data + at[2], at[3]);
	buf_bytes(ret, "\104\0\0\0\0\0\10\0", 8); /* FINISHED_ROUND */
	buf_deinit(&file);
}

bool fuzz_seed(unsigned int i, struct buf *ret)
{
	static const char script[] =
		"java 24636/25607 [000] 4794564.109216: 12 cycles:\n"
		"\tffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])\n"
		"\t          414b3b Ljava/lang/X;.call(I)V (/tmp/perf-24636.map)\n"
		"\t               0 [unknown] ([unknown])\n"
		"\n"
		"V8 Worker 7 1.5: cpu-clock:u:  40 a->b (/bin/x)\n"
		"\n"
		"dd 29776 666709.771979:   10101010 cpu-clock: \n"
		"          3d6b4c vfs_read (/lib/modules/4.1.0/build/vmlinux)\n"
		"\n";
	static const char folded[] = "a;b;c 12\na;b;d_[k] 1.5\na;b 3\n;x 4\nb c;d 5 7\n";

	switch (i) {
	case 0:
		seed_perfdata(ret);
		return true;
	case 1:
		seed_pipe(ret);
		return true;
	case 2:
		buf_bytes(ret, script, strlen(script));
		return true;
	case 3:
		buf_bytes(ret, folded, strlen(folded));
		return true;
	default:
		return false;
	}
}
