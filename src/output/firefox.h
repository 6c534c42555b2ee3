/* Firefox Profiler: the format of Gecko, version 24 (profiler.firefox.com upgrades it on load;
 * docs-developer/CHANGELOG-formats.md there), which has threads, time and categories, but no
 * weights: a sample is a sample. */
#ifndef OUTPUT_FIREFOX_H
#define OUTPUT_FIREFOX_H

#include "output/output.h"

/* ctx->options is not used. */
extern const struct output firefox_output;

#endif
