/* Writes ELF files for tests: a few segments, sections and symbols at given places, no more.
 * Offsets below ELFWRITE_DATA belong to the headers. Section 0 is made by itself. */
#ifndef SUPPORT_ELFWRITE_H
#define SUPPORT_ELFWRITE_H

#include <elf.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"

enum { ELFWRITE_DATA = 0x400 };

struct elfwrite {
	bool is_64bit;
	uint16_t type;    /* ET_* */
	uint16_t machine; /* EM_* */
	uint64_t entry;
	struct buf data;       /* the file, from offset 0 */
	VEC(Elf64_Phdr) phdrs; /* always the wide form; narrowed when written */
	VEC(Elf64_Shdr) shdrs;
	VEC(Elf64_Sym) syms;
	struct buf section_names, symbol_names;
};

void elfwrite_init(struct elfwrite *e, bool is_64bit, uint16_t type, uint16_t machine);
void elfwrite_deinit(struct elfwrite *e);
void elfwrite_segment(struct elfwrite *e, uint32_t type, uint32_t flags, uint64_t off,
		      uint64_t svma, uint64_t len);
/* Returns the section's index. */
uint16_t elfwrite_section(struct elfwrite *e, const char *name, uint32_t type, uint64_t flags,
			  uint64_t svma, uint64_t off, uint64_t len);
void elfwrite_bytes(struct elfwrite *e, uint64_t off, const void *bytes, size_t len);
/* A GNU build-id note at `off`; returns its length. */
uint64_t elfwrite_build_id(struct elfwrite *e, uint64_t off, const void *id, uint32_t len);
void elfwrite_symbol(struct elfwrite *e, const char *name, uint64_t svma, uint64_t size,
		     uint8_t info, uint16_t section);
/* Adds .symtab, .strtab and .shstrtab and writes the headers: e->data is the file. */
void elfwrite_finish(struct elfwrite *e);
/* The finished file as a descriptor at offset 0, to be closed by the caller; -1 with errno. */
int elfwrite_fd(const struct elfwrite *e);

#endif
