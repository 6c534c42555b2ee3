/* In: the text of `perf script`. Out: samples.
 *
 * Most samples have a stack that was there before, byte for byte: it is found by the text of all
 * its lines, then by that of each line, before a line is taken apart. */
#include "import/scripttext.h"

#include <string.h>

#include "import/scripttidy.h"

void scripttext_init(struct scripttext *t, struct dataset *data, struct diag *diag)
{
	*t = (struct scripttext){ .data = data, .diag = diag };
}

void scripttext_deinit(struct scripttext *t)
{
	textcache_deinit(&t->stacks);
	textcache_deinit(&t->frames);
	textcache_deinit(&t->threads);
	vec_deinit(&t->places);
	vec_deinit(&t->stack);
	vec_deinit(&t->samples);
	buf_deinit(&t->tidied);
}

static void bad_line(struct scripttext *t, const char *p, size_t len)
{
	t->n_bad++;
	diag_add(t->diag, DIAG_WARNING, "perf script line",
		 "a line is neither a sample nor a frame: '%.*s'; such lines are left out",
		 (int)(len < 80 ? len : 80), p);
}

static uint32_t thread_of(struct scripttext *t, const struct script_header *h)
{
	uint64_t id;

	if (textcache_find(&t->threads, h->who.p, h->who.len, 0, &id))
		return (uint32_t)id;
	_cleanup_free_ char *comm = xstrndup(h->comm.p, h->comm.len);
	struct thread_entry like = {
		.pid = h->pid, .tid = h->tid, .comm = comm, .process_comm = comm
	};

	id = threads_add(&t->data->threads, &like);
	textcache_add(&t->threads, h->who.p, h->who.len, 0, id);
	return (uint32_t)id;
}

static bool is_clock(struct text_span name)
{
	size_t n = 0;

	while (n < name.len && name.p[n] != ':' && name.p[n] != '/')
		n++;
	name.len = n;
	return text_span_is(name, "cpu-clock") || text_span_is(name, "task-clock");
}

/* Whether periods are said is told by the first sample: where they are not, samples are counted. */
static uint32_t event_of(struct scripttext *t, const struct script_header *h)
{
	struct text_span name = h->event;
	struct dataset *data = t->data;

	if (!name.len)
		name = (struct text_span){ "unknown", 7 };
	if (t->event < data->events.n && text_span_is(name, data->events.v[t->event].name))
		return t->event;
	for (uint32_t i = 0; i < data->events.n; i++)
		if (text_span_is(name, data->events.v[i].name))
			return t->event = i;
	enum { MAX_EVENTS = 4096 };

	if (data->events.n >= MAX_EVENTS)
		return t->event;
	struct event_desc e = { .name = xstrndup(name.p, name.len),
				.unit = xstrdup(is_clock(name) ? "ns" : "events"),
				.is_clock = is_clock(name),
				.is_freq = h->has_period };

	t->event = (uint32_t)data->events.n;
	vec_push(&data->events, e);
	return t->event;
}

static struct frame_place place_of(struct scripttext *t, const struct script_frame *f, bool java)
{
	struct text_span functions[SCRIPT_MAX_INLINES];
	struct text_span module = f->module.len ? f->module : (struct text_span){ "[unknown]", 9 };

	if (text_span_is(f->function, "[unknown]"))
		return textplaces_unnamed(t->data, module, f->pc);
	uint16_t n = scripttidy(f->function, java, &t->tidied, functions);

	return textplaces_named(t->data, textplaces_binary(t->data, module, TEXT_BY_NAME),
				functions, n);
}

/* False for what is no frame. Frames that begin with '(' stand for a process's name. */
static bool take_frame(struct scripttext *t, const char *p, size_t len, bool java)
{
	struct script_frame f;
	uint64_t id;

	if (textcache_find(&t->frames, p, len, java, &id)) {
		vec_push(&t->stack, t->places.v[id]);
		return true;
	}
	if (!script_frame(p, len, &f))
		return false;
	if (*f.function.p == '(')
		return true;
	struct frame_place place = place_of(t, &f, java);

	id = t->places.n;
	vec_push(&t->places, place);
	textcache_add(&t->frames, p, len, java, id);
	vec_push(&t->stack, place);
	return true;
}

static uint32_t node_of_stack(struct scripttext *t)
{
	uint32_t node = 0;

	for (size_t i = t->stack.n; i-- > 0;)
		node = frametree_add(&t->data->tree, node, t->stack.v[i].binary, t->stack.v[i].off,
				     FRAME_PC);
	return node;
}

static uint32_t node_of(struct scripttext *t, const char *p, const char *end, bool java)
{
	uint64_t node;

	if (p == end)
		return 0;
	if (textcache_find(&t->stacks, p, (size_t)(end - p), java, &node))
		return (uint32_t)node;
	t->stack.n = 0;
	for (const char *line = p; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *stop = newline ? newline : end;

		if (stop > line && *line != '#' &&
		    !take_frame(t, line, (size_t)(stop - line), java))
			bad_line(t, line, (size_t)(stop - line));
		line = stop + 1;
	}
	node = node_of_stack(t);
	textcache_add(&t->stacks, p, (size_t)(end - p), java, node);
	return (uint32_t)node;
}

static void add_sample(struct scripttext *t, const struct script_header *h, uint32_t node)
{
	struct totals *totals = &t->data->totals;
	struct sample s = {
		.time_ns = h->time_ns,
		.period = h->period,
		.thread = thread_of(t, h),
		.node = node,
		.cpu = h->cpu,
		.event = event_of(t, h),
	};

	vec_push(&t->samples, s);
	if (!totals->samples++ || s.time_ns < totals->first_ns)
		totals->first_ns = s.time_ns;
	if (s.time_ns > totals->last_ns)
		totals->last_ns = s.time_ns;
}

/* A line that is no frame of the sample above it: blank, or the next header (perf separates stacks
 * by blank lines, but samples without a stack are one line each). */
static bool ends_stack(const char *p, const char *end)
{
	struct script_header h;
	struct script_frame f;

	if (*p == '\t')
		return false;
	if (*p == '\n' || *p == '\r')
		return true;
	const char *newline = memchr(p, '\n', (size_t)(end - p));
	size_t len = (size_t)((newline ? newline : end) - p);
	size_t word = 0;

	while (word < len && (p[word] == ' '))
		word++;
	while (word < len && p[word] != ' ' && p[word] != '\t')
		word++;
	while (word < len && (p[word] == ' ' || p[word] == '\t'))
		word++;
	/* "  ffffffff81012345 do_idle …": a header has a number there, or its line is no frame. */
	if (word < len && (p[word] < '0' || p[word] > '9') && script_frame(p, len, &f))
		return false;
	return script_header(p, len, &h);
}

/* A sample without a stack shows its one place behind the event: "cycles:  ffff81 do_idle (…)". */
static uint32_t node_of_rest(struct scripttext *t, const struct script_header *h, bool java)
{
	t->stack.n = 0;
	return h->rest.len && take_frame(t, h->rest.p, h->rest.len, java) ? node_of_stack(t) : 0;
}

static bool is_java(const struct scripttext *t, const struct script_header *h)
{
	return !t->keep_java && text_span_is(h->comm, "java");
}

static void cut_off(struct scripttext *t)
{
	t->data->totals.damaged_blocks++;
	diag_add(t->diag, DIAG_WARNING, "perf script end",
		 "the text ends in the middle of a stack, without a blank line: the last sample is "
		 "left out");
}

/* The end of the lines below a header, NULL if it is not there yet. */
static const char *find_stack_end(const char *p, const char *end, bool last)
{
	while (p < end && !ends_stack(p, end)) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		if (!newline)
			return last ? end : NULL;
		p = newline + 1;
	}
	return p < end || last ? p : NULL;
}

const char *scripttext_read(struct scripttext *t, const char *p, const char *end, bool last)
{
	t->samples.n = 0;
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		struct script_header h;

		if (!newline && !last)
			break;
		const char *below = newline ? newline + 1 : end;
		size_t len = (size_t)((newline ? newline : end) - p);

		if (len && p[len - 1] == '\r')
			len--;
		if (!len || *p == '#') {
			p = below;
			continue;
		}
		if (!script_header(p, len, &h)) {
			bad_line(t, p, len);
			p = below;
			continue;
		}
		if (h.is_record) {
			p = below;
			continue;
		}
		const char *stop = find_stack_end(below, end, last);

		if (!stop)
			break;
		if (stop == end && stop > below) { /* no blank line, no header: perhaps cut */
			cut_off(t);
			return end;
		}
		bool java = is_java(t, &h);

		add_sample(t, &h,
			   stop > below ? node_of(t, below, stop, java)
					: node_of_rest(t, &h, java));
		p = stop;
	}
	return p;
}
