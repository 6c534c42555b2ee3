/* A small x86-64 program for tests of names: one segment of code with symbols and FDEs, a build-id,
 * as asked for and no more. File offset and address of the code differ on purpose. */
#ifndef SUPPORT_ELFPROG_H
#define SUPPORT_ELFPROG_H

#include "support/elfwrite.h"

enum {
	ELFPROG_TEXT_OFF = 0x1000,
	ELFPROG_TEXT_SVMA = 0x402000,
	ELFPROG_TEXT_LEN = 0x1000,
	/* For `shndx`. */
	ELFPROG_TEXT = 1,
	ELFPROG_RODATA = 2,
};

struct elfprog {
	struct elfwrite elf;
	uint8_t text[ELFPROG_TEXT_LEN];
	struct buf dynsym, dynstr, rela, eh_frame; /* empty: no such section */
	struct buf build_id;
};

struct elfprog_sym {
	const char *name;
	uint64_t at, size;        /* `at` is an offset into the text */
	unsigned char bind, type; /* STB_*, STT_* */
	uint16_t shndx;           /* 0: the text */
};

void elfprog_init(struct elfprog *p);
void elfprog_deinit(struct elfprog *p);
void elfprog_symbol(struct elfprog *p, const struct elfprog_sym *sym);
void elfprog_dynamic_symbol(struct elfprog *p, const struct elfprog_sym *sym);
void elfprog_import(struct elfprog *p, const char *name); /* an undefined dynamic symbol */
/* Fills the slot at svma with the address of the dynamic symbol numbered `sym` (from 1). */
void elfprog_jump_slot(struct elfprog *p, uint64_t svma, uint32_t sym);
/* Fills it with what the resolver at svma `resolver` returns. */
void elfprog_resolved_slot(struct elfprog *p, uint64_t svma, uint64_t resolver);
void elfprog_fde(struct elfprog *p, uint64_t at, uint32_t len);
/* Finishes the file: an open descriptor without a name, to be closed by the caller. Once only. */
int elfprog_fd(struct elfprog *p);

#endif
