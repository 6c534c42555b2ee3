/* Functions, inlined calls, files and lines of programs by Go 1.18 and later, from the table that
 * Go's runtime needs for itself and that stripping leaves: layout in Go's src/runtime/symtab.go
 * (pcHeader, moduledata, inlinedCall) and runtime2.go (_func). */
#ifndef SYMBOL_GOPCLNTAB_H
#define SYMBOL_GOPCLNTAB_H

#include "model/elffile.h"
#include "symbol/debuginfo.h"

struct gopclntab;

struct go_function {
	uint64_t start, end; /* svma */
	const char *name;    /* a view into the file */
};

/* NULL: no such table, or of another version. `file` must outlive it. */
struct gopclntab *gopclntab_open(struct elffile *file);
void gopclntab_destroy(struct gopclntab *g);

/* Functions by address. False: number `i` is damaged, or no function. */
uint32_t gopclntab_n(const struct gopclntab *g);
bool gopclntab_get(const struct gopclntab *g, uint32_t i, struct go_function *ret);

/* As debuginfo_find(); lines are those of the code itself, so that a function has none where it is
 * not known whether that was inlined. Strings are views into the file. */
size_t gopclntab_find(const struct gopclntab *g, uint64_t svma, struct debug_line *ret);

DEFINE_CLEANUP(struct gopclntab *, gopclntab_destroy);

#endif
