/* In: what a test says of a program. Out: its file. */
#include "support/elfprog.h"

enum {
	TEXT_OFF = ELFPROG_TEXT_OFF,
	RODATA_OFF = 0x2000,
	EH_FRAME_OFF = 0x3000,
	EH_FRAME_SVMA = 0x405000,
};

void elfprog_init(struct elfprog *p)
{
	*p = (struct elfprog){ 0 };
	elfwrite_init(&p->elf, true, ET_EXEC, EM_X86_64);
	elfwrite_segment(&p->elf, PT_LOAD, PF_R | PF_X, TEXT_OFF, ELFPROG_TEXT_SVMA,
			 ELFPROG_TEXT_LEN);
	elfwrite_section(&p->elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			 ELFPROG_TEXT_SVMA, TEXT_OFF, ELFPROG_TEXT_LEN);
	elfwrite_section(&p->elf, ".rodata", SHT_PROGBITS, SHF_ALLOC, ELFPROG_TEXT_SVMA, RODATA_OFF,
			 ELFPROG_TEXT_LEN);
}

void elfprog_deinit(struct elfprog *p)
{
	elfwrite_deinit(&p->elf);
	buf_deinit(&p->dynsym);
	buf_deinit(&p->dynstr);
	buf_deinit(&p->rela);
	buf_deinit(&p->eh_frame);
	buf_deinit(&p->build_id);
}

void elfprog_symbol(struct elfprog *p, const struct elfprog_sym *sym)
{
	elfwrite_symbol(&p->elf, sym->name, ELFPROG_TEXT_SVMA + sym->at, sym->size,
			ELF64_ST_INFO(sym->bind, sym->type),
			sym->shndx ? sym->shndx : ELFPROG_TEXT);
}

static void add_dynamic(struct elfprog *p, const char *name, Elf64_Sym sym)
{
	static const Elf64_Sym null;

	if (!p->dynsym.len) {
		buf_bytes(&p->dynsym, &null, sizeof(null));
		buf_u8(&p->dynstr, 0);
	}
	sym.st_name = (Elf64_Word)p->dynstr.len;
	buf_bytes(&p->dynsym, &sym, sizeof(sym));
	buf_cstr(&p->dynstr, name);
}

void elfprog_dynamic_symbol(struct elfprog *p, const struct elfprog_sym *sym)
{
	add_dynamic(p, sym->name,
		    (Elf64_Sym){
			    .st_info = ELF64_ST_INFO(sym->bind, sym->type),
			    .st_shndx = sym->shndx ? sym->shndx : ELFPROG_TEXT,
			    .st_value = ELFPROG_TEXT_SVMA + sym->at,
			    .st_size = sym->size,
		    });
}

void elfprog_import(struct elfprog *p, const char *name)
{
	add_dynamic(p, name, (Elf64_Sym){ .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) });
}

void elfprog_jump_slot(struct elfprog *p, uint64_t svma, uint32_t sym)
{
	Elf64_Rela rela = {
		.r_offset = svma,
		.r_info = ELF64_R_INFO((uint64_t)sym, R_X86_64_JUMP_SLOT),
	};

	buf_bytes(&p->rela, &rela, sizeof(rela));
}

void elfprog_resolved_slot(struct elfprog *p, uint64_t svma, uint64_t resolver)
{
	Elf64_Rela rela = {
		.r_offset = svma,
		.r_info = R_X86_64_IRELATIVE,
		.r_addend = (Elf64_Sxword)resolver,
	};

	buf_bytes(&p->rela, &rela, sizeof(rela));
}

/* LSB Core, "Exception Frames": a CIE "zR" with pc-relative 4-byte pointers, then FDEs. */
void elfprog_fde(struct elfprog *p, uint64_t at, uint32_t len)
{
	struct buf *out = &p->eh_frame;

	if (!out->len) {
		buf_u32(out, 20);
		buf_u32(out, 0);
		/* Version, "zR", code and data alignment, return address, encoding; CFA = rsp + 8,
		 * return address at CFA - 8. */
		buf_bytes(out, "\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0", 16);
	}
	buf_u32(out, 16);
	buf_u32(out, (uint32_t)out->len);
	buf_u32(out, (uint32_t)(ELFPROG_TEXT_SVMA + at - (EH_FRAME_SVMA + out->len)));
	buf_u32(out, len);
	buf_u32(out, 0);
}

/* Puts `bytes` at the next free place; returns the section's index. */
static uint16_t append(struct elfprog *p, const char *name, uint32_t type, const struct buf *bytes)
{
	uint64_t off = (p->elf.data.len + 7) & ~7ULL;

	elfwrite_bytes(&p->elf, off, bytes->data, bytes->len);
	return elfwrite_section(&p->elf, name, type, SHF_ALLOC, 0, off, bytes->len);
}

static void append_dynamic(struct elfprog *p)
{
	uint16_t strings = append(p, ".dynstr", SHT_STRTAB, &p->dynstr);
	uint16_t index = append(p, ".dynsym", SHT_DYNSYM, &p->dynsym);
	Elf64_Shdr *table = &p->elf.shdrs.v[index];

	table->sh_link = strings;
	table->sh_info = 1;
	table->sh_entsize = sizeof(Elf64_Sym);
	table->sh_addralign = 8;
	if (!p->rela.len)
		return;
	Elf64_Shdr *rela = &p->elf.shdrs.v[append(p, ".rela.plt", SHT_RELA, &p->rela)];

	rela->sh_link = index;
	rela->sh_entsize = sizeof(Elf64_Rela);
	rela->sh_addralign = 8;
}

int elfprog_fd(struct elfprog *p)
{
	elfwrite_bytes(&p->elf, TEXT_OFF, p->text, sizeof(p->text));
	elfwrite_bytes(&p->elf, RODATA_OFF, p->text, sizeof(p->text));
	if (p->eh_frame.len) {
		buf_u32(&p->eh_frame, 0);
		elfwrite_bytes(&p->elf, EH_FRAME_OFF, p->eh_frame.data, p->eh_frame.len);
		elfwrite_section(&p->elf, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, EH_FRAME_SVMA,
				 EH_FRAME_OFF, p->eh_frame.len);
		elfwrite_segment(&p->elf, PT_LOAD, PF_R, EH_FRAME_OFF, EH_FRAME_SVMA,
				 p->eh_frame.len);
	}
	if (p->build_id.len) {
		uint64_t off = (p->elf.data.len + 7) & ~7ULL;
		uint64_t len = elfwrite_build_id(&p->elf, off, p->build_id.data,
						 (uint32_t)p->build_id.len);

		elfwrite_section(&p->elf, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, off, len);
		elfwrite_segment(&p->elf, PT_NOTE, PF_R, off, 0, len);
	}
	if (p->dynsym.len)
		append_dynamic(p);
	elfwrite_finish(&p->elf);
	return elfwrite_fd(&p->elf);
}
