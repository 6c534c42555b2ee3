/* Unit tests of src/output/html*: what the data says, without a browser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "output/html.h"
#include "output/html/pagecolumns.h"
#include "output/html/pagejson.h"
#include "output/html/pagetree.h"
#include "output/html_data.h"
#include "support/handtree.h"
#include "support/memsource.h"

struct page {
	struct buf raw;
	char *json; /* NUL-terminated copy */
	const uint8_t *columns;
};

static void page_of(struct page *p, const struct output_context *ctx,
		    const struct html_options *opt)
{
	*p = (struct page){ 0 };
	html_data_put(ctx, opt, &p->raw);
	uint32_t len;

	memcpy(&len, p->raw.data, 4); /* as the machines of these tests have it */
	assert_true(len + 4 <= p->raw.len);
	p->json = xstrndup((const char *)p->raw.data + 4, len);
	p->columns = p->raw.data + 4 + len;
}

static void page_deinit(struct page *p)
{
	buf_deinit(&p->raw);
	free(p->json);
}

/* The values of a column as text: "1 2 3"; NULL if there is none of that name. */
static char *column(const struct page *p, const char *name)
{
	const char *list = strstr(p->json, "\"columns\":[") + strlen("\"columns\":");
	const uint8_t *at = p->columns;
	char found[64], kind;
	unsigned long n, bytes;
	int used;

	for (list++;
	     sscanf(list, "[\"%63[^\"]\",\"%c\",%lu,%lu]%n", found, &kind, &n, &bytes, &used) == 4;
	     list += used + 1, at += bytes) {
		if (strcmp(found, name) != 0)
			continue;
		struct cursor c = cursor(at, bytes);
		struct buf text = { 0 };
		int64_t last = 0;

		for (unsigned long i = 0; i < n; i++) {
			uint64_t v = cursor_uleb(&c);

			last = kind == 'd' ? last + zigzag_decode(v) : (int64_t)v;
			output_printf(&text, "%s%lld", i ? " " : "", (long long)last);
		}
		buf_u8(&text, 0);
		return (char *)text.data;
	}
	return NULL;
}

static void assert_column(const struct page *p, const char *name, const char *expected)
{
	_cleanup_free_ char *values = column(p, name);

	if (!expected) {
		assert_null(values);
		return;
	}
	assert_non_null(values);
	assert_string_equal(values, expected);
}

static void test_json_strings(void **state)
{
	struct buf b = { 0 };

	(void)state;
	pagejson_str(&b, "a\"\\\n\x01\xff</script>é");
	pagejson_text(&b, "x\r\n\ty", 5);
	buf_u8(&b, 0);
	assert_string_equal((char *)b.data,
			    "\"a\\\"\\\\\ufffd\ufffd\ufffd</script>é\"\"x\\n\\ty\"");
	buf_deinit(&b);
}

static struct profile *profile_of(struct memsource *m, enum group_by by)
{
	struct profile_options opt = { .by = by, .keep = true };
	struct profile *p = NULL;

	assert_null(profile_build(&m->source, &opt, NULL, &p));
	return p;
}

static struct calltree *tree_of(struct memsource *m, struct profile *p, bool reverse, bool lines)
{
	struct calltree_options opt = { .reverse = reverse, .lines = lines };
	struct calltree *t = NULL;

	assert_null(calltree_build(p, &m->data.names, &opt, &t));
	return t;
}

/* Two threads in three groups of the profile, of which the page must know nothing. */
static void add_samples(struct memsource *m)
{
	uint32_t a = memsource_thread(m, 1, 1, "a", "a"), b = memsource_thread(m, 1, 2, "b", "a");

	memsource_callgraph(m, "dwarf,8192");
	memsource_add(m, b, "main;work", 2);
	memsource_add(m, a, "main", 1);
	memsource_add(m, b, "main;work;deep", 1);
	memsource_add(m, a, "main;idle", 1);
}

static void check_samples(enum group_by by, bool reverse)
{
	static const struct html_options options;
	struct memsource m;
	struct page page;

	memsource_init(&m);
	add_samples(&m);
	struct profile *p = profile_of(&m, by);
	struct calltree *t = tree_of(&m, p, reverse, false);

	page_of(&page, &(struct output_context){ .tree = t }, &options);
	assert_non_null(strstr(page.json, "\"threads\":[[1,1,0,\"a\",\"a\"],[1,2,0,\"b\",\"a\"]]"));
	assert_column(&page, "thread.samples", "2 3");
	/* all, main, idle, work, deep; main and idle of a, work twice and deep of b */
	assert_column(&page, "node.depth", "0 1 2 2 3");
	assert_column(&page, "sample.stack", "1 2 3 3 4");
	assert_column(&page, "sample.time", "2000 4000 0 1000 3000");
	assert_column(&page, "sample.cpu", "1 1 1 1 1");
	assert_column(&page, "sample.event", NULL);
	assert_column(&page, "sample.period", NULL);
	assert_column(&page, "node.place", NULL);
	page_deinit(&page);
	calltree_destroy(t);
	profile_destroy(p);
	memsource_deinit(&m);
}

static void test_samples_of_any_grouping_and_direction(void **state)
{
	(void)state;
	for (int by = GROUP_COMM; by <= GROUP_ORIGIN; by++) {
		check_samples((enum group_by)by, false);
		check_samples((enum group_by)by, true);
	}
}

static void expect_origins(struct memsource *m, const char *by, const char *threads)
{
	static const struct html_options options = { .by = GROUP_ORIGIN };

	m->taken = 0;
	struct profile *p = profile_of(m, GROUP_ORIGIN);
	struct calltree *t = tree_of(m, p, false, false);
	struct page page;

	page_of(&page, &(struct output_context){ .tree = t }, &options);
	assert_non_null(strstr(page.json, by));
	assert_non_null(strstr(page.json, threads));
	page_deinit(&page);
	calltree_destroy(t);
	profile_destroy(p);
}

static void test_origins(void **state)
{
	struct memsource m;

	(void)state;
	memsource_init(&m);
	uint32_t a = memsource_thread(&m, 7, 7, "a", "a");
	struct thread_entry other = *threads_get(&m.data.threads, a);

	memsource_add(&m, a, "main", 1);
	expect_origins(&m, "\"by\":\"none\"", "\"threads\":[[7,7,0,\"a\",\"a\"]]");
	other.origin = 1;
	memsource_add(&m, threads_add(&m.data.threads, &other), "main", 1);
	for (int i = 1; i < 3; i++)
		vec_push(&m.data.meta.origins, xasprintf("web%d", i));
	expect_origins(&m, "\"by\":\"origin\"",
		       "\"threads\":[[7,7,0,\"a\",\"a\",0],[7,7,0,\"a\",\"a\",1]],"
		       "\"origins\":[\"web1\",\"web2\"]");
	memsource_deinit(&m);
}

static void test_lines_are_nodes(void **state)
{
	static const struct html_options options;
	struct memsource m;
	struct page page;

	(void)state;
	memsource_init(&m);
	uint32_t thread = memsource_thread(&m, 1, 1, "a", "a");
	struct names *names = &m.data.names;
	struct name_line line = {
		.function = intern_add(&names->strings, "f"),
		.file = intern_add(&names->strings, "/x/f.c"),
	};

	for (uint32_t i = 0; i < 4; i++) {
		line.line = 10 + i % 2;
		names_set(names, m.app, 160 + i, &line, 1, NAME_FOUND);
		uint32_t node = frametree_add(&m.data.tree, 0, m.app, 160 + i, FRAME_PC);

		memsource_sample(&m, (struct sample){ .thread = thread, .node = node });
	}
	struct profile *p = profile_of(&m, GROUP_COMM);
	struct calltree *t = tree_of(&m, p, false, true);

	page_of(&page, &(struct output_context){ .tree = t }, &options);
	assert_column(&page, "node.depth", "0 1 1");
	assert_column(&page, "node.place", "0 1 2");
	assert_column(&page, "place.line", "0 10 11");
	assert_column(&page, "place.file", "0 1 1");
	assert_non_null(strstr(page.json, "\"files\":[[\"\"],[\"/x/f.c\"]]"));
	page_deinit(&page);
	calltree_destroy(t);
	profile_destroy(p);
	memsource_deinit(&m);
}

static void add_insn(struct disasm *d, uint64_t off, uint32_t len, const char *text)
{
	vec_push(&d->v, ((struct disasm_insn){ off, off + 0x1000, len, (uint32_t)d->text.len }));
	buf_cstr(&d->text, text);
}

/* Two functions hit at two places each: the first has code, the other a reason. */
static void test_code_in_the_page(void **state)
{
	struct asmlist a = { 0 };
	struct memsource m;
	struct page page;

	(void)state;
	memsource_init(&m);
	uint32_t thread = memsource_thread(&m, 1, 1, "a", "a");
	struct names *names = &m.data.names;
	static const uint64_t offs[] = { 0x203, 0x100, 0x106, 0x203, 0x102, 0x102, 0x101 };

	for (size_t i = 0; i < sizeof(offs) / sizeof(*offs); i++) {
		struct name_line line = {
			.function = intern_add(&names->strings, offs[i] < 0x200 ? "f" : "g"),
			.file = intern_add(&names->strings, "/x/f.c"),
			.line = (uint32_t)(offs[i] - 0xf0),
		};
		names_set(names, m.app, offs[i], &line, 1, NAME_FOUND);
		uint32_t node = frametree_add(&m.data.tree, 0, m.app, offs[i], FRAME_PC);

		memsource_sample(&m, (struct sample){ .thread = thread, .node = node });
	}
	struct profile *p = profile_of(&m, GROUP_COMM);
	struct calltree *t = tree_of(&m, p, false, false);
	struct disasm code = { 0 }, none = { 0 };

	asmlist_init_hottest(&a, t, 50);
	add_insn(&code, 0x100, 2, "nop");
	add_insn(&code, 0x102, 4, "ret");
	add_insn(&code, 0x106, 1, "nop");
	size_t next = asmlist_add_part(&a, 0, &code, NULL);

	a.parts.v[0].note = "as built";
	assert_int_equal(asmlist_add_part(&a, next, &none, xstrdup("no \xff file")), a.v.n);
	struct html_options options = { .embed_code = 50, .code = &a };

	page_of(&page, &(struct output_context){ .tree = t }, &options);
	_cleanup_free_ char *want =
		xasprintf("\"code\":{\"functions\":50,\"cut\":false,\"parts\":"
			  "[[%u,3,0,\"as built\"]],\"missing\":[[%u,\"no \ufffd file\"]]}",
			  m.app, m.app);

	assert_non_null(strstr(page.json, want));
	assert_non_null(strstr(page.json, "\"insns\":[\"\",\"nop\",\"ret\"]"));
	assert_column(&page, "insn.text", "1 2 1");
	assert_column(&page, "insn.addr", "4352 4354 4358");
	assert_column(&page, "insn.place", "1 2 3");
	assert_column(&page, "place.line", "0 16 18 22");
	assert_column(&page, "sample.insn", "0 1 3 0 2 2 1");
	page_deinit(&page);
	asmlist_deinit(&a);
	calltree_destroy(t);
	profile_destroy(p);
	memsource_deinit(&m);
}

static void test_difference(void **state)
{
	struct handtree h;
	struct page page;

	(void)state;
	handtree_init(&h);
	uint32_t comm = handtree_child(&h, 0, "app", ORIGIN_GROUP);
	uint32_t main_ = handtree_child(&h, comm, "main", ORIGIN_USER);
	uint32_t gone = handtree_child(&h, main_, "gone", ORIGIN_USER);
	uint32_t more = handtree_child(&h, main_, "more", ORIGIN_USER);
	const uint64_t self_b[] = { 0, 0, 1, 0, 9 };
	const uint8_t significant[] = { 0, 0, 0, 1, 1 };
	struct html_diff diff = {
		.name_a = "a.rec", .name_b = "b.rec", .self_b = self_b, .significant = significant
	};
	struct html_options options = { .diff = &diff };

	handtree_add(&h, gone, 5);
	handtree_add(&h, more, 2);
	page_of(&page, &(struct output_context){ .tree = &h.tree }, &options);
	assert_non_null(strstr(page.json, "\"diff\":{\"a\":\"a.rec\",\"b\":\"b.rec\"}"));
	assert_non_null(strstr(page.json, "\"samples\":false"));
	assert_column(&page, "node.depth", "0 1 2 2");
	assert_column(&page, "node.self", "0 0 5 2");
	assert_column(&page, "node.self_b", "0 1 0 9");
	assert_column(&page, "node.samples_b", "0 1 0 9");
	/* all, gone, main, more: groups are no functions of the page */
	assert_non_null(strstr(page.json, "\"funcs\":[\"all\""));
	assert_column(&page, "func.significant", "0 1 0 1");
	page_deinit(&page);
	handtree_deinit(&h);
}

static char *written(const struct output_context *ctx)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_null(html_output.write(ctx, out));
	fclose(out);
	return text;
}

static void test_document(void **state)
{
	struct handtree h;

	(void)state;
	handtree_init(&h);
	handtree_add(&h, handtree_child(&h, 0, "</script><b>", ORIGIN_USER), 1);
	struct output_context ctx = { .tree = &h.tree, .title = "</title><b>&\"" };
	_cleanup_free_ char *text = written(&ctx);
	_cleanup_free_ char *again = written(&ctx);

	assert_string_equal(text, again);
	assert_null(strstr(text, "<b>"));
	assert_non_null(strstr(text, "<title>&lt;/title&gt;&lt;b&gt;&amp;&quot;</title>"));
	assert_non_null(strstr(text, "content=\"default-src 'none'; script-src 'sha256-"));
	assert_null(strstr(text, "@DATA@"));
	assert_null(strstr(text, "@SCRIPT@"));
	assert_string_equal(text + strlen(text) - strlen("</html>\n"), "</html>\n");
	handtree_deinit(&h);
}

static void test_gzip(void **state)
{
	struct buf raw = { 0 }, packed = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 300000; i++)
		buf_u8(&raw, (uint8_t)(i * i >> 5));
	assert_null(codec_gzip(&raw, &packed));
	assert_true(packed.len > 18 && packed.len < raw.len);
	/* RFC 1952: magic, deflate; at the end CRC-32 and length */
	assert_memory_equal(packed.data, "\x1f\x8b\x08", 3);
	uint32_t end[2];

	memcpy(end, packed.data + packed.len - 8, 8);
	assert_int_equal(end[0], codec_crc32(raw.data, raw.len));
	assert_int_equal(end[1], raw.len);
	buf_deinit(&raw);
	buf_deinit(&packed);
}

static void test_source_files(void **state)
{
	char path[] = "/tmp/singe-test-XXXXXX.c";
	int fd = mkstemps(path, 2);
	struct buf b = { 0 };

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "int x;\n", 7), 7);
	close(fd);
	assert_true(sourcefile_read(path, &b));
	assert_int_equal(b.len, 7);
	/* Nothing that is not named like source, no folder. */
	assert_false(sourcefile_read("/etc/passwd", &b));
	assert_false(sourcefile_read("/tmp/.c", &b));
	assert_false(sourcefile_read("/nonexistent/x.c", &b));
	assert_int_equal(b.len, 7);
	unlink(path);
	buf_deinit(&b);
}

static void make_file(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_fclose_ FILE *f = fopen(path, "we");

	assert_non_null(f);
}

static void expect_found(const struct source_dirs *dirs, const char *name, const char *dir,
			 const char *want)
{
	_cleanup_free_ char *found = sourcefile_find(dirs, name);
	_cleanup_free_ char *path = want ? xasprintf("%s/%s", dir, want) : NULL;

	if (want)
		assert_string_equal(found, path);
	else
		assert_null(found);
}

/* The most of a name that fits counts, whatever the order of the directories. */
static void test_source_directories(void **state)
{
	char top[] = "/tmp/singe-test-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(top));
	_cleanup_free_ char *one = xasprintf("%s/one", top), *two = xasprintf("%s/two", top);
	_cleanup_free_ char *sub = xasprintf("%s/two/sub", top);
	const char *const both[] = { one, two };
	const struct source_dirs dirs = { both, 2 }, first = { both, 1 };

	assert_int_equal(mkdir(one, 0700) | mkdir(two, 0700) | mkdir(sub, 0700), 0);
	make_file(one, "a.c");
	make_file(sub, "a.c");
	make_file(two, "b.c");
	make_file(two, "passwd");
	expect_found(&dirs, "/build/sub/a.c", two, "sub/a.c");
	expect_found(&first, "/build/sub/a.c", one, "a.c");
	expect_found(&dirs, "sub/a.c", two, "sub/a.c");
	expect_found(&dirs, "./b.c", two, "./b.c");
	expect_found(&dirs, "/build/sub/b.c", two, "b.c");
	expect_found(&first, "/build/sub/b.c", one, NULL);
	expect_found(&dirs, "/build/sub/", one, NULL);
	expect_found(&dirs, "passwd", one, NULL);
	expect_found(&dirs, "sub", one, NULL);
	expect_found(NULL, "sub/a.c", one, NULL);
	_cleanup_free_ char *whole = xasprintf("%s/b.c", two);

	/* A file that is where its name says is taken from nowhere else. */
	make_file(one, "b.c");
	expect_found(&dirs, whole, two, "b.c");
	expect_found(NULL, whole, two, "b.c");
	_cleanup_free_ char *clean = xasprintf("rm -r %s", top);

	assert_int_equal(system(clean), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_strings),
		cmocka_unit_test(test_samples_of_any_grouping_and_direction),
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_lines_are_nodes),
		cmocka_unit_test(test_code_in_the_page),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_source_files),
		cmocka_unit_test(test_source_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
