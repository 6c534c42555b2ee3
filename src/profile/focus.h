/* A call tree seen from one function: who calls it, or what it calls. */
#ifndef PROFILE_FOCUS_H
#define PROFILE_FOCUS_H

#include "profile/calltree.h"

enum focus { FOCUS_CALLERS, FOCUS_CALLEES };

/* A new tree whose root has the functions that `function` names as children: below them their
 * callers (to the group), or all they call. `function` is a name as displayed or, if no function
 * has that name, a POSIX extended expression; fails if it is neither, or if nothing matches. A
 * function on the stack more than once counts once, where it is outermost. Totals are of what lies
 * below such a function, so the root's is the function's; `t->profile` still has the whole. The
 * verdicts are those of `t`. */
ERR_CHECK struct err *focus_build(const struct calltree *t, const char *function, enum focus what,
				  struct calltree **ret);
/* Which functions `function` names: `matches` has a byte for each of t->funcs, zeroed before. */
ERR_CHECK struct err *focus_match(const struct calltree *t, const char *function, uint8_t *matches);

#endif
