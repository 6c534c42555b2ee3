/* Stubs of the procedure linkage table as "NAME@plt": a stub is known by the slot it jumps through,
 * the slot by the relocation that fills it (x86-64 psABI, "Procedure Linkage Table"; AAELF64), so
 * that every linker's layout of stubs is read alike. */
#ifndef SYMBOL_PLT_H
#define SYMBOL_PLT_H

#include "base/vec.h"
#include "model/elffile.h"

struct plt_stub {
	uint64_t start, end; /* svma */
	const char *name;    /* of the function it leads to; a view into the file */
};

struct plt {
	VEC(struct plt_stub) v; /* by start */
};

/* Never fails: stubs that are not understood are left out. */
void plt_init(struct plt *plt, struct elffile *file);
void plt_deinit(struct plt *plt);
/* NULL if svma is in no known stub. */
const struct plt_stub *plt_find(const struct plt *plt, uint64_t svma);

#endif
