/* In: the symbol tables of an ELF file, as hostile as any file. Out: which function symbol covers
 * an as-linked address. */
#include "symbol/elfsyms.h"

#include <ctype.h>
#include <gelf.h>
#include <string.h>

#include "symbol/gopclntab.h"

/* What of a section is needed to judge the symbols in it. */
struct section_range {
	uint64_t start, end;
	bool exec;
};

struct sections {
	VEC(struct section_range) v; /* by section index */
};

/* A string table cut after its last NUL: every offset within is a terminated string. */
struct strtab {
	const char *data;
	size_t len;
};

static void sections_init(struct sections *sections, Elf *elf)
{
	*sections = (struct sections){ 0 };
	vec_push(&sections->v, ((struct section_range){ 0 }));
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		struct section_range range = { 0 };
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr)) {
			range.start = shdr.sh_addr;
			if (__builtin_add_overflow(shdr.sh_addr, shdr.sh_size, &range.end))
				range.end = UINT64_MAX;
			range.exec = (shdr.sh_flags & SHF_ALLOC) && (shdr.sh_flags & SHF_EXECINSTR);
		}
		vec_push(&sections->v, range);
	}
}

static struct strtab strtab_get(Elf *elf, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_STRTAB)
		return (struct strtab){ 0 };
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || !data->d_buf || !data->d_size)
		return (struct strtab){ 0 };
	const char *last = memrchr(data->d_buf, 0, data->d_size);

	if (!last)
		return (struct strtab){ 0 };
	return (struct strtab){ data->d_buf, (size_t)(last - (const char *)data->d_buf) + 1 };
}

/* "$x", "$d", "$a.12": where code and data alternate (ELF for the Arm Architectures, "Mapping
 * symbols"; RISC-V ELF psABI the same). ".L" names are an assembler's own. */
static bool is_mark(const char *name)
{
	if (name[0] == '$' && name[1] && strchr("adtx", name[1]))
		return true;
	return name[0] == '.' && name[1] == 'L';
}

static uint8_t elfsym_rank(const GElf_Sym *sym)
{
	uint8_t by_bind = GELF_ST_BIND(sym->st_info) == STB_LOCAL  ? 2
			  : GELF_ST_BIND(sym->st_info) == STB_WEAK ? 1
								   : 0;

	return by_bind * 2 + (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE);
}

/* Whether this is a symbol of code at all; clips its range to its section. */
static bool elfsym_place(const struct sections *sections, const GElf_Sym *sym, uint32_t shndx,
			 struct elfsym *ret)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (shndx == SHN_UNDEF || shndx >= sections->v.n)
		return false;
	const struct section_range *range = &sections->v.v[shndx];

	if (!range->exec || ret->addr < range->start || ret->addr >= range->end)
		return false;
	ret->sized = sym->st_size != 0;
	ret->end = range->end;
	if (ret->sized && sym->st_size < range->end - ret->addr)
		ret->end = ret->addr + sym->st_size;
	ret->rank = elfsym_rank(sym);
	ret->is_ifunc = type == STT_GNU_IFUNC;
	return true;
}

/* The table of wide section indices that belongs to symbol table `index`; NULL if there is none. */
static Elf_Data *find_xindex(Elf *elf, size_t index)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB_SHNDX &&
		    shdr.sh_link == index)
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

static void elfsyms_read(struct elfsyms *s, Elf *elf, const struct sections *sections, Elf_Scn *scn)
{
	Elf_Data *xindex = find_xindex(elf, elf_ndxscn(scn));
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr shdr;

	if (!data || !gelf_getshdr(scn, &shdr))
		return;
	struct strtab names = strtab_get(elf, shdr.sh_link);
	size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t n = entry ? data->d_size / entry : 0;
	/* The lowest bit of a function's address says Thumb (ELF for the Arm Architecture, "Symbol
	 * Values"). */
	uint64_t addr_mask = elffile_machine(s->file) == EM_ARM ? ~1ULL : ~0ULL;

	if (n > INT32_MAX)
		n = INT32_MAX;
	for (size_t i = 1; i < n; i++) {
		GElf_Sym sym;
		Elf32_Word wide = 0;

		if (!gelf_getsymshndx(data, xindex, (int)i, &sym, &wide))
			return;
		uint32_t shndx = sym.st_shndx == SHN_XINDEX ? wide : sym.st_shndx;
		struct elfsym ours = { .addr = sym.st_value & addr_mask };

		if (sym.st_shndx >= SHN_LORESERVE && sym.st_shndx != SHN_XINDEX)
			continue;
		if (!elfsym_place(sections, &sym, shndx, &ours) || sym.st_name >= names.len)
			continue;
		ours.name = names.data + sym.st_name;
		if (!ours.name[0] || is_mark(ours.name))
			continue;
		vec_push(&s->v, ours);
		/* glibc and musl export it, each in its own versions. */
		if (!strncmp(ours.name, "__libc_start_main", 17))
			s->is_libc = true;
	}
}

/* Ascending by quality: the last of one address is the one to show. */
static int elfsym_cmp_name(const struct elfsym *a, const struct elfsym *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	size_t a_n = strspn(a->name, "_"), b_n = strspn(b->name, "_");

	if (a_n == b_n) {
		a_n = strlen(a->name);
		b_n = strlen(b->name);
	}
	if (a_n != b_n)
		return a_n > b_n ? -1 : 1;
	return -strcmp(a->name, b->name);
}

static int elfsym_cmp(const void *va, const void *vb)
{
	const struct elfsym *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	return elfsym_cmp_name(a, b);
}

void elfsyms_add(struct elfsyms *s, Elf *elf)
{
	bool seen_symtab = false, seen_dynsym = false;
	struct sections sections;

	sections_init(&sections, elf);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;
		size_t before = s->v.n;

		if (!gelf_getshdr(scn, &shdr))
			continue;
		/* One of each kind: more would let a small file name one table many times. */
		bool is_symtab = shdr.sh_type == SHT_SYMTAB;
		bool *seen = is_symtab                    ? &seen_symtab
			     : shdr.sh_type == SHT_DYNSYM ? &seen_dynsym
							  : NULL;

		if (!seen || *seen)
			continue;
		elfsyms_read(s, elf, &sections, scn);
		*seen = s->v.n > before;
	}
	vec_deinit(&sections.v);
	s->has_symtab |= seen_symtab;
	s->has_dynsym |= seen_dynsym;
	vec_sort(&s->v, elfsym_cmp);
}

/* After every symbol of a table: Go shortens names there ("f[...]"). */
static void add_go_functions(struct elfsyms *s)
{
	CLEANUP(gopclntab_destroy) struct gopclntab *g = gopclntab_open(s->file);
	struct go_function f;

	if (!g)
		return;
	for (uint32_t i = 0; i < gopclntab_n(g); i++)
		if (gopclntab_get(g, i, &f))
			vec_push(&s->v, ((struct elfsym){ .addr = f.start,
							  .end = f.end,
							  .name = f.name,
							  .rank = UINT8_MAX,
							  .sized = true }));
	vec_sort(&s->v, elfsym_cmp);
}

void elfsyms_init(struct elfsyms *s, struct elffile *file)
{
	*s = (struct elfsyms){ .file = file };
	elfsyms_add(s, elffile_elf(file));
	if (!s->has_symtab)
		add_go_functions(s);
}

void elfsyms_deinit(struct elfsyms *s)
{
	vec_deinit(&s->v);
}

size_t elfsym_name_len(const char *name)
{
	const char *at = strchr(name, '@');

	if (!at || at == name)
		return strlen(name);
	const char *version = at + 1 + (at[1] == '@');

	if (!version[0])
		return strlen(name);
	for (const char *p = version; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '.' && *p != '-')
			return strlen(name);
	return (size_t)(at - name);
}

/* The first symbol at svma or above. */
static size_t first_at(const struct elfsyms *s, uint64_t svma)
{
	size_t lo = 0, hi = s->v.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->v.v[mid].addr < svma)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool elfsyms_named(const struct elfsyms *s, uint64_t svma, const char *name)
{
	for (size_t i = first_at(s, svma); i < s->v.n && s->v.v[i].addr == svma; i++) {
		const char *have = s->v.v[i].name;

		if (elfsym_name_len(have) == strlen(name) && !strncmp(have, name, strlen(name)))
			return true;
	}
	return false;
}

const struct elfsym *elfsyms_ifunc(const struct elfsyms *s, uint64_t svma)
{
	const struct elfsym *found = NULL;

	for (size_t i = first_at(s, svma); i < s->v.n && s->v.v[i].addr == svma; i++)
		if (s->v.v[i].is_ifunc)
			found = &s->v.v[i];
	return found;
}

void elfsyms_walk_init(struct elfsyms_walk *w, const struct elfsyms *s)
{
	*w = (struct elfsyms_walk){ .syms = s };
}

void elfsyms_walk_deinit(struct elfsyms_walk *w)
{
	vec_deinit(&w->open);
}

/* The innermost open symbol at svma: those that ended are dropped for good. Each symbol is pushed
 * and popped once, so that no file can make the walk slow. */
static const struct elfsym *walk_top(struct elfsyms_walk *w, uint64_t svma)
{
	while (w->open.n) {
		const struct elfsym *top = &w->syms->v.v[w->open.v[w->open.n - 1]];

		if (svma < top->end)
			return top;
		w->open.n--;
	}
	return NULL;
}

/* Where unwind information tells functions apart, a symbol of size zero stays within its own. Where
 * nothing does, and the symbols of local functions are gone, it may be any distance to the next. */
static bool tail_reaches(const struct elfsyms *s, const struct elfsym *tail, uint64_t svma)
{
	uint64_t start, end;

	if (svma >= tail->end)
		return false;
	if (elffile_fde(s->file, svma, &start, &end))
		return start <= tail->addr;
	if (!s->has_symtab && svma != tail->addr)
		return false;
	return !elffile_fde(s->file, tail->addr, &start, &end);
}

const struct elfsym *elfsyms_walk_to(struct elfsyms_walk *w, uint64_t svma)
{
	const struct elfsyms *s = w->syms;

	for (; w->next < s->v.n && s->v.v[w->next].addr <= svma; w->next++) {
		const struct elfsym *sym = &s->v.v[w->next];

		if (sym->sized) {
			walk_top(w, sym->addr);
			vec_push(&w->open, (uint32_t)w->next);
			w->tail = NULL;
		} else if (!walk_top(w, sym->addr)) {
			w->tail = sym;
		}
	}
	const struct elfsym *top = walk_top(w, svma);

	if (top)
		return top;
	return w->tail && tail_reaches(s, w->tail, svma) ? w->tail : NULL;
}
