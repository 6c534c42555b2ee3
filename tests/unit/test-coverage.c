/* Unit tests of coverage: how many samples of a binary have a name, a line, an inlined call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/coverage.h"
#include "support/reporting.h"

/* Gives the place of the innermost frame of `stack` a line for each of its functions. */
static void with_line(struct memsource *m, const char *stack, uint32_t line)
{
	const struct frame *f = frametree_get(&m->data.tree, memsource_stack(m, stack));
	struct names *n = &m->data.names;
	struct name_entry *e = &n->entries.v[names_find(n, f->binary, names_key(f)) - n->entries.v];

	e->flags |= NAME_HAS_LINES;
	for (uint16_t i = 0; i < e->n; i++)
		n->lines.v[e->first + i].line = line;
}

static void expect_row(const struct coverage_row *row, struct coverage_row want)
{
	assert_int_equal(row->binary, want.binary);
	assert_int_equal(row->samples, want.samples);
	assert_int_equal(row->named, want.named);
	assert_int_equal(row->lines, want.lines);
	assert_int_equal(row->inlined, want.inlined);
	assert_int_equal(row->has_lines, want.has_lines);
	assert_int_equal(row->gone, want.gone);
	assert_int_equal(row->no_inlines, want.no_inlines);
}

static void test_innermost_frames_count(void **state)
{
	struct memsource *m = *state;
	struct reporting r;
	struct coverage c;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f", 5);
	memsource_add(m, 0, "main;f>g", 3);
	memsource_add(m, 0, "main;lib:?", 2);
	memsource_add(m, 0, "main;lib:write", 4);
	memsource_add(m, 0, "main;lib:write;k:sys_write", 1);
	with_line(m, "main;f>g", 12);
	reporting_init(&r, m, GROUP_COMM, NULL);
	coverage_init(&c, r.profile, &m->data.names);
	assert_int_equal(c.samples, 15);
	assert_int_equal(c.v.n, 3);
	expect_row(&c.v.v[0], (struct coverage_row){ m->app, 8, 8, 3, 3, true, false, false });
	expect_row(&c.v.v[1], (struct coverage_row){ m->lib, 6, 4, 0, 0, false, false, false });
	expect_row(&c.v.v[2],
		   (struct coverage_row){ BINARY_KERNEL, 1, 1, 0, 0, false, false, false });
	assert_true(coverage_has_names(&c.v.v[0]));
	assert_false(coverage_has_names(&c.v.v[1]));
	coverage_deinit(&c);
	reporting_deinit(&r);
}

/* A stack that was cut inside of every frame says nothing of a binary. */
static void test_cut_is_no_binary(void **state)
{
	struct memsource *m = *state;
	struct reporting r;
	struct coverage c;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "cut:6", 5);
	memsource_add(m, 0, "cut:3;f", 2);
	reporting_init(&r, m, GROUP_COMM, NULL);
	coverage_init(&c, r.profile, &m->data.names);
	assert_int_equal(c.v.n, 1);
	expect_row(&c.v.v[0], (struct coverage_row){ m->app, 2, 2, 0, 0, false, false, false });
	coverage_deinit(&c);
	reporting_deinit(&r);
}

/* A mapping known by its build-id and one known by its inode, of one file. */
static void test_one_row_for_a_file(void **state)
{
	struct memsource *m = *state;
	struct binary twin = {
		.kind = BINARY_KIND_FILE,
		.path = (char[]){ "/bin/app" },
		.build_id = { 1, 2, 3, 4 },
		.build_id_len = 4,
		.inode = 7,
	};
	struct reporting r;
	struct coverage c;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f", 5);
	binaries_get(&m->data.binaries, m->app)->build_id_len = 4;
	memcpy(binaries_get(&m->data.binaries, m->app)->build_id, twin.build_id, 4);
	uint32_t other = binaries_add(&m->data.binaries, &twin);
	uint32_t node = frametree_add(&m->data.tree, 0, other, 4096, FRAME_PC);

	assert_int_not_equal(other, m->app);
	memsource_sample(m, (struct sample){ 0, 1000000, 0, node, 0, 0 });
	reporting_init(&r, m, GROUP_COMM, NULL);
	coverage_init(&c, r.profile, &m->data.names);
	assert_int_equal(c.v.n, 1);
	expect_row(&c.v.v[0], (struct coverage_row){ m->app, 6, 5, 0, 0, false, false, false });
	coverage_deinit(&c);
	reporting_deinit(&r);
}

/* Code that took the place of other code is in the same binary; a file that is gone is told. */
static void test_generations_and_gone_files(void **state)
{
	struct memsource *m = *state;
	const struct binary code = { .kind = BINARY_KIND_ANON,
				     .pid = 1,
				     .path = (char[]){ "[anon]" } };
	struct name_line line = { .function = intern_add(&m->data.names.strings, "f") };
	struct reporting r;
	struct coverage c;

	memsource_thread(m, 1, 1, "app", "app");
	uint32_t anon = binaries_add(&m->data.binaries, &code);

	for (uint32_t i = 1; i <= 2; i++) {
		uint32_t binary = binaries_generation(&m->data.binaries, anon, i);
		uint32_t node = frametree_add(&m->data.tree, 0, binary, 4096, FRAME_PC);

		names_set(&m->data.names, binary, 4096, &line, 1, NAME_FOUND);
		memsource_sample(m, (struct sample){ 0, 1000000, 0, node, 0, 0 });
	}
	uint32_t gone = frametree_add(&m->data.tree, 0, m->lib, 4096, FRAME_PC);

	names_set(&m->data.names, m->lib, 4096, &line, 1, NAME_GONE | NAME_NO_INLINES);
	memsource_sample(m, (struct sample){ 0, 1000000, 0, gone, 0, 0 });
	reporting_init(&r, m, GROUP_COMM, NULL);
	coverage_init(&c, r.profile, &m->data.names);
	assert_int_equal(c.v.n, 2);
	expect_row(&c.v.v[0], (struct coverage_row){ anon, 2, 2, 0, 0, false, false, false });
	expect_row(&c.v.v[1], (struct coverage_row){ m->lib, 1, 0, 0, 0, false, true, true });
	coverage_deinit(&c);
	reporting_deinit(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_innermost_frames_count, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_cut_is_no_binary, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_one_row_for_a_file, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_generations_and_gone_files, memsource_setup,
						memsource_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
