/* In: file offsets into one ELF file. Out: their entries in the table of names. */
#include "symbol/elfnames.h"

#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "symbol/demangle.h"
#include "symbol/plt.h"
#include "symbol/start.h"
#include "symbol/swiftnames.h"

/* A place on its way: sorted by svma, for the walk over the symbols. */
struct elfplace {
	uint64_t svma;
	uint64_t key;
};

/* The name given last: neighbours tend to share it. */
struct last_name {
	const void *of; /* the symbol or stub; NULL: a stand-in */
	const struct elfsym *symbol;
	uint64_t start; /* of the stand-in's FDE */
	uint32_t function;
	uint16_t flags;
	bool valid;
};

char *standin_name(const struct binary *b)
{
	const char *name = binary_name(b);

	return name[0] == '[' ? xstrdup(name) : xasprintf("[%s]", name);
}

char *standin_start_name(const struct binary *b, uint64_t start)
{
	_cleanup_free_ char *name = standin_name(b);

	name[strlen(name) - 1] = 0;
	return xasprintf("%s+0x%" PRIx64 "]", name, start);
}

void elfnames_init(struct elfnames *e, struct elffile *file, const struct elfnames_of *of)
{
	const char *path = of->path ?: binaries_get(&of->data->binaries, of->binary)->path;

	*e = (struct elfnames){
		.data = of->data,
		.diag = of->diag,
		.binary = of->binary,
		.shift = of->shift,
		.progress = of->progress,
		.progress_ctx = of->progress_ctx,
	};
	if (of->search)
		debugdata_init(&e->debug, file, path, of->search, of->diag);
	if (of->search && !e->debug.info)
		e->go = gopclntab_open(file);
	elfsyms_init(&e->syms, file);
	if (e->debug.separate)
		elfsyms_add(&e->syms, elffile_elf(e->debug.separate));
	if (e->debug.mini)
		elfsyms_add(&e->syms, elffile_elf(e->debug.mini));
}

void elfnames_deinit(struct elfnames *e)
{
	elfsyms_deinit(&e->syms);
	debugdata_deinit(&e->debug);
	gopclntab_destroy(e->go);
	namecache_deinit(&e->functions);
	namecache_deinit(&e->files);
	if (e->plt) {
		plt_deinit(e->plt);
		free(e->plt);
	}
}

static const struct binary *elfnames_binary(const struct elfnames *e)
{
	return binaries_get(&e->data->binaries, e->binary);
}

static void note_mangled(struct elfnames *e, const char *raw)
{
	if (!demangle_available() && raw[0] == '_' && (raw[1] == 'Z' || raw[1] == 'R'))
		diag_add(e->diag, DIAG_NOTE, "demangle",
			 "names stay mangled: this build has no demangler (libiberty)");
	if (swiftnames_is(raw) && swiftnames_missing())
		diag_add(e->diag, DIAG_NOTE, "demangle-swift",
			 "names of Swift stay mangled: %s, a part of Swift, is not found (see "
			 "ld.so(8))",
			 swiftnames_missing());
}

/* `suffix` is "" or "@plt". */
static uint32_t make_function_name(struct elfnames *e, const char *symbol, const char *suffix)
{
	_cleanup_free_ char *raw = xstrndup(symbol, elfsym_name_len(symbol));
	_cleanup_free_ char *readable = demangle(raw);

	note_mangled(e, raw);
	if (!suffix[0])
		return intern_add(&e->data->names.strings, readable ? readable : raw);
	_cleanup_free_ char *whole = xasprintf("%s%s", readable ? readable : raw, suffix);

	return intern_add(&e->data->names.strings, whole);
}

/* `raw` lies in one of the files that are open. */
static uint32_t function_name(struct elfnames *e, const char *raw)
{
	uint32_t id;

	if (namecache_find(&e->functions, raw, &id))
		return id;
	id = make_function_name(e, raw, "");
	namecache_add(&e->functions, raw, id);
	return id;
}

static uint32_t file_name(struct elfnames *e, const char *file)
{
	uint32_t id = 0;

	if (!file || namecache_find(&e->files, file, &id))
		return id;
	id = intern_add(&e->data->names.strings, file);
	namecache_add(&e->files, file, id);
	return id;
}

static const struct plt_stub *find_stub(struct elfnames *e, uint64_t svma)
{
	if (!e->plt) {
		e->plt = xmalloc(sizeof(*e->plt));
		plt_init(e->plt, &e->syms);
	}
	return plt_find(e->plt, svma);
}

static void name_by_symbol(struct elfnames *e, const struct elfsym *sym, struct last_name *last)
{
	if (last->valid && last->of == sym)
		return;
	const char *name = binary_name(elfnames_binary(e));

	*last = (struct last_name){
		.of = sym,
		.symbol = sym,
		.function = function_name(e, sym->name),
		.flags = NAME_FOUND | (start_is_name(sym->name, name) ? NAME_START : 0),
		.valid = true,
	};
}

static void name_by_stub(struct elfnames *e, const struct plt_stub *stub, struct last_name *last)
{
	if (last->valid && last->of == stub)
		return;
	*last = (struct last_name){
		.of = stub,
		.function = make_function_name(e, stub->name, "@plt"),
		.flags = NAME_FOUND,
		.valid = true,
	};
}

static void name_by_fde(struct elfnames *e, uint64_t svma, struct last_name *last)
{
	uint64_t start = 0, end = 0;
	bool found = elffile_fde(e->syms.file, svma, &start, &end);

	if (found && last->valid && !last->of && last->start == start)
		return;
	_cleanup_free_ char *name = found ? standin_start_name(elfnames_binary(e), start)
					  : standin_name(elfnames_binary(e));
	bool is_start =
		found ? start_is_code(&e->syms, start, end) : start_is_entry(&e->syms, svma);

	*last = (struct last_name){
		.start = start,
		.function = intern_add(&e->data->names.strings, name),
		.flags = is_start ? NAME_START : 0,
		.valid = found,
	};
}

static int elfplace_cmp(const void *va, const void *vb)
{
	const struct elfplace *a = va, *b = vb;

	return (a->svma > b->svma) - (a->svma < b->svma);
}

/* By symbol alone, or where there is none by stand-in. */
static void set_name(struct elfnames *e, uint64_t key, uint32_t function, uint16_t flags)
{
	struct name_line line = { .function = function };

	names_set(&e->data->names, e->binary, key, &line, 1, flags);
}

/* "foo.cold" and "foo.part.0" for foo. */
static bool is_clone_of(const char *symbol, const char *linkage)
{
	size_t len = strlen(linkage);

	return !strncmp(symbol, linkage, len) && symbol[len] == '.';
}

/* The real function of a place. DWARF's name counts where it is another function's than the
 * symbol's (identical ones that a linker folded). Else the symbol table's: it tells parts and
 * copies apart
 * ("foo.constprop.0"), and of several names of one place the same one is shown with and without
 * debug information. */
static uint32_t outermost_name(struct elfnames *e, const struct debug_line *l,
			       const struct last_name *last)
{
	const struct elfsym *sym = last->symbol;

	if (l->linkage && !(sym && (is_clone_of(sym->name, l->linkage) ||
				    elfsyms_named(&e->syms, sym->addr, l->linkage))))
		return function_name(e, l->linkage);
	if (sym || !l->name)
		return last->function;
	return function_name(e, l->name);
}

/* With what DWARF says of the place. */
static void set_chain(struct elfnames *e, const struct elfplace *place,
		      const struct last_name *last)
{
	struct debug_line chain[DEBUGINFO_MAX_CHAIN];
	struct name_line lines[DEBUGINFO_MAX_CHAIN];
	bool lacks_dwo = false;
	size_t n = e->debug.info ? debuginfo_find(e->debug.info, place->svma, chain, &lacks_dwo)
		   : e->go       ? gopclntab_find(e->go, place->svma, chain)
				 : 0;
	uint16_t flags = last->flags | (e->debug.info || e->go ? NAME_HAS_LINES : 0) |
			 (lacks_dwo ? NAME_NO_INLINES : 0);
	uint16_t n_lines = 0;

	if (!n) {
		set_name(e, place->key, last->function, flags);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct debug_line *l = &chain[i];
		struct name_line line = { .file = file_name(e, l->file), .line = l->line };
		const char *name = l->linkage ?: l->name;

		if (i + 1 == n)
			line.function = outermost_name(e, l, last);
		else if (name)
			line.function = function_name(e, name);
		else
			continue; /* its name is in a file that is missing: no frame without one */
		if (name)
			flags |= NAME_FOUND;
		lines[n_lines++] = line;
	}
	names_set(&e->data->names, e->binary, place->key, lines, n_lines, flags);
}

/* Those in no segment get the plain stand-in at once; the others come back sorted. */
static struct elfplace *to_svma(struct elfnames *e, const uint64_t *keys, size_t n, size_t *ret_n)
{
	struct elfplace *places = xreallocarray(NULL, n, sizeof(*places));
	_cleanup_free_ char *name = standin_name(elfnames_binary(e));
	size_t n_found = 0;

	for (size_t i = 0; i < n; i++) {
		struct elfplace place = { .key = keys[i] };

		place.svma = keys[i] - e->shift;
		if (e->binary == BINARY_KERNEL ||
		    elffile_off_to_svma(e->syms.file, keys[i], &place.svma))
			places[n_found++] = place;
		else
			set_name(e, keys[i], intern_add(&e->data->names.strings, name), 0);
	}
	qsort(places, n_found, sizeof(*places), elfplace_cmp);
	*ret_n = n_found;
	return places;
}

/* A clock is read then: not for each. */
static bool is_stopped(const struct elfnames *e, size_t done)
{
	return e->progress && done && done % 64 == 0 && e->progress(e->progress_ctx, done);
}

void elfnames_run(struct elfnames *e, const uint64_t *keys, size_t n)
{
	if (!n)
		return;
	_cleanup_free_ struct elfplace *places = to_svma(e, keys, n, &n);
	struct elfsyms_walk walk;
	struct last_name last = { 0 };

	elfsyms_walk_init(&walk, &e->syms);
	for (size_t i = 0; i < n && !is_stopped(e, i); i++) {
		const struct elfsym *sym = elfsyms_walk_to(&walk, places[i].svma);
		const struct plt_stub *stub = sym ? NULL : find_stub(e, places[i].svma);

		if (sym)
			name_by_symbol(e, sym, &last);
		else if (stub)
			name_by_stub(e, stub, &last);
		else
			name_by_fde(e, places[i].svma, &last);
		set_chain(e, &places[i], &last);
	}
	elfsyms_walk_deinit(&walk);
}
