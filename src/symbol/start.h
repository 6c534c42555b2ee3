/* Start code: where the stack of a process or thread may end. A stack by frame pointers is complete
 * if its outermost user frame lies here. */
#ifndef SYMBOL_START_H
#define SYMBOL_START_H

#include "symbol/elfsyms.h"

/* By the raw name (its version left aside) of the symbol that covers the place; `binary_name` tells
 * musl's "start" from anybody's. */
bool start_is_name(const char *raw, const char *binary_name);

/* By what the code does, for C libraries and programs whose local symbols are stripped. [start,
 * end) is the range of the FDE around the place. */
bool start_is_code(const struct elfsyms *syms, uint64_t start, uint64_t end);

/* The entry point's own piece of assembly, for places that no FDE covers. */
bool start_is_entry(const struct elfsyms *syms, uint64_t svma);

#endif
