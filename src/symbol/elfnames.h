/* Names for the places of one ELF file: by DWARF, with inlined calls and lines, and by symbol;
 * where neither covers a place, a stand-in by FDE. */
#ifndef SYMBOL_ELFNAMES_H
#define SYMBOL_ELFNAMES_H

#include "base/diag.h"
#include "sample/dataset.h"
#include "symbol/debugdata.h"
#include "symbol/elfsyms.h"
#include "symbol/gopclntab.h"
#include "symbol/namecache.h"

/* Told how many of the places are done, now and then. True: stop. */
typedef bool elfnames_progress_fn(void *ctx, size_t done);

struct elfnames {
	struct dataset *data; /* the caller's */
	struct diag *diag;
	uint32_t binary;
	uint64_t shift;
	struct elfsyms syms;
	struct plt *plt; /* NULL until a place falls between the symbols */
	struct debugdata debug;
	struct gopclntab *go; /* NULL: no program by Go, or one with DWARF */
	struct namecache functions, files;
	elfnames_progress_fn *progress;
	void *progress_ctx;
};

struct elfnames_of {
	struct dataset *data;
	uint32_t binary;
	const struct debugfile_search *search; /* NULL: no debug information */
	const char *path;                      /* of the file; NULL: the binary's */
	uint64_t shift; /* the kernel: how far from where it was linked it runs */
	struct diag *diag;
	elfnames_progress_fn *progress; /* NULL: nobody asks */
	void *progress_ctx;
};

/* `file` must outlive it; it is the file of data->binaries[binary]. */
void elfnames_init(struct elfnames *e, struct elffile *file, const struct elfnames_of *of);
void elfnames_deinit(struct elfnames *e);
/* Enters a name for each of the `n` look-up offsets (addresses of the kernel) into data->names,
 * until it is told to stop. */
void elfnames_run(struct elfnames *e, const uint64_t *keys, size_t n);

/* "[NAME]", and "[NAME+0xSTART]" for the function that begins at as-linked address `start`. NAME is
 * binary_name() without brackets of its own. The caller frees. */
char *standin_name(const struct binary *b);
char *standin_start_name(const struct binary *b, uint64_t start);

#endif
