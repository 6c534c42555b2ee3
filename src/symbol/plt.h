/* Stubs of the procedure linkage table as "NAME@plt": a stub is known by the slot it jumps through,
 * the slot by the relocation that fills it (x86-64 psABI, "Procedure Linkage Table"; AAELF64), so
 * that every linker's layout of stubs is read alike. The slot of an ifunc of the file's own is
 * filled with what its resolver returns. */
#ifndef SYMBOL_PLT_H
#define SYMBOL_PLT_H

#include "base/vec.h"
#include "symbol/elfsyms.h"

struct plt_stub {
	uint64_t start, end; /* svma */
	const char *name; /* of the function it leads to, as `syms` has it; a view into the file */
};

struct plt {
	VEC(struct plt_stub) v; /* by start */
};

/* Never fails: stubs that are not understood are left out. */
void plt_init(struct plt *plt, const struct elfsyms *syms);
void plt_deinit(struct plt *plt);
/* NULL if svma is in no known stub. */
const struct plt_stub *plt_find(const struct plt *plt, uint64_t svma);

#endif
