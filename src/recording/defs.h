/* Definitions of a STREAM block: binaries, threads and the nodes of the frame tree, each defined
 * once in a dictionary. */
#ifndef RECORDING_DEFS_H
#define RECORDING_DEFS_H

#include "base/buf.h"
#include "sample/dataset.h"

struct defs {
	/* this block's */
	struct buf binaries, threads;
	struct buf node_parent, node_binary, node_off, node_kind;
	uint32_t first_node, n_nodes;
	VEC(uint64_t) last_off; /* by binary: of the last node defined in this block */
	/* this dictionary's */
	VEC(uint64_t) have_binary; /* by number: revision + 1; 0: not defined */
	VEC(bool) have_thread;     /* by number */
};

void defs_deinit(struct defs *d);
/* Empties the block. */
void defs_reset(struct defs *d);
/* Begins a dictionary: nothing is defined, nodes number from 1. */
void defs_restart(struct defs *d);
/* Defines it, unless the dictionary holds it as it is. */
void defs_need_binary(struct defs *d, const struct binaries *binaries, uint32_t id);
void defs_need_thread(struct defs *d, const struct threads *threads, uint32_t id);
/* Defines the next node of the tree. */
void defs_next_node(struct defs *d, const struct dataset *data);

/* Appends the definitions as the block holds them. */
void defs_pack(const struct defs *d, struct buf *ret);

/* The number of the next node to define. */
static inline uint32_t defs_next(const struct defs *d)
{
	return d->first_node + d->n_nodes;
}

/* Bytes gathered. */
static inline size_t defs_len(const struct defs *d)
{
	return d->binaries.len + d->threads.len + d->node_parent.len + d->node_binary.len +
	       d->node_off.len + d->node_kind.len;
}

#endif
