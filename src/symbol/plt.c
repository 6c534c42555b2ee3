/* In: an ELF file's stub sections and relocations. Out: which imported function a stub leads to. */
#include "symbol/plt.h"

#include <gelf.h>
#include <string.h>

/* A slot that a relocation fills. */
struct slot {
	uint64_t addr;
	const char *name;
};

struct slots {
	VEC(struct slot) v;
};

static int slot_cmp(const void *va, const void *vb)
{
	const struct slot *a = va, *b = vb;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

static bool is_import(uint16_t machine, uint64_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return machine == EM_AARCH64 && (type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT);
}

static bool is_resolved(uint16_t machine, uint64_t type)
{
	return type == (machine == EM_X86_64 ? R_X86_64_IRELATIVE : R_AARCH64_IRELATIVE);
}

/* Only names of .dynsym, through the library's own check of the string's end. NULL: none. */
static const char *import_name(Elf *elf, size_t table, uint64_t index)
{
	Elf_Scn *scn = elf_getscn(elf, table);
	Elf_Data *syms = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!syms || index > INT32_MAX || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNSYM ||
	    !gelf_getsym(syms, (int)index, &sym))
		return NULL;
	return elf_strptr(elf, shdr.sh_link, sym.st_name);
}

static const char *slot_name(const struct elfsyms *syms, const GElf_Shdr *rela,
			     const GElf_Rela *reloc)
{
	uint16_t machine = elffile_machine(syms->file);
	uint64_t type = GELF_R_TYPE(reloc->r_info);

	if (is_import(machine, type))
		return import_name(elffile_elf(syms->file), rela->sh_link,
				   GELF_R_SYM(reloc->r_info));
	if (!is_resolved(machine, type))
		return NULL;
	const struct elfsym *ifunc = elfsyms_ifunc(syms, (uint64_t)reloc->r_addend);

	return ifunc ? ifunc->name : NULL;
}

static void slots_read(struct slots *slots, const struct elfsyms *syms, Elf_Scn *scn,
		       const GElf_Shdr *rela)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t entry = gelf_fsize(elffile_elf(syms->file), ELF_T_RELA, 1, EV_CURRENT);

	if (!data || !entry)
		return;
	for (size_t i = 0; i < data->d_size / entry && i < INT32_MAX; i++) {
		GElf_Rela reloc;

		if (!gelf_getrela(data, (int)i, &reloc))
			return;
		const char *name = slot_name(syms, rela, &reloc);

		if (name && name[0])
			vec_push(&slots->v, ((struct slot){ reloc.r_offset, name }));
	}
}

static const char *slots_find(const struct slots *slots, uint64_t addr)
{
	struct slot key = { .addr = addr };
	const struct slot *found =
		slots->v.n ? bsearch(&key, slots->v.v, slots->v.n, sizeof(key), slot_cmp) : NULL;

	return found ? found->name : NULL;
}

/* jmp *SLOT(%rip), after endbr64 and bnd or not, anywhere in the stub. */
static bool x86_slot(const uint8_t *p, size_t len, uint64_t svma, uint64_t *ret)
{
	for (size_t i = 0; i + 6 <= len; i++) {
		int32_t rel;

		if (p[i] != 0xff || p[i + 1] != 0x25)
			continue;
		memcpy(&rel, p + i + 2, sizeof(rel));
		*ret = svma + i + 6 + (uint64_t)(int64_t)rel;
		return true;
	}
	return false;
}

/* adrp x16, PAGE; ldr x17, [x16, #OFFSET], after bti or not. */
static bool arm64_slot(const uint8_t *p, size_t len, uint64_t svma, uint64_t *ret)
{
	for (size_t i = 0; i + 8 <= len; i += 4) {
		uint32_t adrp, ldr;

		memcpy(&adrp, p + i, 4);
		memcpy(&ldr, p + i + 4, 4);
		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		uint32_t imm21 = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
		int64_t page = (int64_t)(int32_t)(imm21 << 11) >> 11;

		*ret = ((svma + i) & ~0xfffULL) + ((uint64_t)page << 12) +
		       (uint64_t)(ldr >> 10 & 0xfff) * 8;
		return true;
	}
	return false;
}

/* Bytes of a stub. In a static program the section does not say, and its stubs are nothing but a
 * jump, padded to eight. */
static uint64_t stub_len(const GElf_Shdr *shdr, const uint8_t *bytes, bool is_x86)
{
	if (shdr->sh_entsize == 8 || shdr->sh_entsize == 24)
		return shdr->sh_entsize;
	return is_x86 && !shdr->sh_entsize && shdr->sh_size >= 16 &&
			       !memcmp(bytes, "\xff\x25", 2) && !memcmp(bytes + 8, "\xff\x25", 2)
		       ? 8
		       : 16;
}

static void stubs_read(struct plt *plt, struct elffile *file, const GElf_Shdr *shdr,
		       const struct slots *slots)
{
	const uint8_t *bytes = elffile_bytes(file, shdr->sh_addr, shdr->sh_size);
	bool is_x86 = elffile_machine(file) == EM_X86_64;

	if (!bytes)
		return;
	uint64_t step = stub_len(shdr, bytes, is_x86);

	for (uint64_t at = 0; shdr->sh_size - at >= step; at += step) {
		uint64_t svma = shdr->sh_addr + at, slot;

		if (!(is_x86 ? x86_slot : arm64_slot)(bytes + at, step, svma, &slot))
			continue;
		const char *name = slots_find(slots, slot);

		if (name)
			vec_push(&plt->v, ((struct plt_stub){ svma, svma + step, name }));
	}
}

static int stub_cmp(const void *va, const void *vb)
{
	const struct plt_stub *a = va, *b = vb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Stub sections go by name: no header field tells them from other code. The counts are bounded so
 * that a small file cannot have one section read through many headers. */
static void sections_read(struct plt *plt, const struct elfsyms *syms, struct slots *slots)
{
	enum { RELA_MAX = 4, PLT_MAX = 8 };
	Elf *elf = elffile_elf(syms->file);
	size_t names, n_rela = 0, n_plt = 0;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA &&
		    (shdr.sh_flags & SHF_ALLOC) && n_rela++ < RELA_MAX)
			slots_read(slots, syms, scn, &shdr);
	}
	if (!slots->v.n)
		return;
	vec_sort(&slots->v, slot_cmp);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (name && !strncmp(name, ".plt", 4) && shdr.sh_type == SHT_PROGBITS &&
		    (shdr.sh_flags & SHF_EXECINSTR) && n_plt++ < PLT_MAX)
			stubs_read(plt, syms->file, &shdr, slots);
	}
}

void plt_init(struct plt *plt, const struct elfsyms *syms)
{
	uint16_t machine = elffile_machine(syms->file);
	struct slots slots = { 0 };

	*plt = (struct plt){ 0 };
	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return;
	sections_read(plt, syms, &slots);
	vec_deinit(&slots.v);
	vec_sort(&plt->v, stub_cmp);
}

void plt_deinit(struct plt *plt)
{
	vec_deinit(&plt->v);
}

const struct plt_stub *plt_find(const struct plt *plt, uint64_t svma)
{
	size_t lo = 0, hi = plt->v.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (plt->v.v[mid].start <= svma)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || svma >= plt->v.v[lo - 1].end)
		return NULL;
	return &plt->v.v[lo - 1];
}
