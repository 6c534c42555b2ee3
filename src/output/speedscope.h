/* speedscope's own format (speedscope, src/lib/file-format-spec.ts): first all threads together,
 * then a profile for each thread in the order of time. */
#ifndef OUTPUT_SPEEDSCOPE_H
#define OUTPUT_SPEEDSCOPE_H

#include "output/output.h"

/* ctx->options is not used. Weights are those of the profile: "none" as their unit where they count
 * samples or events. */
extern const struct output speedscope_output;

#endif
