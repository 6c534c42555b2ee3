/* Code that takes the place of other code: the table, its way through a recording, and samples that
 * follow it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "import/merge.h"
#include "profile/codefollow.h"
#include "recording/reader.h"
#include "recording/writer.h"

enum { ADDR = 0x7f0000001000, OTHER = 0x7f0000002000 };

/* A dataset with one thread, one event and the code of process 1. */
static uint32_t dataset_make(struct dataset *d)
{
	const struct thread_entry thread = {
		.pid = 1, .tid = 1, .comm = (char *)"c", .process_comm = (char *)"c"
	};
	const struct binary code = { .kind = BINARY_KIND_ANON, .pid = 1, .path = (char *)"[anon]" };
	struct event_desc event = { .name = xstrdup("cpu-clock"), .unit = xstrdup("ns") };

	dataset_init(d);
	threads_add(&d->threads, &thread);
	vec_push(&d->events, event);
	return binaries_add(&d->binaries, &code);
}

static void change(struct dataset *d, uint32_t binary, uint64_t addr, uint64_t from_ns)
{
	const struct codetimes_entry *e = codetimes_find(&d->codetimes, binary, addr);
	uint32_t n = e ? e->n : 0;
	struct codetime times[8];

	for (uint32_t i = 0; i < n; i++)
		times[i] = d->codetimes.times.v[e->first + i];
	times[n] = (struct codetime){ from_ns, binaries_generation(&d->binaries, binary, n + 1) };
	codetimes_set(&d->codetimes, binary, addr, times, n + 1);
}

static uint64_t generation_at(const struct dataset *d, uint32_t binary, uint64_t addr, uint64_t ns)
{
	return binaries_get(&d->binaries, codetimes_at(&d->codetimes, binary, addr, ns))->inode;
}

static void test_at(void **state)
{
	struct dataset d;
	uint32_t code = dataset_make(&d);

	(void)state;
	change(&d, code, ADDR, 100);
	change(&d, code, ADDR, 200);
	assert_int_equal(generation_at(&d, code, ADDR, 0), 0);
	assert_int_equal(generation_at(&d, code, ADDR, 99), 0);
	assert_int_equal(generation_at(&d, code, ADDR, 100), 1);
	assert_int_equal(generation_at(&d, code, ADDR, 199), 1);
	assert_int_equal(generation_at(&d, code, ADDR, 200), 2);
	assert_int_equal(generation_at(&d, code, ADDR, UINT64_MAX), 2);
	assert_int_equal(generation_at(&d, code, OTHER, 200), 0);
	dataset_deinit(&d);
}

/* Names of functions in them are names in one binary. */
static void test_generations_are_one_binary(void **state)
{
	struct dataset d;
	uint32_t code = dataset_make(&d);
	uint32_t first = binaries_generation(&d.binaries, code, 1);
	uint32_t second = binaries_generation(&d.binaries, code, 2);
	struct binary other = *binaries_get(&d.binaries, code);

	(void)state;
	other.pid = 2;
	uint32_t another = binaries_add(&d.binaries, &other);
	_cleanup_free_ uint32_t *same = binaries_same(&d.binaries);

	assert_int_not_equal(first, second);
	assert_int_equal(binaries_generation(&d.binaries, code, 1), first);
	assert_int_equal(same[first], code);
	assert_int_equal(same[second], code);
	assert_int_equal(same[another], another);
	dataset_deinit(&d);
}

/* What follow_at() records: main in a file, its caller's frame in the code, called at ADDR - 1. */
static void record(struct dataset *d, uint32_t code, int fd)
{
	const struct binary file = { .kind = BINARY_KIND_FILE,
				     .path = (char *)"/bin/a",
				     .inode = 7 };
	uint32_t app = binaries_add(&d->binaries, &file);
	uint32_t main_node = frametree_add(&d->tree, 0, app, 16, FRAME_RETURN);
	uint32_t jit = frametree_add(&d->tree, main_node, code, ADDR + 1, FRAME_RETURN);
	uint32_t leaf = frametree_add(&d->tree, jit, app, 32, FRAME_PC);
	struct totals totals = { .samples = 4 };
	struct writer *w;

	assert_null(writer_create(fd, CODEC_ZLIB, d, &w));
	for (uint64_t ns = 50; ns <= 250; ns += 100)
		assert_null(writer_sample(w, &(struct sample){ .time_ns = ns, .node = leaf }));
	assert_null(writer_sample(w, &(struct sample){ .time_ns = 260, .node = main_node }));
	assert_null(writer_end(w, &totals));
	assert_null(writer_code(w));
	writer_destroy(w);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
}

/* The generation that the JIT frame of each sample is of; 99: the sample has none. */
static void generations(struct source *src, uint64_t ret[4])
{
	const struct dataset *d = src->data;
	struct batch b;
	size_t n = 0;

	for (;;) {
		assert_null(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			break;
		for (size_t i = 0; i < b.n_samples; i++, n++) {
			assert_in_range(n, 0, 3);
			ret[n] = 99;
			for (uint32_t at = b.samples[i].node; at;
			     at = frametree_get(&d->tree, at)->parent) {
				const struct frame *f = frametree_get(&d->tree, at);
				const struct binary *binary = binaries_get(&d->binaries, f->binary);

				if (binary->kind != BINARY_KIND_ANON)
					continue;
				assert_int_equal(f->off, ADDR + 1);
				assert_int_equal(f->kind, FRAME_RETURN);
				ret[n] = binary->inode;
			}
		}
	}
	assert_int_equal(n, 4);
}

/* From the file, where what the samples need stands behind them. */
static void test_followed_through_a_recording(void **state)
{
	_cleanup_close_ int fd = memfd_create("recording", MFD_CLOEXEC);
	struct dataset written, read;
	struct source *src;
	uint64_t got[4];
	uint32_t code = dataset_make(&written);

	(void)state;
	change(&written, code, ADDR, 100);
	change(&written, code, ADDR, 200);
	record(&written, code, fd);
	dataset_deinit(&written);
	dataset_init(&read);
	assert_null(reader_open(fd, &read, NULL, &src));
	assert_null(reader_read_code(src));
	src = codefollow_create(src);
	generations(src, got);
	assert_int_equal(got[0], 0);
	assert_int_equal(got[1], 1);
	assert_int_equal(got[2], 2);
	assert_int_equal(got[3], 99);
	assert_true(read.totals.complete);
	assert_int_equal(read.totals.damaged_blocks, 0);
	source_destroy(src);
	dataset_deinit(&read);
}

/* A merge moves its inputs in time, and keeps their code apart. */
static void test_merged(void **state)
{
	struct dataset from, into;
	struct merge m;
	struct merge_input in;
	uint32_t code = dataset_make(&from);

	(void)state;
	change(&from, code, ADDR, 100);
	dataset_init(&into);
	merge_init(&m, &into, false);
	merge_add(&m, &from, 0, "a", &in);
	in.shift_ns = 1000;
	merge_finish(&m, &in);
	uint32_t merged = in.binaries.v[code];

	assert_int_equal(generation_at(&into, merged, ADDR, 1099), 0);
	assert_int_equal(generation_at(&into, merged, ADDR, 1100), 1);
	merge_input_deinit(&in);
	merge_deinit(&m);
	dataset_deinit(&from);
	dataset_deinit(&into);
}

/* More than one block holds. */
static void test_many(void **state)
{
	enum { N = 40000 };
	_cleanup_close_ int fd = memfd_create("recording", MFD_CLOEXEC);
	struct dataset written, read;
	struct source *src;
	uint64_t got[4];
	uint32_t code = dataset_make(&written);

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		change(&written, code, ADDR + 16 * i, 1000000000000 + i);
	record(&written, code, fd);
	dataset_init(&read);
	assert_null(reader_open(fd, &read, NULL, &src));
	assert_null(reader_read_code(src));
	assert_int_equal(read.codetimes.entries.n, N);
	generations(src, got);
	assert_int_equal(read.codetimes.entries.n, N); /* read again, the same */
	for (uint64_t i = 0; i < N; i++) {
		const struct codetimes_entry *e = &read.codetimes.entries.v[i];

		assert_int_equal(e->off, ADDR + 16 * i);
		assert_int_equal(read.codetimes.times.v[e->first].from_ns, 1000000000000 + i);
	}
	source_destroy(src);
	dataset_deinit(&read);
	dataset_deinit(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at),
		cmocka_unit_test(test_generations_are_one_binary),
		cmocka_unit_test(test_followed_through_a_recording),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
