/* Names as found and as shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/displayname.h"

static void check(const struct displayname *opt, const char *name, const char *want)
{
	char *have = displayname(opt, name, NULL, 0);

	assert_string_equal(have ? have : name, want);
	free(have);
}

static void test_short_templates(void **state)
{
	static const char *const table[][2] = {
		{ "std::vector<int, std::allocator<int> >::push_back", "std::vector<>::push_back" },
		{ "f<(a > b)>", "f<>" },
		{ "operator<", "operator<" },
		{ "A::operator<<", "A::operator<<" },
		{ "A<int>::operator<=> ", "A<>::operator<=> " },
		{ "operator-><int>", "operator-><>" },
		{ "operator<< <char>", "operator<< <>" },
		{ "A::operator< <int>", "A::operator< <>" },
		{ "operator<=><int>", "operator<=><>" },
		{ "f()::{lambda(auto:1)#1}::operator()<int>",
		  "f()::{lambda(auto:1)#1}::operator()<>" },
		{ "operator", "operator" },
		{ "myoperator<int>", "myoperator<>" },
		{ "<T as core::fmt::Debug>::fmt", "<T as core::fmt::Debug>::fmt" },
		{ "alloc::vec::Vec::<u8>::push", "alloc::vec::Vec::<>::push" },
		{ "core::<impl Foo<u8>>::f", "core::<impl Foo<>>::f" },
		{ "JS:~ <anonymous> file.js", "JS:~ <anonymous> file.js" },
		{ "unclosed<int", "unclosed<int" },
		{ "f<decltype(a->b)>", "f<>" },
		{ "(anonymous namespace)::g<int>", "(anonymous namespace)::g<>" },
		{ "", "" },
	};
	struct displayname opt = { .short_templates = true };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&opt, table[i][0], table[i][1]);
}

static void test_fold_clones(void **state)
{
	static const char *const table[][2] = {
		{ "f.cold", "f" },
		{ "f.part.0", "f" },
		{ "f.constprop.1.isra.0.cold", "f" },
		{ "ns::f.lto_priv.12", "ns::f" },
		{ "f.llvm.1234567", "f" },
		{ "file.js", "file.js" },
		{ "f.party", "f.party" },
		{ "f.cold.story", "f.cold.story" },
		{ ".cold", ".cold" },
		{ "", "" },
	};
	struct displayname opt = { .fold_clones = true };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&opt, table[i][0], table[i][1]);
}

static void test_lines(void **state)
{
	struct displayname opt = { .lines = true, .short_templates = true };
	char *name = displayname(&opt, "f<int>", "/usr/src/a b/f.cc", 12);

	(void)state;
	assert_string_equal(name, "f<> (f.cc:12)");
	free(name);
	check(&opt, "g", "g");
	opt.short_templates = false;
	assert_null(displayname(&opt, "g", NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_templates),
		cmocka_unit_test(test_fold_clones),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
