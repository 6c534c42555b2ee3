/* A helper thread opens mapped files while their process lives, reads what identifies them, and
 * keeps a descriptor of each, so that the rings never wait for a disk. */
#ifndef CAPTURE_FILES_H
#define CAPTURE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/jitreads.h"
#include "capture/opener.h"
#include "model/elffile.h"

struct files;

/* `opener` is used by the helper alone for opener_mapped() and must outlive it. At most `max_kept`
 * descriptors are kept: beyond, those go first that can be opened again by path. */
struct files *files_create(struct opener *opener, size_t max_kept);
/* Results come with the opened ELF file, for unwinding. Before the first request. */
void files_want_elf(struct files *f);
/* Stops the helper, closes what is kept. */
void files_destroy(struct files *f);

/* Asks for the file of a BINARY_KIND_FILE binary (copied), or the map of a BINARY_KIND_ANON one's
 * process (jitmaps.h); never waits. Repeated requests for a
 * binary that was opened, or is being, are dropped; one that failed is tried again, a few times. */
void files_request(struct files *f, uint32_t binary, const struct binary *like,
		   const struct mapped_file *where);

/* Reads on in the jitdump of process `pid` that was asked for as `binary`, after that. */
void files_read_dump(struct files *f, uint32_t pid, uint32_t binary);
/* Nobody will read on in it. */
void files_forget_dump(struct files *f, uint32_t pid, uint32_t binary);

struct file_result {
	uint32_t binary;
	bool is_dump; /* of files_read_dump(): `dump` is filled, `err` says what was wrong with it,
			 and there is nothing else */
	struct jitread_result dump; /* its batch the taker's */
	struct err *err;            /* why not; the taker's */
	struct binary found;        /* with no err: build-id, mtime, size as read; path is NULL */
	struct elffile *elf;        /* NULL: not wanted, or no ELF file; the taker's */
};

/* The next result; false if there is none now. */
bool files_take(struct files *f, struct file_result *ret);
/* Waits until everything asked for has been tried. */
void files_wait(struct files *f);
/* The kept descriptor of a binary; -1: none. After files_wait(). */
int files_fd(const struct files *f, uint32_t binary);
/* True if a binary's file could not be opened because there was neither it nor a process that had
 * it mapped any more. */
bool files_gone(const struct files *f, uint32_t binary);

#endif
