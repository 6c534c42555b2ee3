/* Unit tests of what instructions cost within a function, and of how that is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "output/asmtext.h"
#include "support/reporting.h"

/* Names "f", from offset 0x100, of which the first half is line 3 and the rest line 4 of a file
 * that is not there. */
static void add_sample(struct memsource *m, uint32_t parent, uint64_t off, uint32_t thread,
		       unsigned int n)
{
	struct names *names = &m->data.names;
	struct name_line line = {
		.function = intern_add(&names->strings, "f"),
		.file = intern_add(&names->strings, "/nowhere/f.c"),
		.line = off < 0x108 ? 3 : 4,
	};
	uint32_t node = frametree_add(&m->data.tree, parent, m->app, off, FRAME_PC);

	names_set(names, m->app, off, &line, 1, NAME_FOUND | NAME_HAS_LINES);
	while (n--)
		memsource_sample(m, (struct sample){ 0, 1000000, thread, node, 0, 0 });
}

static void program(struct memsource *m)
{
	memsource_thread(m, 1, 1, "app", "app");
	memsource_thread(m, 1, 2, "other", "app");
	uint32_t from_main = memsource_stack(m, "main");

	add_sample(m, from_main, 0x102, 0, 3);
	add_sample(m, 0, 0x102, 1, 2); /* another stack, another group */
	add_sample(m, from_main, 0x10b, 0, 4);
	add_sample(m, from_main, 0x10a, 0, 1);
	memsource_add(m, 0, "main", 10);
}

static void add_insn(struct disasm *d, uint64_t off, uint32_t len, const char *text)
{
	vec_push(&d->v, ((struct disasm_insn){ off, off + 0x400000, len, (uint32_t)d->text.len }));
	buf_cstr(&d->text, text);
}

static void expect_cost(const struct insn_cost *c, uint64_t off, uint64_t samples)
{
	assert_int_equal(c->off, off);
	assert_int_equal(c->samples, samples);
	assert_int_equal(c->weight, samples);
}

/* What `struct reporting` makes of the program, with f's hits. */
static void begin(struct memsource *m, struct reporting *r, struct asmlist *a)
{
	program(m);
	reporting_init(r, m, GROUP_COMM, &(struct calltree_options){ .lines = true });
	*a = (struct asmlist){ 0 };
	assert_null(asmlist_init(a, r->tree, "f"));
}

static void expect_text(const struct reporting *r, const struct asmlist *a, const char *want)
{
	char *text = reporting_text(r, &asmtext_output,
				    (struct output_context){ .options = a, .subtitle = "s" });

	assert_string_equal(text, want);
	free(text);
}

static void test_hits_merge_by_place(void **state)
{
	struct reporting r;
	struct asmlist a;

	begin(*state, &r, &a);
	assert_int_equal(a.v.n, 3);
	expect_cost(&a.v.v[0], 0x102, 5);
	expect_cost(&a.v.v[1], 0x10a, 1);
	expect_cost(&a.v.v[2], 0x10b, 4);
	asmlist_deinit(&a);
	reporting_deinit(&r);
}

#define HEAD                                                                                       \
	"# s\n"                                                                                    \
	"# numbers are samples; 100 % is 20 samples\n"                                             \
	"\n"                                                                                       \
	"# f in app: 10 samples in its code, 50.00 %; with what it calls 10, 50.00 %\n"            \
	"#  of all  of this    samples   address  instruction\n"

/* Two hits in one instruction are its own; code behind the first part is a second. */
static void test_code(void **state)
{
	struct disasm d = { 0 };
	struct reporting r;
	struct asmlist a;

	begin(*state, &r, &a);
	add_insn(&d, 0x100, 2, "push");
	add_insn(&d, 0x102, 6, "add \033");
	assert_int_equal(asmlist_add_part(&a, 0, &d, NULL), 1);
	assert_int_equal(d.v.n, 0);
	add_insn(&d, 0x108, 2, "sub");
	add_insn(&d, 0x10a, 4, "ret");
	assert_int_equal(asmlist_add_part(&a, 1, &d, NULL), 3);
	expect_text(&r, &a,
		    HEAD "# /bin/app\n"
			 "                                 400100  push\n"
			 "                               # /nowhere/f.c:3\n"
			 "  25.00 %  50.00 %          5    400102  add \357\277\275\n"
			 "# /bin/app\n"
			 "                                 400108  sub\n"
			 "                               # /nowhere/f.c:4\n"
			 "  25.00 %  50.00 %          5    40010a  ret\n");
	asmlist_deinit(&a);
	reporting_deinit(&r);
}

static void test_no_code(void **state)
{
	struct disasm none = { 0 };
	struct reporting r;
	struct asmlist a;

	begin(*state, &r, &a);
	assert_int_equal(asmlist_add_part(&a, 0, &none, xstrdup("no such file")), 3);
	expect_text(&r, &a,
		    HEAD "# /bin/app: no code to show: no such file\n"
			 "                               # /nowhere/f.c:3\n"
			 "  25.00 %  50.00 %          5  +0x102\n"
			 "                               # f.c:4\n"
			 "   5.00 %  10.00 %          1  +0x10a\n"
			 "  20.00 %  40.00 %          4  +0x10b\n");
	asmlist_deinit(&a);
	reporting_deinit(&r);
}

/* What is inlined is its owner's. */
static void test_hottest(void **state)
{
	struct memsource *m = *state;
	struct asmlist a = { 0 };
	struct reporting r;

	program(m);
	memsource_add(m, 0, "main", 5);
	memsource_add(m, 0, "main;owner>f", 12);
	memsource_add(m, 0, "cold", 1);
	reporting_init(&r, m, GROUP_COMM, NULL);
	asmlist_init_hottest(&a, r.tree, 3);
	assert_int_equal(a.v.n, 5);
	for (size_t i = 0; i < a.v.n; i++)
		assert_int_equal(a.v.v[i].function, i < 2 ? i : 2);
	assert_int_equal(a.v.v[0].samples, 15);
	assert_int_equal(a.v.v[1].samples, 12);
	expect_cost(&a.v.v[2], 0x102, 5);
	expect_cost(&a.v.v[3], 0x10a, 1);
	expect_cost(&a.v.v[4], 0x10b, 4);
	asmlist_deinit(&a);
	reporting_deinit(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hits_merge_by_place, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_code, memsource_setup, memsource_teardown),
		cmocka_unit_test_setup_teardown(test_no_code, memsource_setup, memsource_teardown),
		cmocka_unit_test_setup_teardown(test_hottest, memsource_setup, memsource_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
