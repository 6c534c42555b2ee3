/* What a fuzz target is made of. With configure --enable-fuzzers libFuzzer calls it; else
 * tests/fuzz/replay.c does. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Must neither crash nor hang nor leak, whatever the bytes are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target may make seeds of its own: appends number `i` to an empty buffer; false if there is
 * none. */
bool fuzz_seed(unsigned int i, struct buf *ret);

#endif
