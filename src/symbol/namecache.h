/* Strings of a file that stay where they are → numbers in a table of strings: what was readied once
 * (demangled) is not readied again. */
#ifndef SYMBOL_NAMECACHE_H
#define SYMBOL_NAMECACHE_H

#include "base/table.h"
#include "base/vec.h"

struct namecache {
	struct table table;
	VEC(const char *) strings;
	VEC(uint32_t) ids;
};

void namecache_deinit(struct namecache *c);
/* False if it is not there. `s` is known by where it lies. */
bool namecache_find(const struct namecache *c, const char *s, uint32_t *ret);
void namecache_add(struct namecache *c, const char *s, uint32_t id);

#endif
