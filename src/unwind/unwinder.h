/* Samples → nodes of the frame tree, in whatever way was asked for: the kernel's chain alone, or
 * the kernel's part of it with user frames walked from registers and a copy of the stack. Used by
 * the recorder, and by importers of recordings that kept their stacks. */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include "base/err.h"
#include "unwind/chain.h"
#include "unwind/walk.h"

enum unwind_mode {
	UNWIND_FP,    /* the kernel's chain */
	UNWIND_DWARF, /* CFI as far as the copy reaches */
	UNWIND_AUTO,  /* UNWIND_DWARF, then the kernel chain's tail (walk_splice()) */
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

struct unwinder_expected {
	const struct addrspace *as; /* a guess is enough */
	const struct raw_event *ev;
};

/* These samples come next: has the memory fetched that their stacks will be looked up in. Changes
 * nothing. At most CHAINS_EXPECTED_MAX are looked at. */
void unwinder_expect(const struct unwinder *u, const struct unwinder_expected *v, size_t n);

/* The node of a sample's stack. False if it needs a file that has not been given yet: keep a copy
 * of the sample and come again; with `final` the stack ends VERDICT_NO_CFI_YET instead. `as` is
 * NULL for a kernel thread. */
bool unwinder_node(struct unwinder *u, const struct addrspace *as, const struct raw_event *ev,
		   bool final, uint32_t *ret_node);

/* What the walker did, for tests and -v. Zero for UNWIND_FP. */
const struct walk *unwinder_walk(const struct unwinder *u);

#endif
