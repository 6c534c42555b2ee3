/* Unit tests of demangling and of kallsyms, on literal text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "symbol/demangle.h"
#include "symbol/kallsyms.h"

struct mangled {
	const char *raw;
	const char *readable; /* NULL: stays raw */
};

static void test_demangle_table(void **state)
{
	static const struct mangled table[] = {
		{ "_Z3fooid", "foo" },
		{ "_ZZ3fooidENKUliE_clEi", "foo(int, double)::{lambda(int)#1}::operator()" },
		{ "_ZN12_GLOBAL__N_11S2goIiEEiT_", "(anonymous namespace)::S::go<int>" },
		{ "_ZN1A1BC1Ev", "A::B::B" },
		{ "_Z3foov.cold", "foo.cold" },
		/* Rust, legacy: a hash of 16 digits at the end, which is dropped. */
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		  "core::fmt::Write::write_fmt" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.55",
		  "core::fmt::Write::write_fmt" },
		/* C++ that only looks like it: 16 characters, not a hash. */
		{ "_ZN4core3fmt16h0123456789abcdeE", "core::fmt::h0123456789abcde" },
		/* Rust, v0. */
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_RINvNtCs6GmmlP4bgsG_1r5inner7generichEB4_", "r::inner::generic::<u8>" },
		{ "_Dmain", "D main" },
		{ "_D4test3fooFiZv", "test.foo(int)" },
		/* Not mangled, or not well. */
		{ "main", NULL },
		{ "", NULL },
		{ "_", NULL },
		{ "_Z", NULL },
		{ "_R", NULL },
		{ "_D", NULL },
		{ "_Dtest", NULL },
		{ "_ZN", NULL },
		{ "_Z99999999999999999999x", NULL },
		{ "_Rust_looks_like_it", NULL },
		{ "_Z1fIS_", NULL },
		{ "_init", NULL },
		{ "\xff\xfe", NULL },
	};

	(void)state;
	if (!demangle_available())
		skip();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_free_ char *got = demangle(table[i].raw);

		if (!table[i].readable)
			assert_null(got);
		else if (!got)
			fail_msg("%s stays raw", table[i].raw);
		else
			assert_string_equal(got, table[i].readable);
	}
}

static void test_demangle_long_names(void **state)
{
	size_t len = 100 << 10;
	_cleanup_free_ char *name = xmalloc(len + 1);

	(void)state;
	memset(name, 'x', len);
	memcpy(name, "_Z3foo", 6);
	name[len] = 0;
	assert_null(demangle(name));
	memcpy(name, "_RNvC99999", 10);
	assert_null(demangle(name));
	/* Deep nesting: "const const const …", pointer to pointer to … */
	memset(name, 'P', len);
	memcpy(name, "_Z1fI", 5);
	name[len] = 0;
	assert_null(demangle(name));
	memset(name + DEMANGLE_IN_MAX - 8, 0, 1);
	assert_null(demangle(name));
}

/* Each level holds the one before twice: 2^33 copies of A from 400 bytes. */
static void test_demangle_expansion_is_bounded(void **state)
{
	struct buf raw = { 0 };

	(void)state;
	if (!demangle_available())
		skip();
	/* S_ is f, S0_ is A, S1_ is A<int, int>, and from there on each is A<the last, the last>.
	 */
	buf_bytes(&raw, "_Z1fI1AIiiE", 11);
	for (int level = 1; level < 34; level++) {
		char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level];
		char part[] = { 'S', '0', '_', 'I', 'S', digit, '_', 'S', digit, '_', 'E' };

		buf_bytes(&raw, part, sizeof(part));
	}
	buf_bytes(&raw, "EvT_", 5);
	_cleanup_free_ char *got = demangle((char *)raw.data);

	assert_null(got);
	buf_deinit(&raw);
}

static struct kallsyms *load(const char *text, struct diag *diag)
{
	char path[] = "/tmp/test-kallsyms-XXXXXX";
	int fd = mkstemp(path);
	struct kallsyms *k = NULL;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_null(kallsyms_load(path, diag, &k));
	unlink(path);
	return k;
}

static void test_kallsyms_finds(void **state)
{
	struct diag diag = { 0 };
	CLEANUP(kallsyms_destroy)
	struct kallsyms *k = load("0000000000000000 A fixed_percpu_data\n"
				  "0000000000001000 A cpu_debug_store\n"
				  "ffffffff81000000 T _stext\n"
				  "ffffffff81000000 T _text\n"
				  "ffffffff81000000 t startup\n"
				  "ffffffff81002000 T ___alias\n"
				  "ffffffff81002000 t better_but_local\n"
				  "ffffffff81002000 T _alias\n"
				  "ffffffff81001000 W weak\n"
				  "ffffffff81003000 D data_ends_it\n"
				  "ffffffff81004000 t last_of_core\n"
				  "ffffffff81005000 T _etext\n"
				  "ffffffffc0000000 t of_module\t[ext4]\n"
				  "ffffffffc0000100 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n",
				  &diag);

	(void)state;
	assert_int_equal(diag.entries.n, 0);
	assert_int_equal(kallsyms_stext(k), 0xffffffff81000000);
	assert_null(kallsyms_find(k, 0x1000));
	assert_null(kallsyms_find(k, 0xffffffff80ffffff));
	assert_string_equal(kallsyms_find(k, 0xffffffff81000000), "startup");
	assert_string_equal(kallsyms_find(k, 0xffffffff81000fff), "startup");
	assert_string_equal(kallsyms_find(k, 0xffffffff81001000), "weak");
	assert_string_equal(kallsyms_find(k, 0xffffffff81002010), "_alias");
	assert_null(kallsyms_find(k, 0xffffffff81003000));
	assert_string_equal(kallsyms_find(k, 0xffffffff81004fff), "last_of_core");
	assert_null(kallsyms_find(k, 0xffffffff81005000));
	assert_string_equal(kallsyms_find(k, 0xffffffffc00000ff), "of_module");
	assert_string_equal(kallsyms_find(k, 0xffffffffc0000100), "bpf_prog_6deef7357e7b4530_x");
	/* The last one does not reach to the end of the world. */
	assert_null(kallsyms_find(k, 0xffffffffc0000100 + KALLSYMS_REACH));
	diag_deinit(&diag);
}

static void test_kallsyms_hidden(void **state)
{
	struct diag diag = { 0 };
	CLEANUP(kallsyms_destroy)
	struct kallsyms *k = load("0000000000000000 T _stext\n"
				  "0000000000000000 T schedule\n"
				  "0000000000000000 t of_module\t[ext4]\n",
				  &diag);

	(void)state;
	assert_true(kallsyms_is_empty(k));
	assert_null(kallsyms_find(k, 0));
	assert_null(kallsyms_find(k, 0xffffffff81000000));
	assert_int_equal(diag.entries.n, 1);
	assert_non_null(strstr(diag.entries.v[0].text, "kernel.kptr_restrict is "));
	assert_non_null(strstr(diag.entries.v[0].text, ": sysctl kernel."));
	diag_deinit(&diag);
}

static void test_kallsyms_some_zeros(void **state)
{
	struct diag diag = { 0 };
	CLEANUP(kallsyms_destroy)
	struct kallsyms *k = load("0000000000000000 T zero\n1000 T one\n", &diag);

	(void)state;
	assert_int_equal(diag.entries.n, 0);
	assert_null(kallsyms_find(k, 0));
	assert_null(kallsyms_find(k, 0xfff));
	assert_string_equal(kallsyms_find(k, 0x1000), "one");
	diag_deinit(&diag);
}

static void test_kallsyms_garbage(void **state)
{
	struct diag diag = { 0 };
	struct buf text = { 0 };
	static const char garbage[] = "\n \nxyz\n1000\n1000 \n1000 T\n1000 T \n1000 TT name\n"
				      "fffffffffffffffff T seventeen_digits\n-1000 T minus\n"
				      "0x1000 T prefix\n2000 1 digit_type\n\x01\xff\n";

	(void)state;
	buf_bytes(&text, garbage, sizeof(garbage) - 1);
	/* An overlong line is one line, even where its middle looks like another. */
	buf_bytes(&text, "3000 T ", 7);
	for (int i = 0; i < 5000; i++)
		buf_bytes(&text, i % 7 ? "x" : " 4000 T inside ", i % 7 ? 1 : 15);
	buf_cstr(&text, "\n5000 T good\n6000 T no_newline_at_the_end");
	CLEANUP(kallsyms_destroy) struct kallsyms *k = load((char *)text.data, &diag);

	assert_null(kallsyms_find(k, 0x4fff));
	assert_string_equal(kallsyms_find(k, 0x5000), "good");
	assert_string_equal(kallsyms_find(k, 0x6000), "no_newline_at_the_end");
	diag_deinit(&diag);
	buf_deinit(&text);
}

static void test_kallsyms_no_file(void **state)
{
	struct kallsyms *k = NULL;
	struct err *err = kallsyms_load("/nonexistent/kallsyms", NULL, &k);

	(void)state;
	assert_non_null(err);
	assert_null(k);
	err_destroy(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle_table),
		cmocka_unit_test(test_demangle_long_names),
		cmocka_unit_test(test_demangle_expansion_is_bounded),
		cmocka_unit_test(test_kallsyms_finds),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_kallsyms_some_zeros),
		cmocka_unit_test(test_kallsyms_garbage),
		cmocka_unit_test(test_kallsyms_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
