/* The text of `perf script`, sample by sample, as other tools read it (stackcollapse-perf.pl,
 * inferno, speedscope). */
#ifndef OUTPUT_PERFSCRIPT_H
#define OUTPUT_PERFSCRIPT_H

#include "output/output.h"

/* ctx->options is not used. Samples of all events, each with its event's name and its period, in
 * the order of the recording. Addresses are as recorded: offsets into files, which are no addresses
 * of a process; 0 where none is known. */
extern const struct output perfscript_output;

#endif
