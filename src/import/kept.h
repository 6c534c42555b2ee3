/* A recording that kept its stacks, unwound anew: passes another source's batches on with the nodes
 * of samples replaced by what the unwinder makes of their stacks now. Those through code of a JIT
 * compiler that dumped it (unwind/jitcode.h) stay as they were recorded: the dump is not in the
 * file. */
#ifndef IMPORT_KEPT_H
#define IMPORT_KEPT_H

#include "sample/dataset.h"
#include "unwind/unwinder.h"

/* The file of a binary; NULL if it is not to be had. The caller owns it. */
typedef struct elffile *kept_open_fn(void *ctx, uint32_t binary);

/* Takes `inner`, whose data->meta.keeps_stacks is true. `open` is called once for each binary whose
 * code is mapped. An error, which leaves `inner` the caller's, names a machine that singe cannot
 * unwind. */
ERR_CHECK struct err *kept_open(struct source *inner, enum unwind_engine engine, kept_open_fn *open,
				void *ctx, struct source **ret);

#endif
