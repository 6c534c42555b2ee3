/* Which mappings are of a file and which of the process, by the kernel's words for them. More of
 * that: test-world.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "model/mapped.h"

/* A compiler's memory, written through another mapping; a program in a memfd is mapped private. */
static void test_shared_memory_is_the_process(void **state)
{
	static const struct {
		const char *path;
		uint32_t flags;
		bool anon;
	} cases[] = {
		{ "/memfd:vmem (deleted)", MAP_SHARED, true },
		{ "/memfd:doublemapper", MAP_SHARED, true },
		{ "/tmp/ffi2Xyz (deleted)", MAP_SHARED, true },
		{ "/tmp/kept", MAP_SHARED, false },
		{ "/memfd:runc_cloned:/proc/self/exe (deleted)", MAP_PRIVATE, false },
		{ "/memfd:unsaid (deleted)", 0, false },
		{ "/usr/lib/old.so (deleted)", MAP_PRIVATE, false },
	};
	struct binaries binaries;

	(void)state;
	binaries_init(&binaries);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct raw_mmap m = { .start = 0x100000,
					    .len = 0x1000,
					    .pgoff = 0x3000,
					    .path = cases[i].path,
					    .prot = PROT_READ | PROT_EXEC,
					    .flags = cases[i].flags,
					    .inode = 7 };
		struct mapping mapping;

		assert_true(mapped_code(&binaries, 10, &m, &mapping));
		const struct binary *b = binaries_get(&binaries, mapping.binary);

		assert_int_equal(b->kind, cases[i].anon ? BINARY_KIND_ANON : BINARY_KIND_FILE);
		assert_int_equal(b->pid, cases[i].anon ? 10 : 0);
		assert_int_equal(mapping.pgoff, cases[i].anon ? 0x100000 : 0x3000);
		if (cases[i].anon)
			assert_string_equal(b->path, "[anon]");
	}
	binaries_deinit(&binaries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_memory_is_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
