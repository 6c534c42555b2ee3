/* In: an ELF file by Go. Out: functions of addresses, with inlined calls and lines. */
#include "symbol/gopclntab.h"

#include <string.h>

#include "base/alloc.h"
#include "model/gotable.h"

/* Through the numbers of one place: a damaged chain of inlined calls goes in circles. */
enum { STEPS_MAX = 1 << 20 };

/* As words from the start of moduledata. */
enum {
	MODULE_GOFUNC_118 = 38,
	MODULE_GOFUNC_120 = 40,
};

struct gopclntab {
	struct gotable table;
	uint64_t gofunc; /* svma; 0: not known */
};

/* Where a call was inlined. */
enum inlined { NOT_INLINED, INLINED, INLINED_UNKNOWN };

struct gopclntab *gopclntab_open(struct elffile *file)
{
	CLEANUP(gopclntab_destroy) struct gopclntab *g = xcalloc(1, sizeof(*g));
	const uint8_t *module;

	if (!gotable_open(&g->table, file))
		return NULL;
	module = gotable_module(&g->table);
	if (module)
		memcpy(&g->gofunc,
		       module + (size_t)8 *
					(g->table.is_120 ? MODULE_GOFUNC_120 : MODULE_GOFUNC_118),
		       sizeof(g->gofunc));
	return_ptr(g);
}

void gopclntab_destroy(struct gopclntab *g)
{
	free(g);
}

uint32_t gopclntab_n(const struct gopclntab *g)
{
	return gotable_n(&g->table);
}

/* NULL: none there. */
static const char *string_at(const struct gopclntab *g, uint64_t base, uint64_t off)
{
	struct cursor c = gotable_at(&g->table, base, off);
	const char *s = cursor_cstr(&c);

	return s && *s ? s : NULL;
}

bool gopclntab_get(const struct gopclntab *g, uint32_t i, struct go_function *ret)
{
	const struct elffile *file = g->table.file;
	struct gofunction f;

	if (!gotable_function(&g->table, i, &f) || !elffile_is_code(file, f.start) ||
	    !elffile_is_code(file, f.end - 1))
		return false;
	*ret = (struct go_function){ f.start, f.end, string_at(g, g->table.names, f.name) };
	return ret->name;
}

static int32_t number_at(const struct gopclntab *g, uint32_t off, uint64_t distance,
			 uint32_t *steps_left)
{
	uint64_t end;

	return gotable_number(&g->table, off, distance, steps_left, &end);
}

static void line_at(const struct gopclntab *g, const struct gofunction *f, uint64_t distance,
		    uint32_t *steps_left, struct debug_line *ret)
{
	int32_t file = number_at(g, f->files, distance, steps_left);
	int32_t line = number_at(g, f->lines, distance, steps_left);

	if (file < 0 || line <= 0)
		return;
	struct cursor c =
		gotable_at(&g->table, g->table.units, 4 * ((uint64_t)f->unit + (uint64_t)file));
	uint32_t off = cursor_u32(&c);

	if (c.failed || off == UINT32_MAX)
		return;
	ret->file = string_at(g, g->table.files, off);
	ret->line = ret->file ? (uint32_t)line : 0;
}

/* The call inlined at the place, and the place of the call itself. A name begins behind another:
 * what else is there was laid out by a version that we do not know. */
static enum inlined inlined_at(const struct gopclntab *g, const struct gofunction *f,
			       uint64_t distance, uint32_t *steps_left, const char **ret_name,
			       uint64_t *ret_caller)
{
	const uint64_t entry_len = g->table.is_120 ? 16 : 20;
	int32_t i = f->inlined ? number_at(g, f->inlined, distance, steps_left) : -1;

	if (i < 0)
		return *steps_left ? NOT_INLINED : INLINED_UNKNOWN;
	const uint8_t *entry =
		g->gofunc && f->tree != UINT32_MAX
			? elffile_bytes(g->table.file,
					g->gofunc + f->tree + entry_len * (uint64_t)i, entry_len)
			: NULL;

	if (!entry)
		return INLINED_UNKNOWN;
	struct cursor c = cursor(entry, entry_len);

	cursor_skip(&c, g->table.is_120 ? 4 : 12);
	uint32_t name = cursor_u32(&c);
	struct cursor before = gotable_at(&g->table, g->table.names, (uint64_t)name - 1);

	*ret_caller = cursor_u32(&c);
	*ret_name = string_at(g, g->table.names, name);
	if (!*ret_name || (name && cursor_u8(&before)) || *ret_caller >= f->end - f->start)
		return INLINED_UNKNOWN;
	return INLINED;
}

size_t gopclntab_find(const struct gopclntab *g, uint64_t svma, struct debug_line *ret)
{
	uint32_t steps_left = STEPS_MAX;
	struct gofunction f;
	size_t n = 0;

	if (!gotable_find(&g->table, svma, &f))
		return 0;
	uint64_t distance = svma - f.start;

	for (;;) {
		struct debug_line line = { 0 };
		uint64_t caller = 0;
		enum inlined what = inlined_at(g, &f, distance, &steps_left, &line.name, &caller);
		bool is_last = what != INLINED || n + 1 == DEBUGINFO_MAX_CHAIN;

		if (what != INLINED_UNKNOWN)
			line_at(g, &f, distance, &steps_left, &line);
		if (is_last)
			line.name = string_at(g, g->table.names, f.name);
		ret[n++] = line;
		if (is_last)
			return n;
		distance = caller;
	}
}
