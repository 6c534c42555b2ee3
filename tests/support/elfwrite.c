/* In: what a test wants to find. Out: an ELF file with just that. */
#include "support/elfwrite.h"

#include <sys/mman.h>
#include <unistd.h>

void elfwrite_init(struct elfwrite *e, bool is_64bit, uint16_t type, uint16_t machine)
{
	*e = (struct elfwrite){ .is_64bit = is_64bit, .type = type, .machine = machine };
	buf_u8(&e->section_names, 0);
	buf_u8(&e->symbol_names, 0);
	vec_push(&e->shdrs, (Elf64_Shdr){ 0 });
	vec_push(&e->syms, (Elf64_Sym){ 0 });
}

void elfwrite_deinit(struct elfwrite *e)
{
	buf_deinit(&e->data);
	buf_deinit(&e->section_names);
	buf_deinit(&e->symbol_names);
	vec_deinit(&e->phdrs);
	vec_deinit(&e->shdrs);
	vec_deinit(&e->syms);
}

void elfwrite_segment(struct elfwrite *e, uint32_t type, uint32_t flags, uint64_t off,
		      uint64_t svma, uint64_t len)
{
	Elf64_Phdr ph = {
		.p_type = type,
		.p_flags = flags,
		.p_offset = off,
		.p_vaddr = svma,
		.p_paddr = svma,
		.p_filesz = len,
		.p_memsz = len,
		.p_align = type == PT_LOAD ? 0x1000 : 4,
	};

	vec_push(&e->phdrs, ph);
}

uint16_t elfwrite_section(struct elfwrite *e, const char *name, uint32_t type, uint64_t flags,
			  uint64_t svma, uint64_t off, uint64_t len)
{
	Elf64_Shdr sh = {
		.sh_name = (uint32_t)e->section_names.len,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = svma,
		.sh_offset = off,
		.sh_size = len,
		.sh_addralign = type == SHT_NOTE ? 4 : 1,
	};

	buf_cstr(&e->section_names, name);
	vec_push(&e->shdrs, sh);
	return (uint16_t)(e->shdrs.n - 1);
}

void elfwrite_bytes(struct elfwrite *e, uint64_t off, const void *bytes, size_t len)
{
	while (e->data.len < off + len)
		buf_u8(&e->data, 0);
	if (len)
		memcpy(e->data.data + off, bytes, len);
}

uint64_t elfwrite_build_id(struct elfwrite *e, uint64_t off, const void *id, uint32_t len)
{
	struct buf note = { 0 };

	buf_u32(&note, 4);
	buf_u32(&note, len);
	buf_u32(&note, NT_GNU_BUILD_ID);
	buf_bytes(&note, "GNU", 4);
	buf_bytes(&note, id, len);
	while (note.len % 4)
		buf_u8(&note, 0);
	elfwrite_bytes(e, off, note.data, note.len);
	uint64_t written = note.len;

	buf_deinit(&note);
	return written;
}

void elfwrite_symbol(struct elfwrite *e, const char *name, uint64_t svma, uint64_t size,
		     uint8_t info, uint16_t section)
{
	Elf64_Sym sym = {
		.st_name = (uint32_t)e->symbol_names.len,
		.st_info = info,
		.st_shndx = section,
		.st_value = svma,
		.st_size = size,
	};

	buf_cstr(&e->symbol_names, name);
	vec_push(&e->syms, sym);
}

static void put_symbols(struct elfwrite *e, struct buf *out)
{
	for (size_t i = 0; i < e->syms.n; i++) {
		const Elf64_Sym *s = &e->syms.v[i];
		Elf32_Sym narrow = {
			.st_name = s->st_name,
			.st_value = (uint32_t)s->st_value,
			.st_size = (uint32_t)s->st_size,
			.st_info = s->st_info,
			.st_shndx = s->st_shndx,
		};

		if (e->is_64bit)
			buf_bytes(out, s, sizeof(*s));
		else
			buf_bytes(out, &narrow, sizeof(narrow));
	}
}

static void put_phdrs(struct elfwrite *e, struct buf *out)
{
	for (size_t i = 0; i < e->phdrs.n; i++) {
		const Elf64_Phdr *p = &e->phdrs.v[i];
		Elf32_Phdr narrow = {
			.p_type = p->p_type,
			.p_offset = (uint32_t)p->p_offset,
			.p_vaddr = (uint32_t)p->p_vaddr,
			.p_paddr = (uint32_t)p->p_paddr,
			.p_filesz = (uint32_t)p->p_filesz,
			.p_memsz = (uint32_t)p->p_memsz,
			.p_flags = p->p_flags,
			.p_align = (uint32_t)p->p_align,
		};

		if (e->is_64bit)
			buf_bytes(out, p, sizeof(*p));
		else
			buf_bytes(out, &narrow, sizeof(narrow));
	}
}

static void put_shdrs(struct elfwrite *e, struct buf *out)
{
	for (size_t i = 0; i < e->shdrs.n; i++) {
		const Elf64_Shdr *s = &e->shdrs.v[i];
		Elf32_Shdr narrow = {
			.sh_name = s->sh_name,
			.sh_type = s->sh_type,
			.sh_flags = (uint32_t)s->sh_flags,
			.sh_addr = (uint32_t)s->sh_addr,
			.sh_offset = (uint32_t)s->sh_offset,
			.sh_size = (uint32_t)s->sh_size,
			.sh_link = s->sh_link,
			.sh_info = s->sh_info,
			.sh_addralign = (uint32_t)s->sh_addralign,
			.sh_entsize = (uint32_t)s->sh_entsize,
		};

		if (e->is_64bit)
			buf_bytes(out, s, sizeof(*s));
		else
			buf_bytes(out, &narrow, sizeof(narrow));
	}
}

static void put_ehdr(struct elfwrite *e, uint64_t shoff, struct buf *out)
{
	const unsigned char ident[EI_NIDENT] = {
		ELFMAG0,     ELFMAG1,    ELFMAG2, ELFMAG3, e->is_64bit ? ELFCLASS64 : ELFCLASS32,
		ELFDATA2LSB, EV_CURRENT,
	};

	buf_bytes(out, ident, sizeof(ident));
	buf_u16(out, e->type);
	buf_u16(out, e->machine);
	buf_u32(out, EV_CURRENT);
	const uint64_t places[] = { e->entry, e->is_64bit ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr),
				    shoff };

	for (size_t i = 0; i < 3; i++) {
		if (e->is_64bit)
			buf_u64(out, places[i]);
		else
			buf_u32(out, (uint32_t)places[i]);
	}
	buf_u32(out, 0);
	buf_u16(out, e->is_64bit ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	buf_u16(out, e->is_64bit ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	buf_u16(out, (uint16_t)e->phdrs.n);
	buf_u16(out, e->is_64bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	buf_u16(out, (uint16_t)e->shdrs.n);
	buf_u16(out, (uint16_t)(e->shdrs.n - 1));
}

/* Appends `bytes` as the contents of a new section. */
static uint16_t append_section(struct elfwrite *e, const char *name, uint32_t type,
			       const struct buf *bytes)
{
	while (e->data.len % 8)
		buf_u8(&e->data, 0);
	uint16_t index = elfwrite_section(e, name, type, 0, 0, e->data.len, bytes->len);

	buf_bytes(&e->data, bytes->data, bytes->len);
	return index;
}

void elfwrite_finish(struct elfwrite *e)
{
	struct buf symbols = { 0 }, head = { 0 };

	elfwrite_bytes(e, ELFWRITE_DATA, NULL, 0);
	if (e->syms.n > 1) {
		put_symbols(e, &symbols);
		uint16_t strings = append_section(e, ".strtab", SHT_STRTAB, &e->symbol_names);
		uint16_t table = append_section(e, ".symtab", SHT_SYMTAB, &symbols);

		e->shdrs.v[table].sh_link = strings;
		e->shdrs.v[table].sh_info = 1;
		e->shdrs.v[table].sh_entsize = e->is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	}
	buf_cstr(&e->section_names, ".shstrtab");
	struct buf names = { 0 };

	buf_bytes(&names, e->section_names.data, e->section_names.len);
	e->section_names.len -= sizeof(".shstrtab");
	append_section(e, ".shstrtab", SHT_STRTAB, &names);
	while (e->data.len % 8)
		buf_u8(&e->data, 0);
	put_ehdr(e, e->data.len, &head);
	put_phdrs(e, &head);
	elfwrite_bytes(e, 0, head.data, head.len);
	put_shdrs(e, &e->data);
	buf_deinit(&symbols);
	buf_deinit(&head);
	buf_deinit(&names);
}

int elfwrite_fd(const struct elfwrite *e)
{
	int fd = memfd_create("elfwrite", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, e->data.data, e->data.len) != (ssize_t)e->data.len) {
		close(fd);
		return -1;
	}
	return fd;
}
