/* The bytes of its stack that came with a sample, by address; `sp` is the address of the first. And
 * what a word that is not among them says: the kernel copies less than 64 KiB, and stops at the
 * first page not in memory, such as that of a large array whose end alone was written. */
#ifndef UNWIND_STACKCOPY_H
#define UNWIND_STACKCOPY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sample/rawevent.h"

/* False if the word is not in the copy. */
static inline bool stackcopy_word(const struct raw_sample *s, uint64_t sp, uint64_t addr,
				  uint64_t *ret)
{
	uint64_t at = addr - sp;

	if (addr < sp || s->stack_len < sizeof(*ret) || at > s->stack_len - sizeof(*ret))
		return false;
	memcpy(ret, s->stack + at, sizeof(*ret));
	return true;
}

/* True if the word at `addr` is not in the copy, but may be on the same stack. *ret_hopeless: a
 * larger copy would not hold it either. */
bool stackcopy_is_beyond(const struct raw_sample *s, uint64_t sp, uint64_t addr,
			 bool *ret_hopeless);
/* True if the copy is all that was asked for, and `addr` is in it or not far above: for an address
 * that is not known to be of this stack. */
bool stackcopy_is_near(const struct raw_sample *s, uint64_t sp, uint64_t addr);
/* True if a stack pointer that a signal interrupted is of another stack than the one copied. */
bool stackcopy_is_other(const struct raw_sample *s, uint64_t sp, uint64_t addr);

#endif
