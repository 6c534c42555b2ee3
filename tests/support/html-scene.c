/* Writes recordings for tests of the page: `html-scene NAME FILE`.
 *   big     1,000,000 samples, 100,000 distinct frames, 24 threads, two events' worth of a minute
 *   busy    a minute of a busy machine of 2 CPUs at 999 Hz
 *   hosts   a merge of two hosts
 *   deep    stacks of 2,000 frames; wide: 20,000 functions called by one; threads: 500 of them
 *   one     a single sample; none: no sample at all
 *   names   names that are markup, very long, right to left, wide, broken
 *   lines   functions with files and lines, inlined calls, two events, bursts at known times
 *   code    no recording but a page, with instructions; diff: one of two recordings over one tree
 * The same each time: a generator of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/html.h"
#include "recording/writer.h"
#include "support/handtree.h"
#include "support/memsource.h"

struct scene {
	struct memsource m;
	uint64_t random;
	uint64_t length_ns;
};

static uint64_t next_random(struct scene *s)
{
	s->random = s->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return s->random >> 33;
}

static uint32_t add_frame(struct scene *s, uint32_t parent, uint32_t binary, const char *name,
			  const char *file, uint32_t line)
{
	struct memsource *m = &s->m;
	_cleanup_free_ char *word = xasprintf("%u %s %u", binary, name, line);
	uint64_t off = 16 * (uint64_t)intern_add(&m->words, word);
	struct name_line l = {
		.function = intern_add(&m->data.names.strings, name),
		.file = file ? intern_add(&m->data.names.strings, file) : 0,
		.line = line,
	};
	uint16_t flags = NAME_FOUND | (!strcmp(name, "_start") ? NAME_START : 0);

	names_set(&m->data.names, binary, off, &l, 1, flags);
	return frametree_add(&m->data.tree, parent, binary, off, FRAME_PC);
}

static void add_sample(struct scene *s, uint64_t at_ns, uint32_t thread, uint32_t node,
		       uint32_t cpu, uint32_t event, uint64_t period)
{
	struct sample sample = { .time_ns = 5000000000 + at_ns,
				 .period = period,
				 .thread = thread,
				 .node = node,
				 .cpu = cpu,
				 .event = event };

	vec_push(&s->m.samples, sample);
	if (at_ns > s->length_ns)
		s->length_ns = at_ns;
}

/* A tree of `n` frames, each under an earlier one; stacks are 10 to 40 frames deep. */
static uint32_t *grow_tree(struct scene *s, uint32_t n, uint32_t n_functions)
{
	uint32_t *nodes = xcalloc(n, sizeof(*nodes)), *depth = xcalloc(n, sizeof(*depth));
	const uint32_t binaries[] = { s->m.app, s->m.app, s->m.lib, s->m.jit, BINARY_KERNEL };

	nodes[0] = add_frame(s, 0, s->m.app, "_start", NULL, 0);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t window = i < 3000 ? i : 3000;
		uint32_t parent = i - 1 - (uint32_t)(next_random(s) % window);
		uint64_t f = next_random(s) % n_functions;
		char name[80];

		if (i < 40 || (depth[parent] < 10 && next_random(s) % 3))
			parent = i - 1;
		if (depth[parent] >= 40)
			parent = parent % 20;
		depth[i] = depth[parent] + 1;
		snprintf(name, sizeof(name), "namespace_%d::function_number_%d(int, char const*)",
			 (int)(f % 61), (int)f);
		nodes[i] = add_frame(s, nodes[parent], binaries[f % 5], name, NULL, 0);
	}
	free(depth);
	return nodes;
}

/* Threads that run for a while on one stack or one near it, as programs do. */
static void run_threads(struct scene *s, uint32_t n_samples, uint32_t n_threads, uint32_t n_cpus,
			const uint32_t *nodes, uint32_t n_nodes, uint64_t interval_ns)
{
	uint32_t first = 0, at[64] = { 0 };

	for (uint32_t t = 0; t < n_threads; t++) {
		char name[16];

		snprintf(name, sizeof(name), "worker-%u", t % 7);
		uint32_t id = memsource_thread(&s->m, 100 + t / 8, 1000 + t, name, "server");

		first = t ? first : id;
	}
	for (uint32_t i = 0; i < n_samples; i++) {
		uint32_t cpu = i % n_cpus;
		uint64_t now = i / n_cpus * interval_ns + next_random(s) % (interval_ns / 100 + 1);
		uint32_t thread = (uint32_t)((i / (n_cpus * 50) * 7 + cpu * 3) % n_threads);

		if (next_random(s) % 3)
			at[thread] = (uint32_t)((at[thread] + next_random(s) % 200) % n_nodes);
		else if (!(next_random(s) % 4))
			at[thread] = (uint32_t)(next_random(s) % n_nodes);
		add_sample(s, now, first + thread, nodes[at[thread]], cpu, 0, 1000000);
	}
}

static void scene_big(struct scene *s)
{
	uint32_t *nodes = grow_tree(s, 100000, 40000);

	s->m.data.meta.n_cpus = 16;
	run_threads(s, 1000000, 24, 16, nodes, 100000, 1001001);
	free(nodes);
}

static void scene_busy(struct scene *s)
{
	uint32_t *nodes = grow_tree(s, 12000, 3000);

	run_threads(s, 120000, 12, 2, nodes, 12000, 1001001);
	free(nodes);
}

static void scene_deep(struct scene *s)
{
	uint32_t thread = memsource_thread(&s->m, 100, 100, "deep", "deep");
	uint32_t node = add_frame(s, 0, s->m.app, "_start", NULL, 0);

	for (uint32_t i = 0; i < 2000; i++) {
		node = add_frame(s, node, s->m.app,
				 i % 2 ? "even(unsigned long)" : "odd(unsigned long)", NULL, 0);
		add_sample(s, i * 1000000ULL, thread, node, 0, 0, 1000000);
	}
}

static void scene_wide(struct scene *s)
{
	uint32_t thread = memsource_thread(&s->m, 100, 100, "wide", "wide");
	uint32_t top = add_frame(s, 0, s->m.app, "_start", NULL, 0);

	for (uint32_t i = 0; i < 20000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "callee_%05u", i);
		uint32_t node = add_frame(s, top, s->m.lib, name, NULL, 0);

		add_sample(s, i * 100000ULL, thread, node, i % 4, 0, 1000000);
	}
}

static void scene_threads(struct scene *s)
{
	uint32_t node = add_frame(s, 0, s->m.app, "_start", NULL, 0);
	uint32_t leaf = add_frame(s, node, s->m.app, "spin", NULL, 0);

	for (uint32_t t = 0; t < 500; t++) {
		char name[16];

		snprintf(name, sizeof(name), "thread-%u", t);
		uint32_t id = memsource_thread(&s->m, 100, 1000 + t, name, "many");

		for (uint32_t i = 0; i <= t % 40; i++)
			add_sample(s, i * 50000000ULL + t * 1000ULL, id, leaf, t % 4, 0, 1000000);
	}
}

/* A merge: one number on two hosts, 30 and 10 samples. */
static void scene_hosts(struct scene *s)
{
	uint32_t node = memsource_stack(&s->m, "_start;main"), here, there;
	struct thread_entry t;

	here = memsource_thread(&s->m, 100, 100, "app", "app");
	t = *threads_get(&s->m.data.threads, here);
	t.origin = 1;
	there = threads_add(&s->m.data.threads, &t);
	for (int i = 1; i < 3; i++)
		vec_push(&s->m.data.meta.origins, xasprintf("web%d", i));
	for (uint32_t i = 0; i < 40; i++)
		add_sample(s, i * 1000000ULL, i % 4 ? here : there, node, 0, 0, 1000000);
}

static void scene_one(struct scene *s)
{
	uint32_t thread = memsource_thread(&s->m, 100, 100, "once", "once");

	add_sample(s, 0, thread, memsource_stack(&s->m, "_start;main"), 0, 0, 1000000);
}

static void scene_none(struct scene *s)
{
	memsource_thread(&s->m, 100, 100, "idle", "idle");
}

static void scene_names(struct scene *s)
{
	static char long_name[10001];
	static const char *const names[] = {
		"</script><img src=x onerror=document.title='owned'>",
		"<script>document.title='owned'</script>",
		"\"'><svg/onload=document.title='owned'>",
		"__proto__",
		"constructor",
		"h\x01\xff<&\"'",
		"a\nb\r\tc\x1b[31m",
		"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd7\xa2\xd7\x95\xd7\x9c\xd7\x9d()",
		"\xe2\x80\xae gnp.exe \xe2\x81\xa6",
		"日本語の関数名前::処理する(引数)",
		"🔥🚀👩‍👩‍👧‍👦::emoji()",
		"cut \xe4\xb8",
		"operator<< <std::vector<int>>(std::ostream&, int const&)",
		" ",
	};
	uint32_t thread = memsource_thread(&s->m, 100, 100, "\xff<b>comm", "</title><b>");
	uint32_t at = add_frame(s, 0, s->m.app, "_start", NULL, 0);
	uint64_t now = 0;

	memset(long_name, 'x', sizeof(long_name) - 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		at = add_frame(s, at, i % 2 ? s->m.lib : s->m.app, names[i], "/tmp/<b>.c", 1);
		add_sample(s, now += 1000000, thread, at, 0, 0, 1000000);
	}
	at = add_frame(s, at, s->m.jit, long_name, NULL, 0);
	for (int i = 0; i < 50; i++)
		add_sample(s, now += 1000000, thread, at, 0, 0, 1000000);
}

/* Ten seconds. Thread 100 parses all of the time; thread 101 sorts from 3 s to 4 s and in a burst
 * of 10 ms at 7 s. A second event, in periods. */
static void scene_lines(struct scene *s)
{
	struct memsource *m = &s->m;
	const char *file = "/src/app/parse.cc", *other = "/src/app/sort.cc";
	uint32_t parser = memsource_thread(m, 100, 100, "parser", "app");
	uint32_t sorter = memsource_thread(m, 100, 101, "sorter", "app");
	uint32_t misses = memsource_event(m, "cache-misses", "events", true);
	uint32_t start = add_frame(s, 0, m->app, "_start", NULL, 0);
	uint32_t main_ = add_frame(s, start, m->app, "main", file, 90);
	uint32_t parse = add_frame(s, main_, m->app, "parse", file, 12);
	uint32_t parse2 = add_frame(s, main_, m->app, "parse", file, 15);
	uint32_t lex = add_frame(s, parse, m->app, "lex", file, 31);
	uint32_t again = add_frame(s, parse, m->app, "parse", file, 12);
	uint32_t read_ = add_frame(s, again, m->lib, "read", NULL, 0);
	uint32_t sys = add_frame(s, read_, BINARY_KERNEL, "ksys_read", NULL, 0);
	uint32_t sort = add_frame(s, main_, m->app, "sort", other, 7);
	uint32_t less = add_frame(s, sort, m->app, "less", other, 3);
	uint32_t unknown = add_frame(s, sort, m->lib, "[libx.so.1]", NULL, 0);
	const uint32_t mix[] = { parse, parse, parse2, lex, lex, lex, sys, sys, again, parse2 };

	for (uint32_t i = 0; i < 10000; i++)
		add_sample(s, i * 1000000ULL, parser, mix[i % 10], 0, 0, 1000000);
	for (uint32_t i = 0; i < 1000; i++)
		add_sample(s, 3000000000 + i * 1000000ULL, sorter,
			   i % 4 == 3 ? unknown
			   : i % 2    ? less
				      : sort,
			   1, 0, 1000000);
	for (uint32_t i = 0; i < 10; i++)
		add_sample(s, 7000000000 + i * 1000000ULL, sorter, less, 1, 0, 1000000);
	for (uint32_t i = 0; i < 500; i++)
		add_sample(s, i * 20000000ULL, i % 5 ? parser : sorter, i % 5 ? lex : less, i % 2,
			   misses, 1000 + i);
	s->m.data.totals.lost = 110;
}

static const struct {
	const char *name;
	void (*make)(struct scene *s);
} scenes[] = {
	{ "big", scene_big },     { "busy", scene_busy },       { "deep", scene_deep },
	{ "wide", scene_wide },   { "threads", scene_threads }, { "one", scene_one },
	{ "none", scene_none },   { "names", scene_names },     { "lines", scene_lines },
	{ "hosts", scene_hosts },
};

static struct err *write_recording(struct scene *s, int fd)
{
	CLEANUP(writer_destroy) struct writer *w = NULL;
	struct memsource *m = &s->m;
	struct totals *t = &m->data.totals;
	size_t from = 0;

	memsource_callgraph(m, "fp");
	m->data.events.v[0].interval_ns = 1000000;
	m->data.meta.clock_start_ns = 5000000000;
	t->samples = m->samples.n;
	t->first_ns = 5000000000;
	t->last_ns = 5000000000 + s->length_ns;
	t->end_ns = t->last_ns + 1000000;
	t->recorder_cpu_ns = 20000000;
	TRY(writer_create(fd, CODEC_ZLIB, &m->data, &w));
	for (size_t i = 0; i < m->samples.n; i++)
		TRY(writer_sample(w, &m->samples.v[i]));
	TRY(writer_end(w, t));
	return writer_names(w, &m->data.names, &from);
}

/* Of 1000 samples each: `slow` grew from 100 to 400, `fast` shrank by as much, `same` stayed within
 * chance, `gone` and `new` are only in one. */
static struct err *write_diff(const char *path)
{
	static const struct {
		const char *name;
		uint64_t a, b;
	} rows[] = { { "fast", 400, 100 },
		     { "gone", 50, 0 },
		     { "new", 0, 52 },
		     { "same", 450, 448 },
		     { "slow", 100, 400 } };
	uint64_t self_b[16] = { 0 };
	struct html_diff diff = { .name_a = "before.rec", .name_b = "after.rec", .self_b = self_b };
	struct html_options options = { .diff = &diff };
	struct handtree h;
	FILE *out = fopen(path, "we");

	if (!out)
		return err_sys(errno, "open %s", path);
	handtree_init(&h);
	uint32_t main_ = handtree_child(&h, 0, "main", ORIGIN_USER);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t node = handtree_child(&h, main_, rows[i].name, ORIGIN_USER);

		handtree_add(&h, node, rows[i].a);
		self_b[node] = rows[i].b;
	}
	struct output_context ctx = { .tree = &h.tree, .options = &options };
	struct err *err = html_output.write(&ctx, out);

	fclose(out);
	handtree_deinit(&h);
	return err;
}

static void add_insn(struct disasm *d, uint64_t off, const char *text)
{
	vec_push(&d->v, ((struct disasm_insn){ off, off + 0x401000, 4, (uint32_t)d->text.len }));
	buf_cstr(&d->text, text);
}

/* 90 samples in `hot`, whose instructions are there, 60 of them where `step` is inlined; 10 in
 * `cold`, whose are not. A sample every 10 ms. */
static void code_samples(struct scene *s)
{
	struct memsource *m = &s->m;
	struct names *names = &m->data.names;
	const uint32_t file = intern_add(&names->strings, "/src/app/hot.cc");
	const uint32_t hot = intern_add(&names->strings, "hot");
	const struct name_line lines[] = { { intern_add(&names->strings, "step"), file, 3 },
					   { hot, file, 21 } };
	uint32_t thread = memsource_thread(m, 100, 100, "app", "app");
	uint32_t from = add_frame(s, add_frame(s, 0, m->app, "_start", NULL, 0), m->app, "main",
				  "/src/app/main.cc", 9);
	uint32_t cold = add_frame(s, from, m->app, "cold", "/src/app/cold.cc", 5);

	for (uint64_t i = 0; i < 20; i++) {
		bool in_step = i >= 10 && i < 14;

		names_set(names, m->app, 0x10000 + 4 * i, in_step ? lines : lines + 1,
			  in_step ? 2 : 1, NAME_FOUND);
	}
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t off = 0x10000 + 4 * (i % 10 < 3 ? 2 : i % 2 ? 12 : 11);
		uint32_t node = frametree_add(&m->data.tree, from, m->app, off, FRAME_PC);

		add_sample(s, i * 10000000, thread, i % 10 == 9 ? cold : node, 0, 0, 1000000);
	}
}

static struct err *write_code(const char *path)
{
	static const char *const texts[] = { "pushq %rbp", "movq %rsp, %rbp", "addl $1, %eax",
					     "imulq 0x1f0(%rdi,%rsi,8), %rax" };
	struct profile_options options = { .by = GROUP_NONE, .keep = true };
	struct scene s = { .random = 1 };
	struct asmlist code = { 0 };
	CLEANUP(profile_destroy) struct profile *p = NULL;
	CLEANUP(calltree_destroy) struct calltree *t = NULL;
	struct disasm insns = { 0 };
	FILE *out = fopen(path, "we");

	if (!out)
		return err_sys(errno, "open %s", path);
	memsource_init(&s.m);
	code_samples(&s);
	TRY(profile_build(&s.m.source, &options, NULL, &p));
	TRY(calltree_build(p, &s.m.data.names, &(struct calltree_options){ .lines = true }, &t));
	asmlist_init_hottest(&code, t, 1);
	for (uint64_t i = 0; i < 20; i++)
		add_insn(&insns, 0x10000 + 4 * i, texts[i < 2 ? i : 2 + i % 2]);
	asmlist_add_part(&code, 0, &insns, NULL);
	struct html_options html = { .by = GROUP_NONE, .embed_code = 1, .code = &code };
	struct output_context ctx = { .tree = t, .options = &html };
	struct err *err = html_output.write(&ctx, out);

	fclose(out);
	asmlist_deinit(&code);
	memsource_deinit(&s.m);
	return err;
}

int main(int argc, char **argv)
{
	struct err *err = argc == 3 && !strcmp(argv[1], "diff") ? write_diff(argv[2])
			  : argc == 3 && !strcmp(argv[1], "code")
				  ? write_code(argv[2])
				  : err_new("usage: html-scene NAME FILE");

	for (size_t i = 0; argc == 3 && i < sizeof(scenes) / sizeof(*scenes); i++) {
		struct scene s = { .random = 1 };

		if (strcmp(scenes[i].name, argv[1]) != 0)
			continue;
		err_destroy(err);
		_cleanup_close_ int fd =
			open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		memsource_init(&s.m);
		scenes[i].make(&s);
		err = fd < 0 ? err_sys(errno, "open %s", argv[2]) : write_recording(&s, fd);
		memsource_deinit(&s.m);
		break;
	}
	if (!err)
		return 0;
	fprintf(stderr, "html-scene: %s\n", err_msg(err));
	err_destroy(err);
	return 1;
}
