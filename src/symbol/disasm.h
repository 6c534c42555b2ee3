/* Machine code of one function as text, through capstone where the build knows it. */
#ifndef SYMBOL_DISASM_H
#define SYMBOL_DISASM_H

#include "base/buf.h"
#include "base/vec.h"
#include "symbol/elfsyms.h"

enum { DISASM_MAX = 1 << 20 }; /* bytes of a function; what is behind is left out */

struct disasm_insn {
	uint64_t off;  /* in the file, which is what frames hold */
	uint64_t svma; /* as linked, which is what objdump prints */
	uint32_t len;
	uint32_t text; /* offset into disasm.text: see disasm_text() */
};

struct disasm {
	VEC(struct disasm_insn) v; /* ascending, without holes; zeroed: none */
	struct buf text;
	bool cut; /* the function is larger than DISASM_MAX */
};

/* NULL if functions can be disassembled; else what this was built without, or lacks here, and its
 * package. */
ERR_CHECK struct err *disasm_missing(void);
/* The function around offset `off` of the file whose symbols these are, by the symbol that covers
 * it, else as a stub or by its FDE. Bytes that are no instruction come as ".byte". Fills `ret`,
 * which is zeroed before and to be released in any case. Fails if nothing says where the function
 * is, or for a machine capstone does not know. */
ERR_CHECK struct err *disasm_function(const struct elfsyms *syms, uint64_t off, struct disasm *ret);
/* `len` bytes of code in no file, which ran at address `at`: offsets are addresses too. */
ERR_CHECK struct err *disasm_bytes(uint16_t machine, uint64_t at, const uint8_t *bytes, size_t len,
				   struct disasm *ret);
void disasm_deinit(struct disasm *d);

static inline const char *disasm_text(const struct disasm *d, const struct disasm_insn *insn)
{
	return (const char *)d->text.data + insn->text;
}

#endif
