/* Samples → nodes of the frame tree, in whatever way was asked for: the kernel's chain alone, or
 * the kernel's part of it with user frames walked from registers and a copy of the stack. Used by
 * the recorder, and by importers of recordings that kept their stacks. */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include "base/err.h"
#include "base/vec.h"
#include "unwind/chain.h"
#include "unwind/walk.h"

enum unwind_mode {
	UNWIND_FP,    /* the kernel's chain */
	UNWIND_DWARF, /* CFI as far as the copy reaches */
	UNWIND_AUTO,  /* UNWIND_DWARF, then the kernel chain's tail (splice_tail()) */
};

enum unwind_engine { ENGINE_ROWS, ENGINE_LIBUNWIND };

struct unwinder_options {
	enum unwind_mode mode;
	enum unwind_engine engine;
	uint32_t max_stack;      /* depth at which the kernel cuts its chain */
	const struct arch *arch; /* of the samples; not needed for UNWIND_FP */
};

struct unwinder;

/* `tree` and `binaries` must outlive it. */
struct unwinder *unwinder_create(const struct unwinder_options *opt, struct frametree *tree,
				 const struct binaries *binaries);
void unwinder_destroy(struct unwinder *u);
/* After frametree_clear(). */
void unwinder_clear(struct unwinder *u);
/* True if stacks need the files of binaries (code_give_file()). */
bool unwinder_needs_files(const struct unwinder *u);
/* NULL for UNWIND_FP. */
struct code *unwinder_code(struct unwinder *u);

/* Steps out of code without CFI, by return addresses found on the stack (bare.h). */
uint64_t unwinder_n_no_cfi(const struct unwinder *u);

/* A sample on its way to the node of its stack. It goes in steps, so that between them, while the
 * memory comes that the next one needs, those of other samples can be taken. Zero it; one may be
 * used for any number of samples in turn. */
struct unwinding {
	const struct addrspace *as; /* NULL for a kernel thread */
	const struct raw_event *ev;
	struct chain_query query;
	VEC(uint64_t) words; /* the stack put together, as chains take it */
};

void unwinding_deinit(struct unwinding *t);

/* `ev` and `as` must stay as they are until unwinder_node(). */
void unwinder_begin(const struct unwinder *u, struct unwinding *t, const struct addrspace *as,
		    const struct raw_event *ev);
/* False if it needs a file that has not been given yet, or code that its compiler's dump may yet
 * tell of: keep a copy of the sample and come again; with `final` the stack ends VERDICT_NO_CFI_YET
 * instead, or goes on by frame pointers. */
bool unwinder_walk(struct unwinder *u, struct unwinding *t, bool final);
/* May be left out. */
void unwinder_near(const struct unwinder *u, const struct unwinding *t);
uint32_t unwinder_node(struct unwinder *u, const struct unwinding *t);

/* All steps at once. False as unwinder_walk(). */
bool unwinder_sample(struct unwinder *u, const struct addrspace *as, const struct raw_event *ev,
		     bool final, uint32_t *ret_node);

#endif
