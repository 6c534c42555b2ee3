/* Names as found → names as shown: options of display that need no look-up, so that they work on
 * stored names too. */
#ifndef PROFILE_DISPLAYNAME_H
#define PROFILE_DISPLAYNAME_H

#include <stdbool.h>
#include <stdint.h>

struct displayname {
	bool short_templates; /* "std::vector<>" for "std::vector<int, std::allocator<int> >" */
	bool fold_clones;     /* "f" for "f.cold", "f.part.0", "f.constprop.1.isra.0" */
	bool lines;           /* "f (file.c:12)" */
};

/* The caller frees; NULL if `name` is the one to show. `file` may be NULL, `line` 0. */
char *displayname(const struct displayname *opt, const char *name, const char *file, uint32_t line);

#endif
