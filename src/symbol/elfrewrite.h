/* ELF files made of another's sections, for what libdw 0.188 can't read itself: sections compressed
 * with zstd (gABI, "Section Compression", ELFCOMPRESS_ZSTD) and .dwp files. */
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
/* After the last section: `out` is the whole file. */
ERR_CHECK struct err *elfrewrite_finish(struct elfrewrite *w);
ERR_CHECK struct err *elfrewrite_write(const struct elfrewrite *w, int fd);

/* Adds the sections of `elf` whose names begin with ".debug" or ".zdebug", decompressed. Fails
 * where one can't be. */
ERR_CHECK struct err *elfrewrite_debug_sections(struct elfrewrite *w, Elf *elf);
/* True if a debug section is compressed with zstd. */
bool elfrewrite_has_zstd(Elf *elf);

#endif
