/* Unit tests of what lines cost within a function, and of how that is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/sourcetext.h"
#include "profile/linecosts.h"
#include "support/reporting.h"

/* Lines for the chain at the end of `stack`, innermost first, up to a NULL. Naming a stack names
 * each of its frames anew: the longer stack first. */
static void set_lines(struct memsource *m, const char *stack, const struct source_place *places)
{
	const struct frame *f = frametree_get(&m->data.tree, memsource_stack(m, stack));
	struct names *n = &m->data.names;
	const struct name_entry *e = names_find(n, f->binary, names_key(f));

	for (uint16_t i = 0; i < e->n && places[i].file; i++) {
		n->lines.v[e->first + i].file = intern_add(&n->strings, places[i].file);
		n->lines.v[e->first + i].line = places[i].line;
	}
}

#define SET_LINES(m, stack, ...)                                                                   \
	set_lines(m, stack, (const struct source_place[]){ __VA_ARGS__, { NULL, 0 } })

/* "FUNCTION weight: FILE:LINE weight[*] …", a star for a line of its own. */
static char *costs_text(const struct linecosts *c)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < c->v.n; i++) {
		const struct line_function *f = &c->v.v[i];
		const struct function *fn = &c->picked.functions.v.v[f->function];

		output_printf(&b, "%s %d:", c->picked.tree->funcs.v[fn->func].name, (int)f->weight);
		assert_int_equal(f->weight, f->samples);
		for (size_t k = f->first; k < f->first + f->n; k++) {
			const struct line_cost *cost = &c->lines.v[k];
			const struct source_place *p = &c->picked.tree->places.v[cost->place];

			output_printf(&b, " %s:%d %d%s", cost->place ? p->file : "?",
				      cost->place ? (int)p->line : 0, (int)cost->weight,
				      cost->own ? "*" : "");
		}
		buf_u8(&b, '\n');
	}
	buf_u8(&b, 0);
	return (char *)b.data;
}

static void expect(struct memsource *m, const char *function, bool no_inlines, const char *want)
{
	struct calltree_options opt = { .lines = true, .no_inlines = no_inlines };
	struct reporting r;
	struct linecosts c;

	reporting_init(&r, m, GROUP_COMM, &opt);
	assert_null(linecosts_init(&c, r.tree, function));
	char *text = costs_text(&c);

	assert_string_equal(text, want);
	free(text);
	linecosts_deinit(&c);
	reporting_deinit(&r);
}

/* f at two places, one of which has g inlined into it; g calls nothing, f calls h. */
static void program(struct memsource *m)
{
	memsource_thread(m, 1, 1, "app", "app");
	memsource_thread(m, 1, 2, "other", "app");
	memsource_add(m, 0, "main;f", 5);
	memsource_add(m, 1, "main;f", 1);
	memsource_add(m, 0, "main;f>g", 3);
	memsource_add(m, 0, "main;f;h", 10);
	memsource_add(m, 0, "main;f;f", 2);
	memsource_add(m, 0, "main", 4);
	SET_LINES(m, "main;f;h", { "/src/z.c", 40 });
	SET_LINES(m, "main;f", { "/src/z.c", 20 });
	SET_LINES(m, "main;f>g", { "/src/a.h", 7 }, { "/src/z.c", 18 });
}

static void test_lines_of_a_function(void **state)
{
	program(*state);
	/* Not what it calls; inlined code is its own; its file comes first. */
	expect(*state, "f", false, "f 11: /src/z.c:20 8* /src/a.h:7 3\n");
	expect(*state, "f", true, "f 11: /src/z.c:18 3* /src/z.c:20 8*\n");
	expect(*state, "g", false, "g 3: /src/a.h:7 3*\n");
	expect(*state, "main", false, "main 4: ?:0 4*\n");
}

static void test_several_functions(void **state)
{
	program(*state);
	/* Each has what is in its own code: g's samples are in g and in f. */
	expect(*state, "^[fgh]$", false,
	       "f 11: /src/z.c:20 8* /src/a.h:7 3\n"
	       "h 10: /src/z.c:40 10*\n"
	       "g 3: /src/a.h:7 3*\n");
}

static void test_no_such_function(void **state)
{
	struct calltree_options opt = { .lines = true };
	struct reporting r;
	struct linecosts c;

	program(*state);
	reporting_init(&r, *state, GROUP_COMM, &opt);
	struct err *err = linecosts_init(&c, r.tree, "nothing");

	assert_non_null(err);
	assert_string_equal(err_msg(err), "no function is named or matches 'nothing'");
	err_destroy(err);
	linecosts_deinit(&c);
	reporting_deinit(&r);
}

/* Recursion of an inlined call into itself is one sample, not two. */
static void test_counted_once(void **state)
{
	struct memsource *m = *state;

	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f>g>g", 6);
	SET_LINES(m, "main;f>g>g", { "/src/a.h", 7 });
	expect(m, "g", false, "g 6: /src/a.h:7 6*\n");
}

static void test_text(void **state)
{
	struct memsource *m = *state;
	struct calltree_options opt = { .lines = true };
	char path[] = "/tmp/singe-test-XXXXXX.c";
	int fd = mkstemps(path, 2);
	static const char source[] = "one\n\ttwo\nthree\nfour\r\nfive\nsix\n\303\244\tseven\033\n";
	struct reporting r;
	struct linecosts c;
	char want[2048];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, source, sizeof(source) - 1), sizeof(source) - 1);
	close(fd);
	memsource_thread(m, 1, 1, "app", "app");
	memsource_add(m, 0, "main;f", 6);
	memsource_add(m, 0, "main;f>g", 3);
	memsource_add(m, 0, "main;f>h", 1);
	memsource_add(m, 0, "main", 10);
	SET_LINES(m, "main;f", { path, 2 });
	SET_LINES(m, "main;f>g", { path, 7 });
	SET_LINES(m, "main;f>h", { "/nowhere/x.h", 99 });
	reporting_init(&r, m, GROUP_COMM, &opt);
	assert_null(linecosts_init(&c, r.tree, "f"));
	char *text = reporting_text(&r, &sourcetext_output,
				    (struct output_context){ .options = &c, .subtitle = "s" });

	unlink(path);
	snprintf(want, sizeof(want),
		 "# s\n"
		 "# numbers are samples; 100 %% is 20 samples\n"
		 "\n"
		 "# f in app: 10 samples in its code, 50.00 %%; with what it calls 10, 50.00 %%\n"
		 "#  of all  of this    samples   line  source\n"
		 "# %s\n"
		 "                                   1  one\n"
		 "  30.00 %%  60.00 %%          6      2          two\n"
		 "                                   3  three\n"
		 "                                   4  four\n"
		 "                                   5  five\n"
		 "                                   6  six\n"
		 "  15.00 %%  30.00 %%          3      7  \303\244       seven\357\277\275\n"
		 "# /nowhere/x.h, inlined from there\n"
		 "   5.00 %%  10.00 %%          1     99\n"
		 "\n"
		 "# not readable here, so by number alone:\n"
		 "#   /nowhere/x.h\n"
		 "# --source-dir DIR looks for them below DIR\n",
		 path);
	assert_string_equal(text, want);
	free(text);
	linecosts_deinit(&c);
	reporting_deinit(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines_of_a_function, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_several_functions, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_no_such_function, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_counted_once, memsource_setup,
						memsource_teardown),
		cmocka_unit_test_setup_teardown(test_text, memsource_setup, memsource_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
