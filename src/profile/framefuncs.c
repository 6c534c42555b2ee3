/* In: frames and the names of their places. Out: lists of functions, innermost first. */
#include "profile/framefuncs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t not_code(struct calltree *t, const char *name)
{
	return calltree_func(t, &(struct func){ .name = name, .origin = ORIGIN_UNKNOWN });
}

void framefuncs_init(struct framefuncs *ff, struct calltree *t, const struct names *names,
		     const struct calltree_options *opt)
{
	const struct dataset *d = t->profile->data;

	*ff = (struct framefuncs){ .tree = t, .data = d, .names = names, .opt = opt };
	ff->node = xcalloc(d->tree.frames.n, sizeof(*ff->node));
	ff->entry = xcalloc(names->entries.n + 1, sizeof(*ff->entry));
	ff->bare = xcalloc(d->binaries.v.n, sizeof(*ff->bare));
	ff->same = binaries_same(&d->binaries);
	ff->truncated = not_code(t, "[truncated]");
	ff->unknown = not_code(t, "[unknown]");
}

void framefuncs_deinit(struct framefuncs *ff)
{
	free(ff->node);
	free(ff->entry);
	free(ff->bare);
	free(ff->same);
	vec_deinit(&ff->list);
	vec_deinit(&ff->matches);
}

static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (const char *p = slash ? slash : path; (p = strstr(p, ".so")); p += 3)
		if (!p[3] || p[3] == '.' || p[3] == '-')
			return true;
	return false;
}

static bool is_perf_map(const char *path)
{
	unsigned int pid;
	int end = 0;

	return sscanf(path, "/tmp/perf-%9u.map%n", &pid, &end) == 1 && end && !path[end];
}

/* Text names modules as perf does: "[kernel.kallsyms]", "[nf_conntrack]", ".../vmlinux". */
static enum origin origin_of_text(const char *path)
{
	size_t len = strlen(path);

	if (strstr(path, "unknown"))
		return ORIGIN_UNKNOWN;
	if (!strcmp(path, "[jit]") || is_perf_map(path))
		return ORIGIN_JIT;
	if (!strcmp(path, "[vdso]"))
		return ORIGIN_LIBRARY;
	if (*path == '[' || (len >= 7 && !strcmp(path + len - 7, "vmlinux")))
		return ORIGIN_KERNEL;
	return is_library(path) ? ORIGIN_LIBRARY : ORIGIN_USER;
}

/* The path of a process's executable is not in the data: a file that is not named like a library
 * counts as the program. */
static enum origin origin_of(const struct binary *b)
{
	switch (b->kind) {
	case BINARY_KIND_KERNEL:
		return ORIGIN_KERNEL;
	case BINARY_KIND_FILE:
		return is_library(b->path) ? ORIGIN_LIBRARY : ORIGIN_USER;
	case BINARY_KIND_VDSO:
		return ORIGIN_LIBRARY;
	case BINARY_KIND_ANON:
		return ORIGIN_JIT;
	case BINARY_KIND_TEXT:
		return origin_of_text(b->path);
	case BINARY_KIND_UNKNOWN:
		break;
	}
	return ORIGIN_UNKNOWN;
}

/* Text that stands for the want of code, whoever wrote it. */
static bool is_stand_in(const char *name)
{
	return !strcmp(name, "[unknown]") || !strcmp(name, "[truncated]") ||
	       !strcmp(name, "[lost in file]");
}

static uint32_t add_func(struct framefuncs *ff, struct func f)
{
	const struct binary *b = binaries_get(&ff->data->binaries, f.binary);

	f.binary = ff->same[f.binary];
	f.origin =
		b->kind == BINARY_KIND_TEXT && is_stand_in(f.name) ? ORIGIN_UNKNOWN : origin_of(b);
	return calltree_func(ff->tree, &f);
}

/* "[libx.so]"; names that have brackets of their own keep them. */
static char *bracketed(const struct binary *b)
{
	const char *name = binary_name(b);

	return *name == '[' ? xstrdup(name) : xasprintf("[%s]", name);
}

static void push_one(struct framefuncs *ff, uint32_t func, struct func_list *ret)
{
	*ret = (struct func_list){ .first = (uint32_t)ff->list.n, .n = 1 };
	vec_push(&ff->list, ((struct func_at){ .func = func }));
}

static uint32_t place_of(struct framefuncs *ff, const struct name_line *line)
{
	if (!ff->opt->lines || !line->file || !line->line)
		return 0;
	return calltree_place(ff->tree, intern_str(&ff->names->strings, line->file), line->line);
}

static void name_bare(struct framefuncs *ff, uint32_t binary, struct func_list *ret)
{
	_cleanup_free_ char *name = bracketed(binaries_get(&ff->data->binaries, binary));

	push_one(ff, add_func(ff, (struct func){ .name = name, .binary = binary }), ret);
}

/* NULL: as it is. */
static char *display(const struct framefuncs *ff, const char *name, const struct name_line *line)
{
	const char *file = line->file ? intern_str(&ff->names->strings, line->file) : NULL;

	return displayname(&ff->opt->names, name, file, line->line);
}

static void name_entry(struct framefuncs *ff, const struct name_entry *e, struct func_list *ret)
{
	uint16_t first = ff->opt->no_inlines ? (uint16_t)(e->n - 1) : 0;
	struct func_list list = { .first = (uint32_t)ff->list.n };

	for (uint16_t i = first; i < e->n; i++) {
		const struct name_line *line = &ff->names->lines.v[e->first + i];
		const struct binary *b = binaries_get(&ff->data->binaries, e->binary);
		_cleanup_free_ char *stand_in = line->function ? NULL : bracketed(b);
		struct func f = { .binary = e->binary, .inlined = i + 1 < e->n };

		f.name = stand_in ?: intern_str(&ff->names->strings, line->function);
		_cleanup_free_ char *shown = display(ff, f.name, line);

		f.name = shown ?: f.name;
		f.named = line->function && (e->flags & NAME_FOUND || f.inlined);
		uint32_t place = place_of(ff, line);

		vec_push(&ff->list, ((struct func_at){ add_func(ff, f), place }));
		list.n++;
	}
	*ret = list;
}

/* Text has no places but of code without a name: "[libx.so <7f0012>]", as stackcollapse-perf.pl
 * writes it. */
static void add_text_place(struct framefuncs *ff, const struct frame *f, struct func_list *list)
{
	struct func_at at = ff->list.v[list->first];
	struct func func = ff->tree->funcs.v[at.func];
	size_t len = strlen(func.name);

	if (func.named || len < 2 || func.name[len - 1] != ']')
		return;
	_cleanup_free_ char *name =
		xasprintf("%.*s <%" PRIx64 ">]", (int)len - 1, func.name, f->off);

	func.name = name;
	list->first = (uint32_t)ff->list.n;
	list->n = 1;
	at.func = calltree_func(ff->tree, &func);
	vec_push(&ff->list, at);
}

/* "main [app+0x1234]": the exact place, which is no distance from the start of main. */
static void add_place(struct framefuncs *ff, const struct frame *f, struct func_list *list)
{
	const char *binary = binary_name(binaries_get(&ff->data->binaries, f->binary));
	size_t len = strlen(binary);
	uint32_t first = (uint32_t)ff->list.n;

	if (len > 1 && binary[0] == '[' && binary[len - 1] == ']') {
		binary++;
		len -= 2;
	}
	for (uint32_t i = 0; i < list->n; i++) {
		struct func_at at = ff->list.v[list->first + i];
		struct func func = ff->tree->funcs.v[at.func];
		_cleanup_free_ char *name =
			xasprintf("%s%s[%.*s+0x%" PRIx64 "]", func.named ? func.name : "",
				  func.named ? " " : "", (int)len, binary, f->off);

		func.name = name;
		at.func = calltree_func(ff->tree, &func);
		vec_push(&ff->list, at);
	}
	list->first = first;
}

struct func_list framefuncs_get(struct framefuncs *ff, uint32_t node)
{
	struct func_list *ret = &ff->node[node];

	if (ret->n)
		return *ret;
	const struct frame *f = frametree_get(&ff->data->tree, node);

	if (f->kind == FRAME_CUT) {
		push_one(ff, ff->truncated, ret);
		return *ret;
	}
	const struct name_entry *e = names_find(ff->names, f->binary, names_key(f));
	struct func_list *shared = e ? &ff->entry[e - ff->names->entries.v] : &ff->bare[f->binary];

	if (!shared->n && e)
		name_entry(ff, e, shared);
	else if (!shared->n)
		name_bare(ff, f->binary, shared);
	*ret = *shared;
	if (ff->opt->addrs &&
	    binaries_get(&ff->data->binaries, f->binary)->kind == BINARY_KIND_TEXT)
		add_text_place(ff, f, ret);
	else if (ff->opt->addrs)
		add_place(ff, f, ret);
	return *ret;
}

uint8_t framefuncs_match(struct framefuncs *ff, uint32_t func)
{
	while (ff->matches.n < ff->tree->funcs.n)
		vec_push(&ff->matches, 0);
	uint8_t *m = &ff->matches.v[func];

	if (*m)
		return *m;
	const struct frame_filter *f = ff->opt->frames;
	const char *name = ff->tree->funcs.v[func].name;

	*m = MATCH_KNOWN;
	if (f && f->has_symbol && !regexec(&f->symbol, name, 0, NULL, 0))
		*m |= MATCH_SYMBOL;
	if (f && f->has_hide && !regexec(&f->hide, name, 0, NULL, 0))
		*m |= MATCH_HIDE;
	return *m;
}
