/* Any bytes through the importers: what the fuzz target and the test of damage share. */
#ifndef TESTS_IMPORTING_H
#define TESTS_IMPORTING_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "sample/dataset.h"

/* Reads the bytes as perf.data or as text, whichever they are, and aborts where a batch holds a
 * number that is in no table. True if something could be read; `ret` gets the totals. */
bool importing_read(const uint8_t *bytes, size_t len, struct totals *ret, struct diag *diag);

#endif
