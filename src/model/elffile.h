/* An opened ELF file: identity, segments, FDE starts. The one place where address kinds are
 * converted: file offset (_off) ↔ as-linked address (_svma), by PT_LOAD, executable segments
 * first. Every read of the file's bytes is bounds-checked; libelf gets the file through
 * elf_begin(), and what it returns is checked too. */
#ifndef MODEL_ELFFILE_H
#define MODEL_ELFFILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sample/binaries.h"

struct elffile;

/* Takes a duplicate of `fd`. Fails on anything that is no ELF file of a known class. */
ERR_CHECK struct err *elffile_open(int fd, struct elffile **ret);
/* From memory (vdso image); `image` is copied. */
ERR_CHECK struct err *elffile_open_memory(const void *image, size_t len, struct elffile **ret);
void elffile_destroy(struct elffile *f);

Elf *elffile_elf(struct elffile *f);               /* owned by f */
int elffile_fd(const struct elffile *f);           /* owned by f; -1: from memory */
uint16_t elffile_machine(const struct elffile *f); /* EM_* */
bool elffile_is_64bit(const struct elffile *f);
uint64_t elffile_size(const struct elffile *f);  /* bytes, when it was opened */
uint64_t elffile_entry(const struct elffile *f); /* e_entry, an as-linked address; 0: none */
/* Where .eh_frame_hdr is (PT_GNU_EH_FRAME); false if there is none. */
bool elffile_eh_frame_hdr(const struct elffile *f, uint64_t *ret_svma, uint64_t *ret_len);
/* 0 if there is none. */
size_t elffile_build_id(const struct elffile *f, uint8_t ret[BUILD_ID_MAX]);
/* Fills mtime, size, and build-id where the binary has none, and counts a revision. False, and
 * nothing filled, if this is another file: by build-id; where the binary has none, by device and
 * inode and by an mtime and size filled earlier, as far as they are known. */
bool elffile_identify(const struct elffile *f, struct binary *binary);

bool elffile_off_to_svma(const struct elffile *f, uint64_t off, uint64_t *ret);
bool elffile_svma_to_off(const struct elffile *f, uint64_t svma, uint64_t *ret);
/* True if svma lies in an executable segment. */
bool elffile_is_code(const struct elffile *f, uint64_t svma);
/* Bytes of the file behind an as-linked address range; NULL if the file does not hold them all.
 * Valid as long as f. */
const uint8_t *elffile_bytes(struct elffile *f, uint64_t svma, uint64_t len);

/* The same by file offset. */
const uint8_t *elffile_bytes_at(struct elffile *f, uint64_t off, uint64_t len);

/* The FDE (.eh_frame_hdr or .eh_frame) that covers svma: [start, end). False if none does. */
bool elffile_fde(struct elffile *f, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end);

DEFINE_CLEANUP(struct elffile *, elffile_destroy);

#endif
