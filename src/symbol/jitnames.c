/* In: addresses of JIT code, and a map or dump of it. Out: their entries in the table of names. */
#include "symbol/jitnames.h"

#include <string.h>
#include <time.h>

#include "symbol/jitdump.h"
#include "symbol/perfmap.h"

/* One address, looked up by one of these. */
struct jitname {
	const char *name; /* NULL: none */
	const struct jitdump_line *line;
};

static void set(const struct jitnames *j, uint32_t binary, uint64_t key, const struct jitname *n)
{
	struct intern *strings = &j->data->names.strings;
	struct name_line l = { .function = intern_add(strings, n->name ?: j->standin) };
	uint16_t flags = n->name ? NAME_FOUND : 0;

	if (n->line) {
		l.file = intern_add(strings, n->line->file);
		l.line = n->line->line;
		flags |= NAME_HAS_LINES;
	}
	names_set(&j->data->names, binary, key, &l, 1, flags);
}

static struct err *by_map(const struct jitnames *j, int fd)
{
	_cleanup_free_ uint32_t *found = xcalloc(j->n + 1, sizeof(*found));
	struct perfmap map;

	TRY(perfmap_read(fd, &map));
	perfmap_find(&map, j->keys, j->n, found);
	for (size_t i = 0; i < j->n; i++) {
		bool known = found[i] != UINT32_MAX;
		struct jitname n = { .name = known ? map.text + map.v.v[found[i]].name : NULL };

		set(j, j->binary, j->keys[i], &n);
	}
	perfmap_deinit(&map);
	return NULL;
}

static struct jitname name_of(const struct jitnames *j, const struct jitdump *d,
			      const struct jitdump_change *c)
{
	const struct jitdump_code *code = &d->code.v[c->code];

	return (struct jitname){ code->name, jitdump_line(d, code, j->keys[c->addr]) };
}

static bool same_name(const struct jitname *a, const struct jitname *b)
{
	if (strcmp(a->name, b->name) != 0 || !a->line != !b->line)
		return false;
	return !a->line ||
	       (a->line->line == b->line->line && !strcmp(a->line->file, b->line->file));
}

/* What one address was: `n` changes, the place a generation of the binary after each. */
static void set_in_time(const struct jitnames *j, const struct jitdump *d,
			const struct jitdump_change *changes, size_t n)
{
	struct codetime times[JITDUMP_CHANGES_MAX];
	uint64_t key = j->keys[changes->addr];
	struct jitname last = { 0 };
	uint32_t n_times = 0;

	for (size_t i = 0; i < n; i++) {
		struct jitname now = name_of(j, d, &changes[i]);

		if (i && same_name(&last, &now))
			continue;
		struct codetime *t = &times[n_times++];

		t->from_ns = changes[i].from_ns;
		t->binary = binaries_generation(&j->data->binaries, j->binary, n_times);
		set(j, t->binary, key, &now);
		last = now;
	}
	codetimes_set(&j->data->codetimes, j->binary, key, times, n_times);
}

static struct jitdump_span span_of(const struct dataset *d)
{
	uint64_t end = d->totals.end_ns;

	return (struct jitdump_span){ d->meta.clock_start_ns, end ? end : UINT64_MAX };
}

static void report_no_times(const struct jitnames *j, const struct jitdump *d)
{
	uint32_t pid = binaries_get(&j->data->binaries, j->binary)->pid;

	diag_add(
		j->diag, DIAG_WARNING, "jit-clock",
		"the jitdump of process %u tells time by %s, not by CLOCK_MONOTONIC as the samples "
		"do: of several functions at one address, the last lends its name to all samples",
		pid, d->arch_time ? "a counter of the CPU" : "another clock");
}

static void by_changes(const struct jitnames *j, const struct jitdump *d, bool timed,
		       const jitdump_changes *changes)
{
	const struct jitname none = { 0 };

	for (size_t i = 0; i < j->n; i++)
		set(j, j->binary, j->keys[i], &none);
	for (size_t i = 0, end; i < changes->n; i = end) {
		const struct jitdump_change *c = &changes->v[i];

		for (end = i; end < changes->n && changes->v[end].addr == c->addr; end++)
			;
		if (timed) {
			set_in_time(j, d, c, end - i);
		} else {
			struct jitname n = name_of(j, d, c);

			set(j, j->binary, j->keys[c->addr], &n);
		}
	}
}

static struct err *by_dump(const struct jitnames *j, int fd)
{
	struct jitdump_span span = span_of(j->data);
	jitdump_changes changes = { 0 };
	struct jitdump dump;

	TRY(jitdump_read(fd, &dump));
	bool timed = j->data->meta.clockid == CLOCK_MONOTONIC && jitdump_has_times(&dump, &span);

	if (!timed)
		report_no_times(j, &dump);
	jitdump_find(&dump, j->keys, j->n, timed ? &span : NULL, &changes);
	by_changes(j, &dump, timed, &changes);
	vec_deinit(&changes);
	jitdump_deinit(&dump);
	return NULL;
}

struct err *jitnames_run(const struct jitnames *j, int fd)
{
	return jitdump_is(fd) ? by_dump(j, fd) : by_map(j, fd);
}
