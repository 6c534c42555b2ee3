/* Instructions with what each costs: `report --asm`. */
#ifndef OUTPUT_ASMTEXT_H
#define OUTPUT_ASMTEXT_H

#include "output/output.h"
#include "profile/asmlist.h"

/* ctx->options: struct asmlist of ctx->tree, with its parts. Addresses are as linked, which is what
 * objdump prints; a comment names the line of source where it changes, with its text where the file
 * can be read here. Where there is no code, the places hit stand alone, under the reason. Not in
 * outputs[]: it is a view of one function, not of the whole. */
extern const struct output asmtext_output;

#endif
