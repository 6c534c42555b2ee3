/* In: stacks as text. Out: a dataset and a stream of samples. */
#include "support/memsource.h"

#include <stdlib.h>
#include <string.h>

static struct err *memsource_next(struct source *src, struct batch *ret)
{
	struct memsource *m = (struct memsource *)src;
	size_t left = m->samples.n - m->taken;
	size_t n = left < m->batch_len ? left : m->batch_len;

	*ret = (struct batch){ .samples = n ? m->samples.v + m->taken : NULL, .n_samples = n };
	m->taken += n;
	return NULL;
}

static uint32_t add_binary(struct memsource *m, enum binary_kind kind, const char *path)
{
	struct binary b = { .kind = kind, .path = (char *)path };

	return binaries_add(&m->data.binaries, &b);
}

static void memsource_destroy(struct source *src)
{
	(void)src; /* the test owns it */
}

void memsource_init(struct memsource *m)
{
	*m = (struct memsource){ .batch_len = 3, .now_ns = 5000000000 };
	dataset_init(&m->data);
	intern_init(&m->words);
	m->source = (struct source){ &m->data, memsource_next, memsource_destroy };
	m->app = add_binary(m, BINARY_KIND_FILE, "/bin/app");
	m->lib = add_binary(m, BINARY_KIND_FILE, "/lib/libx.so.1");
	m->jit = add_binary(m, BINARY_KIND_ANON, "//anon");
	memsource_event(m, "cpu-clock", "ns", true);
	m->data.events.v[0].is_clock = true;
	m->data.totals.complete = true;
}

void memsource_deinit(struct memsource *m)
{
	dataset_deinit(&m->data);
	intern_deinit(&m->words);
	vec_deinit(&m->samples);
}

void memsource_callgraph(struct memsource *m, const char *mode)
{
	free(m->data.meta.callgraph);
	m->data.meta.callgraph = xstrdup(mode);
}

uint32_t memsource_event(struct memsource *m, const char *name, const char *unit, bool is_freq)
{
	struct event_desc e = {
		.name = xstrdup(name), .unit = xstrdup(unit), .is_freq = is_freq, .rate = 1000
	};

	vec_push(&m->data.events, e);
	return (uint32_t)m->data.events.n - 1;
}

uint32_t memsource_thread(struct memsource *m, uint32_t pid, uint32_t tid, const char *comm,
			  const char *process_comm)
{
	struct thread_entry t = {
		.pid = pid,
		.tid = tid,
		.comm = (char *)comm,
		.process_comm = (char *)process_comm,
	};

	return threads_add(&m->data.threads, &t);
}

static bool skip_prefix(const char **word, const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(*word, prefix, len) != 0)
		return false;
	*word += len;
	return true;
}

/* "f>g>h": h is the innermost and comes first. */
static void set_name(struct memsource *m, uint32_t binary, uint64_t off, const char *word)
{
	_cleanup_free_ char *copy = xstrdup(word);
	struct name_line lines[8];
	uint16_t n = 0;

	for (char *part = copy; part && n < 8; n++) {
		char *next = strchr(part, '>');

		if (next)
			*next++ = '\0';
		memmove(lines + 1, lines, n * sizeof(*lines));
		lines[0] =
			(struct name_line){ .function = intern_add(&m->data.names.strings, part) };
		part = next;
	}
	uint16_t flags = NAME_FOUND | (!strcmp(word, "_start") ? NAME_START : 0);

	names_set(&m->data.names, binary, off, lines, n, flags);
}

static uint32_t add_frame(struct memsource *m, uint32_t parent, const char *word)
{
	uint32_t binary = m->app;

	if (skip_prefix(&word, "cut:"))
		return frametree_add(&m->data.tree, parent, BINARY_UNKNOWN, strtoul(word, NULL, 10),
				     FRAME_CUT);
	if (skip_prefix(&word, "k:"))
		binary = BINARY_KERNEL;
	else if (skip_prefix(&word, "lib:"))
		binary = m->lib;
	else if (skip_prefix(&word, "jit:"))
		binary = m->jit;
	uint64_t off = 16 * (uint64_t)intern_add(&m->words, word);

	if (*word != '?')
		set_name(m, binary, off, word);
	return frametree_add(&m->data.tree, parent, binary, off, FRAME_PC);
}

uint32_t memsource_stack(struct memsource *m, const char *stack)
{
	_cleanup_free_ char *copy = xstrdup(stack);
	char *save = NULL;
	uint32_t node = 0;

	for (char *w = strtok_r(copy, ";", &save); w; w = strtok_r(NULL, ";", &save))
		node = add_frame(m, node, w);
	return node;
}

void memsource_sample(struct memsource *m, struct sample s)
{
	s.time_ns = m->now_ns;
	m->now_ns += 1000000;
	vec_push(&m->samples, s);
}

void memsource_add(struct memsource *m, uint32_t thread, const char *stack, unsigned int n)
{
	struct sample s = {
		.period = 1000000,
		.thread = thread,
		.node = memsource_stack(m, stack),
	};

	for (unsigned int i = 0; i < n; i++)
		memsource_sample(m, s);
}
