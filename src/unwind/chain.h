/* The kernel's call chain → a node of the frame tree. A program calls from fewer places than it is
 * found in: what a chain has outward of its innermost frame, if seen before in the same address
 * space (same generation), is one table look-up, and the frame under it another; the stored words
 * are compared, a hash is never trusted. */
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

/* A chain whose node is asked for: in three steps, so that between them, while the memory comes
 * that the next one needs, those of other chains can be taken. */
struct chain_query {
	const struct addrspace *as; /* NULL for a kernel thread */
	enum raw_mode mode;
	bool walked;           /* the walker put it together: it may hold CHAIN_MARK()s */
	uint64_t ip;           /* stands for a chain that is empty */
	const uint64_t *words; /* innermost first */
	uint32_t n;
	/* chains_ask() fills them: of the words outward of the innermost frame, and how many are
	   before those. */
	uint64_t hash;
	uint32_t n_inner;
};

/* What `words` is must stay until chains_node(); what `as` is, too. */
void chains_ask(const struct chains *c, struct chain_query *q);
/* May be left out. */
void chains_near(const struct chains *c, const struct chain_query *q);
/* The node of the stack. PERF_CONTEXT_* markers tell kernel from user; guest frames go to
 * BINARY_UNKNOWN; user addresses no mapping covers too. A kernel chain at the depth limit gets a
 * FRAME_CUT root (VERDICT_DEPTH_LIMIT). Without a chain the node is the ip alone. Memory is
 * bounded: the cache empties itself when it is full. */
uint32_t chains_node(struct chains *c, const struct chain_query *q);

#endif
