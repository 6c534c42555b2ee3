/* callgrind's format (Valgrind's manual, "Callgrind Format Specification"): what kcachegrind and
 * callgrind_annotate read. */
#ifndef OUTPUT_CALLGRIND_H
#define OUTPUT_CALLGRIND_H

#include "output/output.h"

/* ctx->options is not used. One event, the profile's weight; in a profile of periods "Samples" is a
 * second one. Sampling sees no calls: the number of calls is that of samples. Readers add the
 * calls out of a function to its own cost, so of a recursive stack only the outermost call out of
 * each function counts, and none out of the function that was running: then what they show as
 * inclusive is right. An inlined call is a function like any other. */
extern const struct output callgrind_output;

#endif
