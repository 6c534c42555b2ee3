/* The call tree: stacks of named functions, merged. Made once from a profile and the names; every
 * output walks it. */
#ifndef PROFILE_CALLTREE_H
#define PROFILE_CALLTREE_H

#include "profile/profile.h"

enum origin {
	ORIGIN_GROUP, /* not code: comm, thread, cpu */
	ORIGIN_KERNEL,
	ORIGIN_USER,    /* the main executable */
	ORIGIN_LIBRARY, /* any other mapped file */
	ORIGIN_JIT,
	ORIGIN_UNKNOWN, /* "[unknown]", "[truncated]", "[lost in file]" */
};

/* A function as displayed: equal (name, binary, inlined) are one. */
struct func {
	const char *name; /* as found: any bytes; outputs make it safe for themselves */
	uint32_t binary;
	uint8_t origin; /* enum origin */
	bool inlined;
	bool named; /* a symbol was found */
};

struct callnode {
	uint32_t func;
	uint32_t parent;      /* 0: the root, whose parent is itself */
	uint32_t first_child; /* 0: none */
	uint32_t next;        /* sibling; 0: none. Siblings are sorted by name, bytewise */
	uint64_t self, total; /* weight */
	uint64_t self_samples, total_samples;
};

struct calltree {
	const struct profile *profile;
	VEC(struct callnode) nodes; /* [0] is the root "all"; a parent stands before its children */
	VEC(struct func) funcs;     /* [0] is the root's */
	uint64_t verdicts[N_VERDICTS]; /* samples by how their stack ended; [0] complete */
	uint32_t max_depth;
	/* private */
	struct table child_table, func_table;
	struct intern strings;
};

struct calltree_options {
	bool reverse; /* innermost frame at the root */
	bool no_inlines;
	bool addrs;                  /* "name+0xOFF" for each place */
	struct frame_filter *frames; /* --symbol and --hide; may be NULL */
};

ERR_CHECK struct err *calltree_build(const struct profile *p, const struct names *names,
				     const struct calltree_options *opt, struct calltree **ret);
void calltree_destroy(struct calltree *t);

DEFINE_CLEANUP(struct calltree *, calltree_destroy);

#endif
