/* The call tree: stacks of named functions, merged. Made once from a profile and the names; every
 * output walks it. */
#ifndef PROFILE_CALLTREE_H
#define PROFILE_CALLTREE_H

#include "profile/displayname.h"
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

/* A line of source. */
struct source_place {
	const char *file; /* as the debug information has it: any bytes */
	uint32_t line;
};

struct callnode {
	uint32_t func;
	uint32_t place;  /* index into places: where in the function; 0: not asked, not known */
	uint32_t parent; /* 0: the root, whose parent is itself */
	uint32_t first_child; /* 0: none */
	uint32_t next;        /* sibling; 0: none. Siblings are sorted by name, bytewise */
	uint64_t self, total; /* weight */
	uint64_t self_samples, total_samples;
};

/* Samples whose stack was cut, by the binary to blame: the one without unwind information, or the
 * one whose code ended the chain. */
struct cut_binary {
	uint32_t binary;
	enum verdict verdict;
	uint64_t samples;
};

struct calltree {
	const struct profile *profile;
	VEC(struct callnode) nodes; /* [0] is the root "all"; a parent stands before its children */
	VEC(struct func) funcs;     /* [0] is the root's */
	VEC(struct source_place) places; /* [0] is "not known" */
	uint64_t verdicts[N_VERDICTS];   /* samples by how their stack ended; [0] complete */
	VEC(struct cut_binary) cuts;     /* most samples first */
	uint64_t unmatched_samples;      /* left out by --symbol */
	uint32_t max_depth;              /* of nodes; the root has depth 0 */
	VEC(uint32_t)
	leaves;        /* by index into profile->stacks: its callnode; UINT32_MAX: left
			  out by --symbol */
	bool reversed; /* a parent is called by its children */
	/* private */
	struct table child_table, func_table, place_table;
	struct intern strings;
};

struct calltree_options {
	bool reverse; /* innermost frame at the root (below the group) */
	bool no_inlines;
	struct displayname names;
	bool lines; /* each line of a function is a node of its own */
	bool addrs; /* each place for itself: "name [binary+0xOFF]", OFF as in the frame */
	struct frame_filter *frames; /* --symbol and --hide; may be NULL */
};

/* A stack that was cut has a frame "[truncated]" (ORIGIN_UNKNOWN) outside of its frames. In a
 * recording with frame pointers ("fp") a stack whose outermost user frame is no start code
 * (NAME_START) is cut too, verdict VERDICT_FP_END: its callers are not known, and a picture that
 * shows it as a root of its own would lie. Names are those of `names`; a frame without an entry is
 * "[binary]". `profile` must outlive the tree, `names` need not. */
ERR_CHECK struct err *calltree_build(const struct profile *p, const struct names *names,
				     const struct calltree_options *opt, struct calltree **ret);
void calltree_destroy(struct calltree *t);

/* For those who make trees of trees (focus.c, diff): an empty tree with its root; the node for
 * `func` at `place` (0: none) under `parent`, made if new; the function equal to `f` (name copied),
 * made if new; and, once self weights are set, the totals, the order of siblings and max_depth. */
struct calltree *calltree_create(const struct profile *p);
uint32_t calltree_func(struct calltree *t, const struct func *f);
/* The order of functions: by name, bytewise, then by binary, then those that are inlined last. */
int calltree_func_cmp(const struct func *a, const struct func *b);
uint32_t calltree_child(struct calltree *t, uint32_t parent, uint32_t func);
uint32_t calltree_child_at(struct calltree *t, uint32_t parent, uint32_t func, uint32_t place);
/* The place of that line, made (name copied) if new. */
uint32_t calltree_place(struct calltree *t, const char *file, uint32_t line);
void calltree_finish(struct calltree *t);

DEFINE_CLEANUP(struct calltree *, calltree_destroy);

#endif
