/* What must hold of a dataset whatever the bytes it was read from; they abort where it does not. */
#ifndef FUZZ_CHECKS_H
#define FUZZ_CHECKS_H

#include "sample/dataset.h"

/* Every number that a batch gives out is one of the tables. */
void checks_batch(const struct dataset *d, const struct batch *b);
/* Every number in the tables is one of theirs. */
void checks_tables(const struct dataset *d);

#endif
