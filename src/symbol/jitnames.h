/* Names for the places of one process's code in no file, by what its JIT compiler left. */
#ifndef SYMBOL_JITNAMES_H
#define SYMBOL_JITNAMES_H

#include "base/diag.h"
#include "sample/dataset.h"

struct jitnames {
	struct dataset *data;
	uint32_t binary;
	const uint64_t *keys; /* addresses, ascending */
	size_t n;
	const char *standin; /* for places that nothing names */
	struct diag *diag;
};

/* `fd` is a jitdump file or a map (perfmap.h), by its content. Places that the file leaves open get
 * the stand-in. */
ERR_CHECK struct err *jitnames_run(const struct jitnames *j, int fd);

#endif
