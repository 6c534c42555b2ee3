/* In: an ELF file by Go. Out: functions of addresses, with inlined calls and lines. */
#include "symbol/gopclntab.h"

#include <gelf.h>
#include <string.h>

#include "base/cursor.h"
#include "symbol/elfsection.h"

enum {
	TEXT_START_OFF = 24, /* of pcHeader.textStart */
	PCDATA_INLINED = 2,
	FUNCDATA_INLINED = 3,
	STEPS_MAX = 1 << 20, /* through the numbers of one place: a damaged chain goes in circles */
};

/* As words from the start of moduledata; the slices between have three each. */
enum {
	MODULE_NAMES = 1,
	MODULE_UNITS = 4,
	MODULE_FILES = 7,
	MODULE_NUMBERS = 10,
	MODULE_FUNCTIONS = 13,
	MODULE_TEXT = 22,
	MODULE_GOFUNC_118 = 38,
	MODULE_GOFUNC_120 = 40,
};

struct gopclntab {
	struct elffile *file;
	struct cursor all;
	uint64_t svma; /* of it */
	bool is_120;   /* or later, up to now */
	uint8_t quantum;
	uint64_t n, text;
	uint64_t names, units, files, numbers, functions; /* offsets */
	uint64_t gofunc;                                  /* svma; 0: not known */
};

/* One of the table's functions. */
struct function {
	uint64_t start, end;
	uint32_t name, files, lines, unit;
	uint32_t inlined; /* numbers of calls inlined at each place; 0: none */
	uint64_t tree;    /* svma of these calls; 0: not known */
};

/* Where a call was inlined. */
enum inlined { NOT_INLINED, INLINED, INLINED_UNKNOWN };

static struct cursor at(const struct gopclntab *g, uint64_t base, uint64_t off)
{
	struct cursor c = g->all;

	c.failed = __builtin_add_overflow(base, off, &off);
	cursor_skip(&c, off);
	return c;
}

static bool read_header(struct gopclntab *g)
{
	struct cursor c = g->all;
	uint32_t magic = cursor_u32(&c);

	cursor_skip(&c, 2);
	g->quantum = cursor_u8(&c);
	uint8_t pointer_len = cursor_u8(&c);

	g->n = cursor_u64(&c);
	cursor_u64(&c); /* number of files */
	g->text = cursor_u64(&c);
	g->names = cursor_u64(&c);
	g->units = cursor_u64(&c);
	g->files = cursor_u64(&c);
	g->numbers = cursor_u64(&c);
	g->functions = cursor_u64(&c);
	g->is_120 = magic == 0xfffffff1;
	return !c.failed && (g->is_120 || magic == 0xfffffff0) && pointer_len == 8 && g->quantum &&
	       g->n && g->n <= cursor_left(&g->all) / 8;
}

static uint64_t word(const uint8_t *words, size_t i)
{
	uint64_t v;

	memcpy(&v, words + 8 * i, sizeof(v));
	return v;
}

static bool is_module(const struct gopclntab *g, const uint8_t *words)
{
	return word(words, 0) == g->svma && word(words, MODULE_NAMES) == g->svma + g->names &&
	       word(words, MODULE_UNITS) == g->svma + g->units &&
	       word(words, MODULE_FILES) == g->svma + g->files &&
	       word(words, MODULE_NUMBERS) == g->svma + g->numbers &&
	       word(words, MODULE_FUNCTIONS) == g->svma + g->functions;
}

/* What describes the table to the runtime has no name in a stripped file: it is known by the
 * addresses in it. */
static void find_module(struct gopclntab *g)
{
	const size_t n_words = MODULE_GOFUNC_120 + 1;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elffile_elf(g->file), scn));) {
		GElf_Shdr sh;
		const Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_WRITE) || (sh.sh_flags & SHF_COMPRESSED) ||
		    !(data = elf_rawdata(scn, NULL)) || !data->d_buf)
			continue;
		for (size_t i = 0; i + 8 * n_words <= data->d_size; i += 8) {
			const uint8_t *words = (const uint8_t *)data->d_buf + i;

			if (!is_module(g, words))
				continue;
			g->gofunc = word(words, g->is_120 ? MODULE_GOFUNC_120 : MODULE_GOFUNC_118);
			if (!g->text)
				g->text = word(words, MODULE_TEXT);
			return;
		}
	}
}

/* In a position-independent program the loader fills it in. 0: it does not. */
static uint64_t relocated(const struct gopclntab *g, uint64_t svma)
{
	Elf *elf = elffile_elf(g->file);
	size_t entry = gelf_fsize(elf, ELF_T_RELA, 1, EV_CURRENT);

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA ||
		    !(sh.sh_flags & SHF_ALLOC) || !(data = elf_getdata(scn, NULL)))
			continue;
		for (size_t i = 0; entry && i < data->d_size / entry && i < INT32_MAX; i++) {
			GElf_Rela rela;

			if (gelf_getrela(data, (int)i, &rela) && rela.r_offset == svma)
				return GELF_R_SYM(rela.r_info) ? 0 : (uint64_t)rela.r_addend;
		}
	}
	return 0;
}

struct gopclntab *gopclntab_open(struct elffile *file)
{
	static const char *const sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	CLEANUP(gopclntab_destroy) struct gopclntab *g = xcalloc(1, sizeof(*g));

	g->file = file;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !g->all.p; i++) {
		const Elf_Data *data = elfsection_data(elffile_elf(file), sections[i]);
		Elf_Scn *scn = elfsection_find(elffile_elf(file), sections[i]);
		GElf_Shdr sh;

		if (!data || !gelf_getshdr(scn, &sh))
			continue;
		g->all = cursor(data->d_buf, data->d_size);
		g->svma = sh.sh_addr;
	}
	if (!g->all.p || !read_header(g))
		return NULL;
	if (!g->text)
		g->text = relocated(g, g->svma + TEXT_START_OFF);
	find_module(g);
	if (!g->text)
		return NULL;
	return_ptr(g);
}

void gopclntab_destroy(struct gopclntab *g)
{
	free(g);
}

uint32_t gopclntab_n(const struct gopclntab *g)
{
	return g->n > INT32_MAX ? INT32_MAX : (uint32_t)g->n;
}

/* Bytes from the first function. */
static uint32_t start_of(const struct gopclntab *g, uint32_t i)
{
	struct cursor c = at(g, g->functions, 8 * (uint64_t)i);

	return cursor_u32(&c);
}

/* The fields of _func, then its numbers, then where its data is. */
static bool read_function(const struct gopclntab *g, uint32_t i, struct function *ret)
{
	struct cursor c = at(g, g->functions, 8 * (uint64_t)i + 4);

	c = at(g, g->functions, cursor_u32(&c));
	uint32_t start = cursor_u32(&c);

	*ret = (struct function){ .start = g->text + start, .end = g->text + start_of(g, i + 1) };
	ret->name = cursor_u32(&c);
	cursor_skip(&c, 12);
	ret->files = cursor_u32(&c);
	ret->lines = cursor_u32(&c);
	uint32_t n_pcdata = cursor_u32(&c);

	ret->unit = cursor_u32(&c);
	cursor_skip(&c, g->is_120 ? 7 : 3);
	uint8_t n_funcdata = cursor_u8(&c);

	if (c.failed || start != start_of(g, i) || ret->end <= ret->start)
		return false;
	if (n_pcdata <= PCDATA_INLINED || n_funcdata <= FUNCDATA_INLINED)
		return true;
	struct cursor inlined = c;

	cursor_skip(&inlined, 4 * PCDATA_INLINED);
	ret->inlined = cursor_u32(&inlined);
	cursor_skip(&c, 4 * ((uint64_t)n_pcdata + FUNCDATA_INLINED));
	uint32_t tree = cursor_u32(&c);

	if (g->gofunc && !c.failed && tree != UINT32_MAX)
		ret->tree = g->gofunc + tree;
	return true;
}

/* NULL: none there. */
static const char *string_at(const struct gopclntab *g, uint64_t base, uint64_t off)
{
	struct cursor c = at(g, base, off);
	const char *s = cursor_cstr(&c);

	return s && *s ? s : NULL;
}

bool gopclntab_get(const struct gopclntab *g, uint32_t i, struct go_function *ret)
{
	struct function f;

	if (i >= gopclntab_n(g) || !read_function(g, i, &f) || !elffile_is_code(g->file, f.start) ||
	    !elffile_is_code(g->file, f.end - 1))
		return false;
	*ret = (struct go_function){ f.start, f.end, string_at(g, g->names, f.name) };
	return ret->name;
}

static bool function_at(const struct gopclntab *g, uint64_t svma, struct function *ret)
{
	uint32_t lo = 0, hi = gopclntab_n(g);

	if (svma < g->text || svma - g->text > UINT32_MAX)
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (start_of(g, mid) <= svma - g->text)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && read_function(g, lo - 1, ret) && svma >= ret->start && svma < ret->end;
}

/* The number that holds so far behind the function's start; -1: none. */
static int32_t number_at(const struct gopclntab *g, uint32_t off, uint64_t distance,
			 uint32_t *steps_left)
{
	struct cursor c = at(g, g->numbers, off);
	uint32_t value = UINT32_MAX;
	uint64_t to = 0;

	for (unsigned int step = 0; off && *steps_left; step++, --*steps_left) {
		uint32_t delta = (uint32_t)cursor_uleb(&c);

		if (!delta && step)
			break;
		value += (uint32_t)zigzag_decode(delta);
		to += (uint32_t)cursor_uleb(&c) * (uint64_t)g->quantum;
		if (c.failed)
			break;
		if (distance < to)
			return (int32_t)value;
	}
	return -1;
}

static void line_at(const struct gopclntab *g, const struct function *f, uint64_t distance,
		    uint32_t *steps_left, struct debug_line *ret)
{
	int32_t file = number_at(g, f->files, distance, steps_left);
	int32_t line = number_at(g, f->lines, distance, steps_left);

	if (file < 0 || line <= 0)
		return;
	struct cursor c = at(g, g->units, 4 * ((uint64_t)f->unit + (uint64_t)file));
	uint32_t off = cursor_u32(&c);

	if (c.failed || off == UINT32_MAX)
		return;
	ret->file = string_at(g, g->files, off);
	ret->line = ret->file ? (uint32_t)line : 0;
}

/* The call inlined at the place, and the place of the call itself. A name begins behind another:
 * what else is there was laid out by a version that we do not know. */
static enum inlined inlined_at(const struct gopclntab *g, const struct function *f,
			       uint64_t distance, uint32_t *steps_left, const char **ret_name,
			       uint64_t *ret_caller)
{
	const uint64_t entry_len = g->is_120 ? 16 : 20;
	int32_t i = f->inlined ? number_at(g, f->inlined, distance, steps_left) : -1;

	if (i < 0)
		return *steps_left ? NOT_INLINED : INLINED_UNKNOWN;
	const uint8_t *entry =
		f->tree ? elffile_bytes(g->file, f->tree + entry_len * (uint64_t)i, entry_len)
			: NULL;

	if (!entry)
		return INLINED_UNKNOWN;
	struct cursor c = cursor(entry, entry_len);

	cursor_skip(&c, g->is_120 ? 4 : 12);
	uint32_t name = cursor_u32(&c);
	struct cursor before = at(g, g->names, (uint64_t)name - 1);

	*ret_caller = cursor_u32(&c);
	*ret_name = string_at(g, g->names, name);
	if (!*ret_name || (name && cursor_u8(&before)) || *ret_caller >= f->end - f->start)
		return INLINED_UNKNOWN;
	return INLINED;
}

size_t gopclntab_find(const struct gopclntab *g, uint64_t svma, struct debug_line *ret)
{
	uint32_t steps_left = STEPS_MAX;
	struct function f;
	size_t n = 0;

	if (!function_at(g, svma, &f))
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
			line.name = string_at(g, g->names, f.name);
		ret[n++] = line;
		if (is_last)
			return n;
		distance = caller;
	}
}
