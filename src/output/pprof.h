/* pprof's profile.proto, packed by gzip: what `go tool pprof` and profile stores read. */
#ifndef OUTPUT_PPROF_H
#define OUTPUT_PPROF_H

#include "output/output.h"

/* ctx->options is not used. Two values a sample and event, "EVENT_sample" (a count) and
 * "EVENT_event" (the sum of periods), of which the profile's own weight is the default; labels pid,
 * tid, comm (of the process), thread and, of a merge, origin. Addresses are made up: binaries, each
 * with its build-id, stand one after the other, since a place in a file has no one address. Code in
 * no file, and the kernel's, keeps its own. */
extern const struct output pprof_output;

#endif
