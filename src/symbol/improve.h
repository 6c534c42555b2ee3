/* Names that a recording stored, and better ones from files that are here now. */
#ifndef SYMBOL_IMPROVE_H
#define SYMBOL_IMPROVE_H

#include "symbol/symbolizer.h"

/* Looks up every place of data->tree that has no name or no lines, into `ret` (initialized here)
 * the names that are better than those in data->names, which stay. `ret_n` (NULL: not asked):
 * places looked up. `ret` is the caller's on failure too. */
ERR_CHECK struct err *improve_find(struct symbolizer *s, struct dataset *data, struct names *ret,
				   uint64_t *ret_n);

/* The same, entered into data->names. */
ERR_CHECK struct err *improve_names(struct symbolizer *s, struct dataset *data);

#endif
