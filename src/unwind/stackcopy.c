/* In: an address on a stack. Out: the word there, or why it is not in the copy. */
#include "unwind/stackcopy.h"

enum {
	/* What a signal interrupted farther off than this, or a stray frame pointer points at, is
	   not the same stack. */
	OTHER_STACK = 1 << 20,
	LARGEST_STACK = 8 << 20, /* setrlimit(2): what RLIMIT_STACK is everywhere */
	LARGEST_COPY = 65528,    /* perf_event_open(2): sample_stack_user, below 64 KiB, of words */
};

bool stackcopy_is_beyond(const struct raw_sample *s, uint64_t sp, uint64_t addr, bool *ret_hopeless)
{
	uint64_t at = addr - sp;

	*ret_hopeless = s->stack_len < s->stack_asked || at + sizeof(addr) > LARGEST_COPY;
	return s->stack_asked && at < LARGEST_STACK && at + sizeof(addr) > s->stack_len;
}

bool stackcopy_is_near(const struct raw_sample *s, uint64_t sp, uint64_t addr)
{
	bool full = s->stack_len && s->stack_len >= s->stack_asked;

	return addr >= sp && addr < sp + s->stack_len + OTHER_STACK && full;
}

bool stackcopy_is_other(const struct raw_sample *s, uint64_t sp, uint64_t addr)
{
	uint64_t word;

	return !stackcopy_word(s, sp, addr, &word) && !stackcopy_is_near(s, sp, addr);
}
