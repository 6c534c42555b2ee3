/* Places → names. Names every distinct frame of a dataset that has no stored name, binary by
 * binary, in process. Never guesses: the file must be the binary (build-id, else device and inode
 * and mtime), a sized symbol covers only its range, a symbol of size zero reaches to the next
 * symbol or FDE, in a stripped file as far as an FDE does; else "[name+0xSTART]" with the FDE's
 * start, else "[name]". The kernel is named from kallsyms only on the boot that recorded (boot_id),
 * zero addresses never used. */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include "base/diag.h"
#include "sample/dataset.h"
#include "symbol/debugfile.h"

struct symbolizer;

/* Strings are the caller's and must outlive the symbolizer. */
struct symbolizer_options {
	struct debugfile_search search; /* sysroot: for binaries too */
	const char *vmlinux;            /* the kernel's file; NULL: kallsyms alone */
	bool own_symbols; /* no DWARF and no other files: the names in the binary itself */
};

/* Per binary, for info and the end of report. */
struct symbol_status {
	bool opened; /* a file with the right identity was found */
	bool has_symtab, has_dynsym, has_lines;
	char *why; /* why not, or NULL: "build-id differs", …; owned by the symbolizer */
};

/* `data` must outlive it. */
struct symbolizer *symbolizer_create(struct dataset *data, struct diag *diag);
/* Before the first run. */
void symbolizer_configure(struct symbolizer *s, const struct symbolizer_options *opt);
void symbolizer_destroy(struct symbolizer *s);

/* An open file for this binary (duplicated), preferred over searching by path; for code of a
 * process in no file (BINARY_KIND_ANON) its JIT compiler's map or jitdump. */
void symbolizer_give_fd(struct symbolizer *s, uint32_t binary, int fd);

/* The file of this binary can be found nowhere any more: its places become "[name (gone)]". */
void symbolizer_set_gone(struct symbolizer *s, uint32_t binary);

/* Names that places have already, which those found only may better: messages are about what is
 * missing beyond them, and kallsyms is not asked for what it named. NULL: none. Must outlive the
 * run. */
void symbolizer_set_stored(struct symbolizer *s, const struct names *stored);

/* Called before each binary and now and then within a large one: places done, of all; `what` is
 * the binary at work. Returning true stops early. */
typedef bool symbolizer_progress_fn(void *ctx, size_t done, size_t of, const char *what);
void symbolizer_on_progress(struct symbolizer *s, symbolizer_progress_fn *fn, void *ctx);

/* Names what `data->tree` holds and data->names does not. */
ERR_CHECK struct err *symbolizer_run(struct symbolizer *s);

/* Same for a set of places that came from elsewhere (addresses hit, collected over restarts). */
struct place {
	uint32_t binary;
	uint64_t key; /* names_key() of the frame */
};
ERR_CHECK struct err *symbolizer_run_places(struct symbolizer *s, const struct place *places,
					    size_t n);

const struct symbol_status *symbolizer_status(const struct symbolizer *s, uint32_t binary);

DEFINE_CLEANUP(struct symbolizer *, symbolizer_destroy);

#endif
