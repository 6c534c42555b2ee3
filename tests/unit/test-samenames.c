/* Functions of one name in several binaries: what tells them apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/samenames.h"
#include "support/reporting.h"

/* A sample in a function of that name. */
static void sample_in(struct memsource *m, const struct binary *like, const char *name)
{
	uint32_t binary = binaries_add(&m->data.binaries, like);
	uint64_t off = 16 * (uint64_t)intern_add(&m->words, name);
	struct name_line line = { .function = intern_add(&m->data.names.strings, name) };

	names_set(&m->data.names, binary, off, &line, 1, NAME_FOUND);
	memsource_sample(m, (struct sample){ .node = frametree_add(&m->data.tree, 0, binary, off,
								   FRAME_PC) });
}

static struct binary file(const char *path, const char *build_id)
{
	struct binary b = { .kind = BINARY_KIND_FILE, .path = (char *)path };

	b.build_id_len = (uint8_t)strlen(build_id);
	memcpy(b.build_id, build_id, b.build_id_len);
	return b;
}

static struct binary code_of(uint32_t pid)
{
	return (struct binary){ .kind = BINARY_KIND_ANON, .path = (char *)"//anon", .pid = pid };
}

/* What is said of each function of that name, in the order of the samples. */
static void expect(struct memsource *m, const char *name, const char *const *want)
{
	struct reporting r;
	struct samenames s;

	reporting_init(&r, m, GROUP_NONE, NULL);
	samenames_init(&s, r.tree);
	assert_int_equal(s.n, r.tree->funcs.n);
	for (size_t i = 0; i < s.n; i++) {
		if (strcmp(r.tree->funcs.v[i].name, name) != 0)
			continue;
		assert_non_null(*want);
		assert_string_equal(s.of[i] ?: "", *want++);
	}
	assert_null(*want);
	samenames_deinit(&s);
	reporting_deinit(&r);
}

#define EXPECT(m, name, ...) expect(m, name, (const char *const[]){ __VA_ARGS__, NULL })

static void test_a_name_alone(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f>g", 1);
	memsource_add(m, 0, "main;g", 1);
	memsource_add(m, 0, "main;lib:h", 1);
	EXPECT(m, "main", "");
	EXPECT(m, "g", "", ""); /* one is inlined */
	EXPECT(m, "h", "");
}

static void test_binaries_of_two_names(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f>g", 1);
	memsource_add(m, 0, "main;g", 1);
	memsource_add(m, 0, "main;lib:g", 1);
	memsource_add(m, 0, "main;k:g", 1);
	memsource_add(m, 0, "main;lib:main", 1);
	EXPECT(m, "main", "app", "libx.so.1");
	EXPECT(m, "g", "app", "app", "libx.so.1", "[kernel]");
}

static void test_binaries_of_one_name(void **state)
{
	struct binary a = file("/a/libz.so", "1"), b = file("/b/libz.so", "2");
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "f", 1);
	sample_in(m, &a, "f");
	sample_in(m, &b, "f");
	sample_in(m, &a, "only here");
	EXPECT(m, "f", "app", "/a/libz.so", "/b/libz.so");
	EXPECT(m, "only here", "");
}

static void test_binaries_of_one_path(void **state)
{
	struct binary a = file("/a/libz.so", "1"), b = file("/a/libz.so", "2");
	struct binary c = { .kind = BINARY_KIND_FILE, .path = (char *)"/a/libz.so", .inode = 5 };
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	sample_in(m, &a, "f");
	sample_in(m, &b, "f");
	sample_in(m, &c, "f");
	EXPECT(m, "f", "/a/libz.so, build-id 31", "/a/libz.so, build-id 32", "/a/libz.so, inode 5");
}

static void test_code_of_processes(void **state)
{
	struct binary a = code_of(10), b = code_of(11);
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	sample_in(m, &a, "f");
	sample_in(m, &b, "f");
	EXPECT(m, "f", "[anon] of process 10", "[anon] of process 11");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_name_alone, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_binaries_of_two_names, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_binaries_of_one_name, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_binaries_of_one_path, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_code_of_processes, memsource_setup,
						memsource_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
