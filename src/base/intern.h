/* Strings as numbers: equal strings get the same id, ids count from 0 in order of arrival, and
 * intern_init() makes id 0 the empty string. The strings live until intern_deinit(). */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

struct intern {
	struct table table;
	VEC(char *) strings;
};

void intern_init(struct intern *in);
void intern_deinit(struct intern *in);
uint32_t intern_add(struct intern *in, const char *s);
/* `len` bytes; a NUL inside ends the string. */
uint32_t intern_add_len(struct intern *in, const char *s, size_t len);
/* Owned by the intern table; `id` must be one it gave out. Stays valid (strings never move). */
const char *intern_str(const struct intern *in, uint32_t id);

#endif
