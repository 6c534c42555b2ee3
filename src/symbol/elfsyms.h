/* The function symbols of one ELF file (.symtab and .dynsym; gABI, "Symbol Table"; of a stripped
 * program by Go, what its own table has), sorted.
 *
 * A sized symbol covers its range and nothing else; where ranges overlap the one that starts last
 * covers. A symbol of size zero reaches to the next symbol, the end of its section, or where FDEs
 * say that another function begins, and yields to any sized symbol around it; without .symtab, so
 * that the next function may have no symbol, only as far as an FDE says. Of several symbols at one
 * address: global before weak before local, functions before labels, then fewer leading
 * underscores, then the shorter, then in order of bytes. */
#ifndef SYMBOL_ELFSYMS_H
#define SYMBOL_ELFSYMS_H

#include "base/vec.h"
#include "model/elffile.h"

struct elfsym {
	uint64_t addr;    /* svma */
	uint64_t end;     /* exclusive; for a symbol of size zero the end of its section */
	const char *name; /* raw, may carry "@VERSION"; a view into the file */
	uint8_t rank;     /* bind and type, smaller is better */
	bool sized;
	bool is_ifunc; /* its code chooses the function of that name */
};

struct elfsyms {
	struct elffile *file; /* the caller's; must outlive this */
	VEC(struct elfsym) v; /* by address; of one address sized ones first, the best name last */
	bool has_symtab, has_dynsym;
	bool is_libc; /* defines __libc_start_main */
};

/* Never fails: what is damaged in the tables is left out. */
void elfsyms_init(struct elfsyms *s, struct elffile *file);
/* The tables of a file that belongs to it (debug file, .gnu_debugdata), which must outlive `s`. */
void elfsyms_add(struct elfsyms *s, Elf *elf);
void elfsyms_deinit(struct elfsyms *s);
/* Whether a symbol of this name (its version left aside) starts at svma. */
bool elfsyms_named(const struct elfsyms *s, uint64_t svma, const char *name);
/* The function that code at svma chooses when the program starts (STT_GNU_IFUNC); NULL: no such. */
const struct elfsym *elfsyms_ifunc(const struct elfsyms *s, uint64_t svma);
/* Length of the name without "@VERSION" or "@@VERSION". */
size_t elfsym_name_len(const char *name);

/* Look-ups in ascending order of address, in one pass over the symbols. */
struct elfsyms_walk {
	const struct elfsyms *syms;
	size_t next;
	VEC(uint32_t) open;        /* sized symbols begun and not known to have ended */
	const struct elfsym *tail; /* of size zero, and no symbol began since */
};

void elfsyms_walk_init(struct elfsyms_walk *w, const struct elfsyms *s);
void elfsyms_walk_deinit(struct elfsyms_walk *w);
/* The symbol that covers svma, which must not be smaller than the last; NULL if none does. */
const struct elfsym *elfsyms_walk_to(struct elfsyms_walk *w, uint64_t svma);

#endif
