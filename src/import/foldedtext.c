/* In: lines of folded stacks. Out: samples.
 *
 * Folded files are sorted, so a line mostly begins like the one before: names up to there are not
 * looked at again. */
#include "import/foldedtext.h"

#include <string.h>

bool foldedtext_is(const char *line, size_t len)
{
	size_t digits = 0;

	while (digits < len && line[len - 1 - digits] >= '0' && line[len - 1 - digits] <= '9')
		digits++;
	if (digits && digits < len && line[len - 1 - digits] == '.')
		return foldedtext_is(line, len - 1 - digits);
	return digits && digits < len && line[len - 1 - digits] == ' ';
}

void foldedtext_init(struct foldedtext *f, struct dataset *data, struct diag *diag)
{
	/* Samples are what the numbers count, unless someone says otherwise. */
	struct event_desc e = { .name = xstrdup("samples"),
				.unit = xstrdup("samples"),
				.is_freq = true };

	*f = (struct foldedtext){ .data = data, .diag = diag };
	vec_push(&data->events, e);
	f->program = textplaces_binary(data, (struct text_span){ "", 0 }, TEXT_BY_NAME);
	f->kernel = textplaces_binary(data, (struct text_span){ "[kernel]", 8 }, TEXT_BY_NAME);
	f->jit = textplaces_binary(data, (struct text_span){ "[jit]", 5 }, TEXT_BY_NAME);
}

void foldedtext_deinit(struct foldedtext *f)
{
	vec_deinit(&f->levels);
	vec_deinit(&f->stack);
	vec_deinit(&f->nodes);
	vec_deinit(&f->places);
	vec_deinit(&f->threads);
	vec_deinit(&f->samples);
}

static bool ends_in(struct text_span s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && !memcmp(s.p + s.len - n, suffix, n);
}

/* The suffixes that stackcollapse-perf.pl and others put on names say where code lies. */
static struct frame_place place_of(struct foldedtext *f, struct text_span name)
{
	uint32_t id = intern_add_len(&f->data->names.strings, name.p, name.len);
	uint32_t binary = f->program;

	while (f->places.n <= id)
		vec_push(&f->places, ((struct frame_place){ 0 }));
	if (f->places.v[id].binary)
		return f->places.v[id];
	if (ends_in(name, "_[k]"))
		binary = f->kernel;
	else if (ends_in(name, "_[j]"))
		binary = f->jit;
	f->places.v[id] = textplaces_named(f->data, binary, &name, 1);
	return f->places.v[id];
}

static size_t common_prefix(const char *a, const char *b, size_t len)
{
	size_t i = 0;

	for (uint64_t x, y; i + 8 <= len; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			return i + (size_t)__builtin_ctzll(x ^ y) / 8;
	}
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* How many names of the line before are this one's too; each must end here as it did there. */
static size_t shared_levels(const struct foldedtext *f, const char *line, size_t len)
{
	size_t n = f->levels.n;

	if (!f->before)
		return 0;
	size_t same = common_prefix(f->before, line, len < f->before_len ? len : f->before_len);

	while (n && (f->levels.v[n - 1].end > same || f->levels.v[n - 1].end > len ||
		     (f->levels.v[n - 1].end < len && line[f->levels.v[n - 1].end] != ';')))
		n--;
	return n;
}

static uint32_t thread_named(struct foldedtext *f, const char *p, size_t len)
{
	uint32_t id = intern_add_len(&f->data->names.strings, p, len);

	while (f->threads.n <= id)
		vec_push(&f->threads, UINT32_MAX);
	if (f->threads.v[id] == UINT32_MAX) {
		char *comm = (char *)intern_str(&f->data->names.strings, id);
		struct thread_entry t = {
			.pid = UINT32_MAX, .tid = UINT32_MAX, .comm = comm, .process_comm = comm
		};

		f->threads.v[id] = threads_add(&f->data->threads, &t);
	}
	return f->threads.v[id];
}

static uint32_t stack_of(struct foldedtext *f, const char *line, size_t len)
{
	f->levels.n = shared_levels(f, line, len);
	size_t at = f->levels.n ? f->levels.v[f->levels.n - 1].end + 1 : 0;
	uint32_t node = f->levels.n ? f->levels.v[f->levels.n - 1].node : 0;
	size_t first;

	f->stack.n = 0;
	for (first = f->levels.n ? f->levels.n : 1; at <= len;) {
		const char *semicolon = at < len ? memchr(line + at, ';', len - at) : NULL;
		size_t end = semicolon ? (size_t)(semicolon - line) : len;

		if (!f->levels.n)
			f->thread = thread_named(f, line, end);
		else
			vec_push(&f->stack, place_of(f, (struct text_span){ line + at, end - at }));
		vec_push(&f->levels, ((struct foldedtext_level){ end, 0 }));
		at = end + 1;
	}
	vec_reserve(&f->nodes, f->stack.n);
	frametree_add_stack(&f->data->tree, node, f->stack.v, f->stack.n, f->nodes.v);
	for (size_t i = 0; i < f->stack.n; i++)
		f->levels.v[first + i].node = node = f->nodes.v[i];
	f->before = line;
	f->before_len = len;
	return node;
}

/* "12" or "12.5", which is rounded. */
static bool count_of(const char *p, size_t len, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < len && p[i] >= '0' && p[i] <= '9'; i++) {
		if (n > (UINT64_MAX >> 2) / 10)
			return false;
		n = n * 10 + (uint64_t)(p[i] - '0');
	}
	bool half = i + 1 < len && p[i] == '.' && p[i + 1] >= '5';

	*ret = n + half;
	return i && (i == len || p[i] == '.');
}

static void bad_line(struct foldedtext *f, const char *line, size_t len)
{
	f->n_bad++;
	diag_add(f->diag, DIAG_WARNING, "folded line",
		 "line %llu is no folded stack (\"a;b;c 12\"): '%.*s'; such lines are left out",
		 (unsigned long long)f->n_lines, (int)(len < 80 ? len : 80), line);
}

static void take_line(struct foldedtext *f, const char *line, size_t len)
{
	uint64_t count = 0;

	f->n_lines++;
	while (len && (line[len - 1] == '\r' || line[len - 1] == ' '))
		len--;
	if (!len || line[0] == '#')
		return;
	const char *blank = memrchr(line, ' ', len);
	size_t stack_len = blank ? (size_t)(blank - line) : 0;

	if (!blank || !count_of(blank + 1, len - stack_len - 1, &count)) {
		bad_line(f, line, len);
		return;
	}
	while (stack_len && line[stack_len - 1] == ' ')
		stack_len--;
	uint32_t node = stack_of(f, line, stack_len);
	struct totals *t = &f->data->totals;

	if (!count)
		return;
	vec_push(&f->samples,
		 ((struct sample){
			 .period = count, .thread = f->thread, .node = node, .cpu = UINT32_MAX }));
	if (__builtin_add_overflow(t->samples, count, &t->samples))
		t->samples = UINT64_MAX;
}

void foldedtext_read(struct foldedtext *f, const char *p, const char *end)
{
	f->samples.n = 0;
	f->before = NULL; /* the window has moved */
	f->levels.n = 0;
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;

		take_line(f, p, (size_t)(stop - p));
		p = stop + 1;
	}
}
