/* In: an ELF file by Go. Out: its functions, and what its tables say of places in them. */
#include "model/gotable.h"

#include <gelf.h>
#include <string.h>

#include "model/elfsection.h"

enum {
	WINDOW = 16384,      /* of the table, looked at at once */
	NUMBER_MAX = 16,     /* a step's two numbers take no more bytes */
	TEXT_START_OFF = 24, /* of pcHeader.textStart */
	PCDATA_INLINED = 2,
	FUNCDATA_INLINED = 3,
	FLAG_TOP_FRAME = 1,
	FLAG_ASM = 4,
};

/* As words from the start of moduledata; the slices between have three each. */
enum {
	MODULE_NAMES = 1,
	MODULE_UNITS = 4,
	MODULE_FILES = 7,
	MODULE_NUMBERS = 10,
	MODULE_FUNCTIONS = 13,
	MODULE_TEXT = 22,
};

struct cursor gotable_at(const struct gotable *t, uint64_t base, uint64_t off)
{
	struct cursor c = { .failed = true };

	if (__builtin_add_overflow(base, off, &off) || off >= t->len)
		return c;
	uint64_t len = t->len - off < WINDOW ? t->len - off : WINDOW;
	const uint8_t *p = elffile_bytes_at(t->file, t->off + off, len);

	return p ? cursor(p, len) : c;
}

static bool read_header(struct gotable *t)
{
	struct cursor c = gotable_at(t, 0, 0);
	uint32_t magic = cursor_u32(&c);

	cursor_skip(&c, 2);
	t->quantum = cursor_u8(&c);
	uint8_t pointer_len = cursor_u8(&c);

	t->n = cursor_u64(&c);
	cursor_u64(&c); /* number of files */
	t->text = cursor_u64(&c);
	t->names = cursor_u64(&c);
	t->units = cursor_u64(&c);
	t->files = cursor_u64(&c);
	t->numbers = cursor_u64(&c);
	t->functions = cursor_u64(&c);
	t->is_120 = magic == 0xfffffff1;
	return !c.failed && (t->is_120 || magic == 0xfffffff0) && pointer_len == 8 && t->quantum &&
	       t->n && t->n <= t->len / 8;
}

static uint64_t word(const uint8_t *words, size_t i)
{
	uint64_t v;

	memcpy(&v, words + 8 * i, sizeof(v));
	return v;
}

static bool is_module(const struct gotable *t, const uint8_t *words)
{
	return word(words, 0) == t->svma && word(words, MODULE_NAMES) == t->svma + t->names &&
	       word(words, MODULE_UNITS) == t->svma + t->units &&
	       word(words, MODULE_FILES) == t->svma + t->files &&
	       word(words, MODULE_NUMBERS) == t->svma + t->numbers &&
	       word(words, MODULE_FUNCTIONS) == t->svma + t->functions;
}

/* It has no name in a stripped file: it is known by the addresses in it. */
const uint8_t *gotable_module(const struct gotable *t)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elffile_elf(t->file), scn));) {
		GElf_Shdr sh;
		const Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_WRITE) || (sh.sh_flags & SHF_COMPRESSED) ||
		    !(data = elf_rawdata(scn, NULL)) || !data->d_buf)
			continue;
		for (size_t i = 0; i + 8 * GOTABLE_MODULE_WORDS <= data->d_size; i += 8) {
			const uint8_t *words = (const uint8_t *)data->d_buf + i;

			if (is_module(t, words))
				return words;
		}
	}
	return NULL;
}

/* In a position-independent program the loader fills it in. 0: it does not. */
static uint64_t relocated(const struct gotable *t, uint64_t svma)
{
	Elf *elf = elffile_elf(t->file);
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

bool gotable_open(struct gotable *t, struct elffile *file)
{
	static const char *const sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	const uint8_t *module;

	*t = (struct gotable){ .file = file };
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !t->len; i++) {
		Elf_Scn *scn = elfsection_find(elffile_elf(file), sections[i]);
		GElf_Shdr sh;

		if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    (sh.sh_flags & SHF_COMPRESSED))
			continue;
		t->off = sh.sh_offset;
		t->len = sh.sh_size;
		t->svma = sh.sh_addr;
	}
	if (!t->len || t->off > UINT64_MAX - t->len || !read_header(t))
		return false;
	if (!t->text)
		t->text = relocated(t, t->svma + TEXT_START_OFF);
	if (!t->text && (module = gotable_module(t)))
		t->text = word(module, MODULE_TEXT);
	return t->text;
}

uint32_t gotable_n(const struct gotable *t)
{
	return t->n > INT32_MAX ? INT32_MAX : (uint32_t)t->n;
}

/* Bytes from the first function. */
static uint32_t start_of(const struct gotable *t, uint32_t i)
{
	struct cursor c = gotable_at(t, t->functions, 8 * (uint64_t)i);

	return cursor_u32(&c);
}

/* The fields of _func, then its numbers, then where its data is. */
bool gotable_function(const struct gotable *t, uint32_t i, struct gofunction *ret)
{
	struct cursor c = gotable_at(t, t->functions, 8 * (uint64_t)i + 4);

	c = gotable_at(t, t->functions, cursor_u32(&c));
	uint32_t start = cursor_u32(&c);

	*ret = (struct gofunction){ .start = t->text + start,
				    .end = t->text + start_of(t, i + 1),
				    .tree = UINT32_MAX };
	ret->name = cursor_u32(&c);
	cursor_skip(&c, 8);
	ret->sp = cursor_u32(&c);
	ret->files = cursor_u32(&c);
	ret->lines = cursor_u32(&c);
	uint32_t n_pcdata = cursor_u32(&c);

	ret->unit = cursor_u32(&c);
	cursor_skip(&c, t->is_120 ? 5 : 1);
	uint8_t flags = cursor_u8(&c);

	ret->outermost = flags & FLAG_TOP_FRAME;
	ret->assembly = flags & FLAG_ASM;
	cursor_skip(&c, 1);
	uint8_t n_funcdata = cursor_u8(&c);

	if (i >= gotable_n(t) || c.failed || start != start_of(t, i) || ret->end <= ret->start)
		return false;
	if (n_pcdata <= PCDATA_INLINED || n_funcdata <= FUNCDATA_INLINED)
		return true;
	struct cursor inlined = c;

	cursor_skip(&inlined, 4 * PCDATA_INLINED);
	ret->inlined = cursor_u32(&inlined);
	cursor_skip(&c, 4 * ((uint64_t)n_pcdata + FUNCDATA_INLINED));
	uint32_t tree = cursor_u32(&c);

	ret->tree = c.failed ? UINT32_MAX : tree;
	return true;
}

bool gotable_find(const struct gotable *t, uint64_t svma, struct gofunction *ret)
{
	uint32_t lo = 0, hi = gotable_n(t);

	if (svma < t->text || svma - t->text > UINT32_MAX)
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (start_of(t, mid) <= svma - t->text)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && gotable_function(t, lo - 1, ret) && svma >= ret->start && svma < ret->end;
}

int32_t gotable_number(const struct gotable *t, uint32_t off, uint64_t distance,
		       uint32_t *steps_left, uint64_t *ret_end)
{
	struct cursor c = gotable_at(t, t->numbers, off);
	uint64_t here = off;
	uint32_t value = UINT32_MAX;

	*ret_end = 0;
	for (unsigned int step = 0; off && *steps_left; step++, --*steps_left) {
		if (cursor_left(&c) < NUMBER_MAX) {
			here += cursor_offset(&c);
			c = gotable_at(t, t->numbers, here);
		}
		uint32_t delta = (uint32_t)cursor_uleb(&c);

		if (!delta && step)
			break;
		value += (uint32_t)zigzag_decode(delta);
		*ret_end += (uint32_t)cursor_uleb(&c) * (uint64_t)t->quantum;
		if (c.failed)
			break;
		if (distance < *ret_end)
			return (int32_t)value;
	}
	return GOTABLE_NONE;
}
