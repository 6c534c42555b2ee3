/* The caller of code without CFI: hand-written assembly, a linker's stubs. Its instructions say
 * where the return address is (exits.h). Where they cannot be followed, there may be one near the
 * top of the stack and at the frame pointer; what tells a live one from one that an earlier call
 * left behind is where the call before it goes. Needs an architecture whose calls put the return
 * address on the stack. */
#ifndef UNWIND_BARE_H
#define UNWIND_BARE_H

#include "sample/rawevent.h"
#include "unwind/code.h"
#include "unwind/exits.h"

/* A frame without CFI. */
struct bare {
	struct code *code;
	struct exit_cache *exits;
	const struct addrspace *as;
	const struct raw_sample *sample;
	uint64_t sp0;    /* address of the copy's first byte */
	uint64_t pc;     /* in the code: less one for a return address */
	uint64_t next;   /* the instruction that runs next: the return address itself */
	uint32_t binary; /* at pc */
	uint64_t sp, fp;
	bool fp_known;
	bool is_top; /* the innermost frame: its return address may be on top of the stack */
};

struct bare_step {
	uint64_t ra;
	uint64_t at; /* the address on the stack where it is */
	bool by_fp;  /* beside the caller's frame pointer, to which fp points */
	uint64_t fp; /* the caller's */
	bool fp_known;
	bool beyond; /* there is none, as the copy ends before the address `at` */
};

/* The likeliest; false if there is none, or with ret->beyond. What starts the process or the
 * thread, if no other address is nearer; then what the code's instructions say, if a call is before
 * that address; then a call into this very code, the nearest one below the pc; then a call to where
 * nobody knows; last one to other code, which may have jumped on from there. */
bool bare_find(const struct bare *b, struct bare_step *ret);

/* True if `ra` can be a return address by the bytes before it; in code without a file, by its being
 * mapped at all. */
bool bare_is_return(struct code *code, const struct addrspace *as, uint64_t ra);
/* True if one is among the words next above `sp`, so that no stack ends there. */
bool bare_goes_on(struct code *code, const struct addrspace *as, const struct raw_sample *s,
		  uint64_t sp0, uint64_t sp);

#endif
