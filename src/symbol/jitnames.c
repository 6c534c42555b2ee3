/* In: addresses of JIT code, and a map or dump of it. Out: their entries in the table of names. */
#include "symbol/jitnames.h"

#include "symbol/jitdump.h"
#include "symbol/perfmap.h"

static void set(const struct jitnames *j, size_t i, const char *name,
		const struct jitdump_line *line)
{
	struct intern *strings = &j->data->names.strings;
	struct name_line l = { .function = intern_add(strings, name ?: j->standin) };
	uint16_t flags = name ? NAME_FOUND : 0;

	if (line) {
		l.file = intern_add(strings, line->file);
		l.line = line->line;
		flags |= NAME_HAS_LINES;
	}
	names_set(&j->data->names, j->binary, j->keys[i], &l, 1, flags);
}

static struct err *by_map(const struct jitnames *j, int fd)
{
	_cleanup_free_ uint32_t *found = xcalloc(j->n + 1, sizeof(*found));
	struct perfmap map;

	TRY(perfmap_read(fd, &map));
	perfmap_find(&map, j->keys, j->n, found);
	for (size_t i = 0; i < j->n; i++)
		set(j, i, found[i] == UINT32_MAX ? NULL : map.text + map.v.v[found[i]].name, NULL);
	perfmap_deinit(&map);
	return NULL;
}

static struct err *by_dump(const struct jitnames *j, int fd)
{
	_cleanup_free_ uint32_t *found = xcalloc(j->n + 1, sizeof(*found));
	size_t n_several = 0;
	struct jitdump dump;

	TRY(jitdump_read(fd, &dump));
	jitdump_find(&dump, j->keys, j->n, found);
	for (size_t i = 0; i < j->n; i++) {
		bool known = found[i] < JITDUMP_SEVERAL;
		const struct jitdump_code *code = known ? &dump.code.v[found[i]] : NULL;

		n_several += found[i] == JITDUMP_SEVERAL;
		set(j, i, code ? code->name : NULL,
		    code ? jitdump_line(&dump, code, j->keys[i]) : NULL);
	}
	if (n_several)
		diag_add(j->diag, DIAG_WARNING, "jit-several",
			 "%zu places of JIT code have no name: different functions were there at "
			 "different times",
			 n_several);
	jitdump_deinit(&dump);
	return NULL;
}

struct err *jitnames_run(const struct jitnames *j, int fd)
{
	return jitdump_is(fd) ? by_dump(j, fd) : by_map(j, fd);
}
