/* Writes a recording of stacks written down here: `scene NAME FILE`. Golden tests report on it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recording/writer.h"
#include "support/memsource.h"

/* Two threads, the kernel, a library, JIT code, an inlined call, recursion, names that are no
 * words. */
static void scene_mixed(struct memsource *m)
{
	uint32_t main_thread = memsource_thread(m, 100, 100, "app", "app");
	uint32_t worker = memsource_thread(m, 100, 101, "work er;1", "app");

	memsource_callgraph(m, "fp");
	memsource_add(m, main_thread, "_start;main;parse>lex", 20);
	memsource_add(m, main_thread, "_start;main;parse;parse;parse", 10);
	memsource_add(m, main_thread, "_start;main;lib:write;k:sys_write;k:copy", 15);
	memsource_add(m, main_thread, "_start;main;lib:?", 5);
	memsource_add(m, main_thread, "_start;main", 5);
	memsource_add(m, worker, "_start;main;jit:LFoo,;lib:operator new(unsigned long)", 20);
	memsource_add(m, worker, "_start;main;jit:LFoo,;parse", 15);
	memsource_add(m, worker, "lib:memset 16", 8);
	memsource_add(m, worker, "k:softirq", 2);
	m->data.totals.lost = 3;
	vec_push(&m->data.meta.fallbacks, xstrdup("cycles is not there: cpu-clock instead"));
}

/* The same, with a line of source for each function of the program. */
static void scene_lines(struct memsource *m)
{
	struct names *n = &m->data.names;
	uint32_t file = intern_add(&n->strings, "/src/app.c");
	uint32_t other = intern_add(&n->strings, "/src/lex.h");

	scene_mixed(m);
	for (size_t i = 0; i < n->entries.n; i++) {
		struct name_entry *e = &n->entries.v[i];

		if (e->binary != m->app)
			continue;
		e->flags |= NAME_HAS_LINES;
		for (uint16_t k = 0; k < e->n; k++) {
			n->lines.v[e->first + k].file = k + 1 < e->n ? other : file;
			n->lines.v[e->first + k].line = (uint32_t)(10 * i + k + 10);
		}
	}
}

static void scene_empty(struct memsource *m)
{
	memsource_thread(m, 100, 100, "app", "app");
	memsource_callgraph(m, "fp");
}

/* Two events, one of them in frequency mode: weights are periods. */
static void scene_events(struct memsource *m)
{
	uint32_t cycles = memsource_event(m, "cycles:u", "events", true);
	uint32_t t = memsource_thread(m, 100, 100, "app", "app");
	uint32_t hot = memsource_stack(m, "_start;main;hot");

	memsource_add(m, t, "_start;main;cold", 3);
	memsource_sample(m, (struct sample){ 0, 1000000, t, hot, 1, cycles });
	memsource_sample(m, (struct sample){ 0, 2500000, t, hot, 1, cycles });
}

/* Functions of one name in two binaries, as callers and as callees. */
static void scene_twins(struct memsource *m)
{
	uint32_t t = memsource_thread(m, 100, 100, "app", "app");

	memsource_callgraph(m, "fp");
	memsource_add(m, t, "_start;main;init;copy", 30);
	memsource_add(m, t, "_start;main;lib:init;copy", 20);
	memsource_add(m, t, "_start;main;lib:init;lib:copy", 10);
}

static const struct {
	const char *name;
	void (*make)(struct memsource *m);
} scenes[] = {
	{ "mixed", scene_mixed },   { "lines", scene_lines }, { "empty", scene_empty },
	{ "events", scene_events }, { "twins", scene_twins },
};

static struct err *write_recording(struct memsource *m, int fd)
{
	CLEANUP(writer_destroy) struct writer *w = NULL;
	struct totals *t = &m->data.totals;
	size_t from = 0;

	m->data.meta.clock_start_ns = 5000000000;
	t->samples = m->samples.n;
	t->first_ns = 5000000000;
	t->last_ns = m->now_ns - 1000000;
	t->end_ns = 5200000000;
	TRY(writer_create(fd, CODEC_ZLIB, &m->data, &w));
	for (size_t i = 0; i < m->samples.n; i++)
		TRY(writer_sample(w, &m->samples.v[i]));
	TRY(writer_end(w, t));
	return writer_names(w, &m->data.names, &from);
}

int main(int argc, char **argv)
{
	struct memsource m;
	struct err *err = err_new("usage: scene NAME FILE");

	for (size_t i = 0; argc == 3 && i < sizeof(scenes) / sizeof(*scenes); i++) {
		if (strcmp(argv[1], scenes[i].name) != 0)
			continue;
		_cleanup_close_ int fd =
			open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		err_destroy(err);
		memsource_init(&m);
		scenes[i].make(&m);
		err = fd < 0 ? err_sys(errno, "open %s", argv[2]) : write_recording(&m, fd);
		memsource_deinit(&m);
		break;
	}
	if (!err)
		return 0;
	fprintf(stderr, "scene: %s\n", err_msg(err));
	err_destroy(err);
	return 1;
}
