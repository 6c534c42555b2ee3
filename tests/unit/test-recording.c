/* Round trips through writer and reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "recording-fixture.h"

static void assert_same_lines(const struct lines *a, const struct lines *b)
{
	assert_int_equal(a->v.n, b->v.n);
	for (size_t i = 0; i < a->v.n; i++)
		assert_string_equal(a->v.v[i], b->v.v[i]);
}

static void round_trip(enum codec codec, unsigned int n, unsigned int restarts)
{
	struct fixture f;
	struct result r;

	if (!codec_available(codec))
		return;
	fixture_init(&f, codec, n);
	for (unsigned int i = 0; i <= restarts; i++) {
		if (i)
			fixture_restart(&f);
		fixture_samples(&f, n);
	}
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_same_lines(&f.expected, &r.lines);
	assert_true(r.data.totals.complete);
	assert_int_equal(r.data.totals.damaged_blocks, 0);
	assert_int_equal(r.data.totals.lost_in_file, 0);
	assert_int_equal(r.diag.entries.n, 0);
	assert_int_equal(r.end_offset, writer_size(f.w));
	assert_int_equal(r.data.binaries.v.n, f.data.binaries.v.n);
	assert_int_equal(r.data.threads.v.n, n ? f.data.threads.v.n : 0);
	result_deinit(&r);
	fixture_deinit(&f);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (enum codec codec = CODEC_NONE; codec <= CODEC_ZSTD; codec++) {
		round_trip(codec, 50, 0);
		round_trip(codec, 8000, 2);
	}
}

static void test_header_and_totals(void **state)
{
	struct fixture f;
	struct result r;

	(void)state;
	fixture_init(&f, CODEC_ZLIB, 1);
	vec_push(&f.data.meta.fallbacks, xstrdup("found out later"));
	fixture_samples(&f, 10);
	fixture_end(&f);
	result_read(&r, f.fd);
	const struct meta *m = &r.data.meta;

	assert_string_equal(m->host, "host.example");
	assert_string_equal(m->cmdline, "singe record -p 1");
	assert_string_equal(m->boot_id, "");
	assert_string_equal(m->callgraph, "fp");
	assert_int_equal(m->kernel_build_id_len, 3);
	assert_memory_equal(m->kernel_build_id, "\1\2\3", 3);
	assert_int_equal(m->kernel_stext, 0xffffffff81000000);
	assert_int_equal(m->wall_start_ns, 1700000000000000000);
	assert_int_equal(m->n_cpus, 3);
	assert_int_equal(m->fallbacks.n, 2);
	assert_string_equal(m->fallbacks.v[1], "found out later");
	const struct event_desc *e = &r.data.events.v[0];

	assert_int_equal(r.data.events.n, 2);
	assert_string_equal(e->name, "cpu-clock");
	assert_string_equal(e->unit, "ns");
	assert_true(e->is_clock && e->is_freq);
	assert_int_equal(e->rate, 999);
	assert_int_equal(e->interval_ns, 1001001);
	assert_int_equal(e->attr_len, 4);
	assert_memory_equal(e->attr, "attr", 4);
	const struct totals *t = &r.data.totals;

	assert_int_equal(t->samples, 10);
	assert_int_equal(t->lost, 7);
	assert_int_equal(t->lost_sideband, 6);
	assert_int_equal(t->throttled, 5);
	assert_int_equal(t->duplicates, 4);
	assert_int_equal(t->first_ns, 3);
	assert_int_equal(t->last_ns, f.time_ns);
	assert_int_equal(t->recorder_cpu_ns, 2);
	assert_int_equal(t->end_ns, f.time_ns + 1);
	result_deinit(&r);
	fixture_deinit(&f);
}

/* The same stack in two dictionaries is one node for the reader. */
static void test_numbers_survive_a_restart(void **state)
{
	struct fixture f;
	struct result r;
	struct sample s = { .time_ns = 5, .period = 1, .cpu = 0 };

	(void)state;
	fixture_init(&f, CODEC_NONE, 1);
	for (int i = 0; i < 3; i++) {
		if (i)
			fixture_restart(&f);
		for (int k = 0; k < i; k++)
			frametree_add(&f.data.tree, 0, 2, 99, FRAME_PC);
		s.node = frametree_add(&f.data.tree, 0, 3, 0x10, FRAME_RETURN);
		s.node = frametree_add(&f.data.tree, s.node, 2, 0x20, FRAME_PC);
		assert_null(writer_sample(f.w, &s));
	}
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_int_equal(r.lines.v.n, 3);
	assert_string_equal(r.lines.v.v[0], r.lines.v.v[2]);
	assert_int_equal(r.data.tree.frames.n, 1 + 3);
	result_deinit(&r);
	fixture_deinit(&f);
}

/* A build-id that is read while recording reaches the reader, as the same binary. */
static void test_binary_learns(void **state)
{
	struct fixture f;
	struct result r;

	(void)state;
	fixture_init(&f, CODEC_ZLIB, 3);
	fixture_samples(&f, 100);
	assert_null(writer_flush(f.w));
	struct binary *b = binaries_get(&f.data.binaries, 2);

	b->build_id_len = 20;
	memset(b->build_id, 0xab, 20);
	b->size = 777;
	b->mtime_ns = 888;
	b->revision++;
	fixture_restart(&f);
	fixture_samples(&f, 100);
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_same_lines(&f.expected, &r.lines);
	assert_int_equal(r.data.binaries.v.n, f.data.binaries.v.n);
	for (uint32_t i = 0; i < r.data.binaries.v.n; i++) {
		const struct binary *got = binaries_get(&r.data.binaries, i);

		if (strcmp(got->path, "/bin/a") != 0)
			continue;
		assert_int_equal(got->build_id_len, 20);
		assert_int_equal(got->build_id[19], 0xab);
		assert_int_equal(got->size, 777);
		assert_int_equal(got->mtime_ns, 888);
		assert_int_equal(got->revision, 1);
	}
	result_deinit(&r);
	fixture_deinit(&f);
}

static void add_names(struct names *n, const struct dataset *d, unsigned int count, const char *tag)
{
	for (unsigned int i = 0; i < count; i++) {
		_cleanup_free_ char *name = xasprintf("%s<function number %u>", tag, i);
		struct name_line lines[2] = {
			{ .function = intern_add(&n->strings, name), .line = i },
			{ .function = intern_add(&n->strings, "outer"),
			  .file = intern_add(&n->strings, "/src/a.cc"),
			  .line = 1u << 31 },
		};

		names_set(n, i % (uint32_t)d->binaries.v.n, i * 16, lines, 1 + i % 2, NAME_FOUND);
	}
}

static void test_names(void **state)
{
	enum { N = 30000 };
	struct fixture f;
	struct result r;
	size_t from = 0;

	(void)state;
	fixture_init(&f, CODEC_ZLIB, 3);
	fixture_samples(&f, 10);
	fixture_end(&f);
	uint64_t size = writer_size(f.w);

	add_names(&f.data.names, &f.data, N, "old");
	add_names(&f.data.names, &f.data, N / 2, "new");
	/* As `resolve` does it: by another writer, which never wrote a sample. */
	struct writer *w = writer_append(f.fd, CODEC_ZLIB, &f.data);

	assert_null(writer_names(w, &f.data.names, &from));
	assert_int_equal(from, N);
	assert_true(writer_size(w) > 0);
	writer_destroy(w);
	result_read(&r, f.fd);
	assert_int_equal(r.data.names.entries.n, N);
	assert_true(r.end_offset > size);
	for (size_t i = 0; i < N; i++) {
		const struct name_entry *want = &f.data.names.entries.v[i];
		const struct name_entry *got = NULL;
		const char *path = binaries_get(&f.data.binaries, want->binary)->path;

		for (uint32_t b = 0; b < r.data.binaries.v.n; b++) {
			if (!strcmp(binaries_get(&r.data.binaries, b)->path, path))
				got = names_find(&r.data.names, b, want->off);
		}
		assert_non_null(got);
		assert_int_equal(got->n, want->n);
		assert_int_equal(got->flags, want->flags);
		for (uint16_t k = 0; k < got->n; k++) {
			const struct name_line *a = &f.data.names.lines.v[want->first + k];
			const struct name_line *b = &r.data.names.lines.v[got->first + k];

			assert_string_equal(intern_str(&f.data.names.strings, a->function),
					    intern_str(&r.data.names.strings, b->function));
			assert_string_equal(intern_str(&f.data.names.strings, a->file),
					    intern_str(&r.data.names.strings, b->file));
			assert_int_equal(a->line, b->line);
		}
	}
	result_deinit(&r);
	fixture_deinit(&f);
}

static void test_extreme_values(void **state)
{
	static const struct sample extremes[] = {
		{ .time_ns = 0, .period = 0, .cpu = 0 },
		{ .time_ns = UINT64_MAX, .period = UINT64_MAX, .cpu = UINT32_MAX },
		{ .time_ns = UINT64_MAX / 2, .period = 1, .cpu = UINT32_MAX - 1, .event = 1 },
		{ .time_ns = 1, .period = UINT64_MAX / 2 + 1, .cpu = 0 },
	};
	struct fixture f;
	struct source *src;
	struct dataset data;
	struct batch b;

	(void)state;
	fixture_init(&f, CODEC_ZLIB, 1);
	for (size_t i = 0; i < 4; i++)
		assert_null(writer_sample(f.w, &extremes[i]));
	fixture_end(&f);
	dataset_init(&data);
	lseek(f.fd, 0, SEEK_SET);
	assert_null(reader_open(f.fd, &data, NULL, &src));
	assert_null(src->next(src, &b));
	assert_int_equal(b.n_samples, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(b.samples[i].time_ns == extremes[i].time_ns);
		assert_true(b.samples[i].period == extremes[i].period);
		assert_int_equal(b.samples[i].cpu, extremes[i].cpu);
		assert_int_equal(b.samples[i].event, extremes[i].event);
	}
	source_destroy(src);
	dataset_deinit(&data);
	fixture_deinit(&f);
}

/* A tree that grows by more nodes than one block holds. */
static void test_many_nodes_at_once(void **state)
{
	enum { N = 300000 };
	struct fixture f;
	struct result r;
	struct sample s = { .time_ns = 1, .cpu = 0 };

	(void)state;
	fixture_init(&f, CODEC_ZLIB, 1);
	for (uint32_t i = 0; i < N; i++)
		s.node = frametree_add(&f.data.tree, i % 1000 ? s.node : 0, 2 + i % 2,
				       (uint64_t)i << 40, FRAME_RETURN);
	assert_null(writer_sample(f.w, &s));
	fixture_end(&f);
	result_read(&r, f.fd);
	assert_int_equal(r.lines.v.n, 1);
	assert_int_equal(r.data.tree.frames.n, N + 1);
	assert_int_equal(r.data.totals.damaged_blocks, 0);
	result_deinit(&r);
	fixture_deinit(&f);
}

static void test_a_block_is_closed_after_a_second(void **state)
{
	struct fixture f;
	uint64_t size;

	(void)state;
	fixture_init(&f, CODEC_ZLIB, 1);
	fixture_samples(&f, 1);
	size = writer_size(f.w);
	assert_null(writer_tick(f.w, f.time_ns + 900000000));
	assert_int_equal(writer_size(f.w), size);
	assert_null(writer_tick(f.w, f.time_ns + 1000000000));
	assert_true(writer_size(f.w) > size);
	fixture_deinit(&f);
}

static void test_restart_is_due(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, CODEC_NONE, 1);
	assert_false(writer_restart_due(f.w));
	for (uint32_t i = 0; i < 1000000; i++)
		frametree_add(&f.data.tree, i, 2, i, FRAME_RETURN);
	assert_true(writer_restart_due(f.w));
	fixture_restart(&f);
	assert_false(writer_restart_due(f.w));
	fixture_deinit(&f);
}

/* Through a pipe that is never ready for all of a block. */
static void test_pipe(void **state)
{
	struct fixture f;
	struct result r;
	size_t len;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	fixture_init(&f, CODEC_NONE, 9);
	fixture_samples(&f, 200);
	fixture_end(&f);
	uint8_t *bytes = fixture_bytes(&f, &len);

	assert_true(len < 60000);
	assert_int_equal(write(fds[1], bytes, len), len);
	close(fds[1]);
	result_read(&r, fds[0]);
	assert_same_lines(&f.expected, &r.lines);
	result_deinit(&r);
	close(fds[0]);
	free(bytes);
	fixture_deinit(&f);
}

static void test_magic(void **state)
{
	struct fixture f;
	size_t len;

	(void)state;
	fixture_init(&f, CODEC_NONE, 9);
	uint8_t *bytes = fixture_bytes(&f, &len);

	assert_true(reader_magic(bytes, 8));
	assert_false(reader_magic(bytes, 7));
	assert_false(reader_magic("PERFILE2", 8));
	free(bytes);
	fixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_header_and_totals),
		cmocka_unit_test(test_numbers_survive_a_restart),
		cmocka_unit_test(test_binary_learns),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_extreme_values),
		cmocka_unit_test(test_many_nodes_at_once),
		cmocka_unit_test(test_a_block_is_closed_after_a_second),
		cmocka_unit_test(test_restart_is_due),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_magic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
