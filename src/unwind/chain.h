/* The kernel's call chain → a node of the frame tree. A chain that was seen before in the same
 * address space (same generation) is one table look-up; the stored words are compared, the hash is
 * never trusted. */
#ifndef UNWIND_CHAIN_H
#define UNWIND_CHAIN_H

#include "model/addrspace.h"
#include "sample/frametree.h"
#include "sample/rawevent.h"

struct chains;

/* Markers of our own in a walked chain, beside the kernel's PERF_CONTEXT_*: never taken from a
 * kernel chain, whose user part is what a program left on its stack. */
enum chain_marker {
	CHAIN_AFTER_SIGNAL, /* the next entry is a pc that a signal interrupted */
	CHAIN_CUT,          /* the next word is verdict << 32 | binary; ends the chain */
};

#define CHAIN_MARK(m) ((uint64_t)-4000 - (uint64_t)(m))

/* `tree` must outlive it. `max_stack` is the depth at which the kernel cuts (0: not known). */
struct chains *chains_create(struct frametree *tree, uint32_t max_stack);
void chains_destroy(struct chains *c);
/* Forgets everything: after frametree_clear(). */
void chains_clear(struct chains *c);

/* The node of the sample's stack. `as` is NULL for a kernel thread. PERF_CONTEXT_* markers tell
 * kernel from user; guest frames go to BINARY_UNKNOWN; user addresses no mapping covers too. A
 * chain at the depth limit gets a FRAME_CUT root (VERDICT_DEPTH_LIMIT). Without a chain the node is
 * the sample's ip alone. Memory is bounded: the cache empties itself when it is full. */
uint32_t chains_node(struct chains *c, const struct addrspace *as, enum raw_mode mode,
		     const struct raw_sample *s);
struct chains_expected {
	const struct addrspace *as; /* a guess is enough */
	enum raw_mode mode;
	const struct raw_sample *sample;
};

enum { CHAINS_EXPECTED_MAX = 16 };

/* chains_node() will be called for these: has the memory fetched that it will look into. n at most
 * CHAINS_EXPECTED_MAX. */
void chains_expect(const struct chains *c, const struct chains_expected *v, size_t n);
/* The same for a chain that the walker put together: `words` with CHAIN_MARK()s, n at least 1. */
uint32_t chains_walked(struct chains *c, const struct addrspace *as, enum raw_mode mode,
		       const uint64_t *words, uint32_t n);

#endif
