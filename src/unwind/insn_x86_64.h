/* x86-64 instructions, by length and by what they do to the stack. */
#ifndef UNWIND_INSN_X86_64_H
#define UNWIND_INSN_X86_64_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/insn.h"

/* The one at `code`. False if it is none, is cut off by `len`, or does to the stack what struct
 * insn cannot say. */
bool x86_insn(const uint8_t *code, size_t len, struct insn *ret);

#endif
