/* The stacks that a recording kept, each with the address space and the files it is unwound in, for
 * programs that run the walkers over them one by one. */
#ifndef TESTS_KEPTWALK_H
#define TESTS_KEPTWALK_H

#include "unwind/walk.h"

struct kept_stack {
	const struct addrspace *as;
	uint32_t pid;
	const struct raw_sample *sample; /* valid during the call */
};

/* Called for every stack with user registers, in order. `code` has the files. */
typedef void each_stack_fn(void *ctx, struct code *code, const struct kept_stack *stack);

/* False, with the cause printed, if the recording cannot be read or kept no stacks. */
bool keptwalk_each(const char *path, each_stack_fn *each, void *ctx);

#endif
