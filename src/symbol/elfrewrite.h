/* ELF files made of another's sections, for what libdw 0.188 can't read itself: sections compressed
 * with zstd (gABI, "Section Compression", ELFCOMPRESS_ZSTD), several sections .debug_info.dwo (gcc
 * has one for each type with -fdebug-types-section), and .dwp files. */
#ifndef SYMBOL_ELFREWRITE_H
#define SYMBOL_ELFREWRITE_H

#include <gelf.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* A 64-bit little-endian file of sections without segments or addresses, built in order. */
struct elfrewrite {
	struct buf out;
	struct buf names;   /* .shstrtab */
	struct buf headers; /* Elf64_Shdr */
};

/* `like` gives machine and type. */
void elfrewrite_init(struct elfrewrite *w, const GElf_Ehdr *like);
void elfrewrite_deinit(struct elfrewrite *w);
void elfrewrite_add(struct elfrewrite *w, const char *name, const void *data, size_t len);
/* After the last section: `out` is the whole file, and `ret` it opened, for elf_end() before
 * elfrewrite_deinit(). */
ERR_CHECK struct err *elfrewrite_open(struct elfrewrite *w, Elf **ret);

/* The same for a copy of the sections of `elf` whose names begin with ".debug" or ".zdebug", such
 * that libdw can read them all. `w` is for elfrewrite_deinit() on failure too. */
ERR_CHECK struct err *elfrewrite_copy(struct elfrewrite *w, Elf *elf, Elf **ret);
/* True if libdw can't read all of it otherwise. */
bool elfrewrite_is_needed(Elf *elf);

#endif
