/* What tells functions of one name apart: the binary each is in. */
#ifndef PROFILE_SAMENAMES_H
#define PROFILE_SAMENAMES_H

#include "profile/calltree.h"

struct samenames {
	char **of; /* by function of the tree; NULL: its name is enough; owned */
	size_t n;
};

/* The binary's name; where functions of one name lie in binaries of one name, its path, or for code
 * in no file the process; and where even these agree, what else identifies it. */
void samenames_init(struct samenames *s, const struct calltree *t);
void samenames_deinit(struct samenames *s);

#endif
