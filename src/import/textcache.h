/* Pieces of text seen before → what they came to. Bytes are compared, the hash is never trusted;
 * memory is bounded: a full cache empties itself. A zeroed struct is an empty cache. */
#ifndef IMPORT_TEXTCACHE_H
#define IMPORT_TEXTCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

struct textcache_entry {
	size_t at; /* of its bytes */
	size_t len;
	uint64_t key, value;
};

struct textcache {
	struct table table;
	VEC(struct textcache_entry) entries;
	char *bytes; /* owned */
	size_t len, cap;
};

void textcache_deinit(struct textcache *c);
/* `key` is compared too. */
bool textcache_find(const struct textcache *c, const char *p, size_t len, uint64_t key,
		    uint64_t *ret);
void textcache_add(struct textcache *c, const char *p, size_t len, uint64_t key, uint64_t value);

#endif
