/* In: call chains as the kernel wrote them. Out: nodes of the frame tree, each distinct chain
 * placed once. */
#include "unwind/chain.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sample/binaries.h"

/* Followed by a cookie that joins the chain to a later record; Linux 6.19. */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)

enum {
	HEADER_WORDS = 3, /* before a stored chain: query_key(), query_ip(), length and node */
	ARENA_WORDS = 64 << 17, /* 64 MiB: then the cache empties itself */
	LEAF_BITS = 16,
	INNER_WORDS = 2, /* of an innermost frame that is looked up by itself: context, address */
};

struct chain_frame {
	uint64_t addr;
	uint32_t node;   /* of the stack from here outward, once placed */
	uint8_t kind;    /* enum frame_kind */
	uint8_t context; /* enum chain_context */
};

/* A chain placed lately: a new one mostly differs from one of them in its innermost frames only,
 * and the rest need not be looked up again. */
struct recent {
	uint64_t generation; /* of the address space */
	uint64_t cut;
	VEC(struct chain_frame) frames; /* innermost first */
};

/* An innermost frame placed lately. */
struct leaf {
	uint64_t addr, key;
	uint32_t parent;
	uint32_t node; /* 0: none */
};

enum { N_RECENT = 4 };

struct chains {
	struct frametree *tree;
	uint32_t max_stack;
	struct table table; /* chain → where its header stands in the arena */
	VEC(uint64_t) arena;
	struct leaf *leaves; /* direct-mapped by hash of (chain outward of it, addr) */
	struct recent chain; /* the one being placed */
	struct recent recent[N_RECENT];
	unsigned int oldest;
};

struct chains *chains_create(struct frametree *tree, uint32_t max_stack)
{
	struct chains *c = xcalloc(1, sizeof(*c));

	c->tree = tree;
	c->max_stack = max_stack;
	c->leaves = xcalloc_huge(1 << LEAF_BITS, sizeof(*c->leaves));
	return c;
}

void chains_destroy(struct chains *c)
{
	if (!c)
		return;
	table_deinit(&c->table);
	free(c->leaves);
	vec_deinit(&c->arena);
	vec_deinit(&c->chain.frames);
	for (unsigned int i = 0; i < N_RECENT; i++)
		vec_deinit(&c->recent[i].frames);
	free(c);
}

void chains_clear(struct chains *c)
{
	table_clear(&c->table);
	memset(c->leaves, 0, sizeof(*c->leaves) << LEAF_BITS);
	c->arena.n = 0;
	for (unsigned int i = 0; i < N_RECENT; i++)
		c->recent[i].frames.n = 0;
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two lanes of two words a step, so that the multiplications overlap. */
static uint64_t chain_hash(uint64_t seed, const uint64_t *w, size_t n)
{
	static const uint64_t k0 = 0xa0761d6478bd642fULL, k1 = 0xe7037ed1a0b428dbULL;
	static const uint64_t k2 = 0x8ebc6af09c88c6e3ULL, k3 = 0x589965cc75374cc3ULL;
	uint64_t a = seed ^ k0, b = n ^ k2;

	for (; n >= 4; w += 4, n -= 4) {
		a = fold(a ^ w[0], w[1] ^ k1);
		b = fold(b ^ w[2], w[3] ^ k3);
	}
	if (n >= 2) {
		a = fold(a ^ w[0], w[1] ^ k1);
		w += 2;
		n -= 2;
	}
	if (n)
		b = fold(b ^ w[0], k3);
	return fold(a ^ k3, b ^ k1);
}

/* Which code an address of each context belongs to. */
enum chain_context { IN_KERNEL, IN_USER, IN_OTHER };

static enum chain_context context_of_marker(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_KERNEL:
		return IN_KERNEL;
	case PERF_CONTEXT_USER:
	case CONTEXT_USER_DEFERRED:
		return IN_USER;
	default:
		return IN_OTHER; /* hypervisor and guests: code we have no files of */
	}
}

static enum chain_context context_of_mode(enum raw_mode mode)
{
	switch (mode) {
	case RAW_MODE_KERNEL:
		return IN_KERNEL;
	case RAW_MODE_USER:
		return IN_USER;
	case RAW_MODE_UNKNOWN:
	case RAW_MODE_GUEST:
		break;
	}
	return IN_OTHER;
}

static uint32_t chain_place(struct chains *c, const struct addrspace *as, uint32_t parent,
			    const struct chain_frame *f)
{
	const struct mapping *m = NULL;

	if (f->context == IN_KERNEL)
		return frametree_add(c->tree, parent, BINARY_KERNEL, f->addr, f->kind);
	if (f->context == IN_USER && as) /* a call may be the last instruction of a mapping */
		m = addrspace_find(as, f->addr - (f->kind == FRAME_RETURN));
	if (!m)
		return frametree_add(c->tree, parent, BINARY_UNKNOWN, f->addr, f->kind);
	return frametree_add(c->tree, parent, m->binary, mapping_off(m, f->addr), f->kind);
}

/* True if the word at *i is a marker; goes past what belongs to it. */
static bool chain_marker(struct chains *c, const struct chain_query *q, uint32_t *i,
			 enum chain_context *context, enum frame_kind *kind)
{
	uint64_t word = q->words[*i];

	if (q->walked && word == CHAIN_MARK(CHAIN_AFTER_SIGNAL)) {
		*kind = FRAME_AFTER_SIGNAL;
		return true;
	}
	if (q->walked && word == CHAIN_MARK(CHAIN_CUT)) {
		c->chain.cut = *i + 1 < q->n ? q->words[++*i] : 0;
		return true;
	}
	if (word < (uint64_t)PERF_CONTEXT_MAX)
		return false;
	*context = context_of_marker(word);
	*kind = FRAME_PC;
	*i += word == CONTEXT_USER_DEFERRED;
	return true;
}

/* Fills the scratch, innermost first. Returns how many entries counted against the kernel's limit:
 * addresses, not markers (kernel/events/callchain.c counts the two apart).
 *
 * The first entry of each context is a pc, not a return address: the kernel stores the registers'
 * ip there. For the user part below kernel frames that is where the kernel was entered. After a
 * fault or an interrupt it is exactly the instruction to run, possibly a function's first, so it
 * must not be lowered by one; after a system call it is the instruction behind `syscall`, which
 * belongs to the same function except where nothing returns there (rt_sigreturn, exit). */
static uint32_t chain_parse(struct chains *c, const struct chain_query *q)
{
	enum chain_context context =
		q->n_inner ? context_of_marker(q->words[0]) : context_of_mode(q->mode);
	enum frame_kind kind = q->n_inner ? FRAME_RETURN : FRAME_PC;
	uint32_t n_addrs = q->n_inner ? 1 : 0;

	for (uint32_t i = q->n_inner; i < q->n; i++) {
		if (chain_marker(c, q, &i, &context, &kind))
			continue;
		uint64_t addr = q->words[i];

		n_addrs++;
		if (addr) /* a frame-pointer chain may end in one */
			vec_push(&c->chain.frames,
				 ((struct chain_frame){
					 .addr = addr, .kind = kind, .context = context }));
		kind = FRAME_RETURN;
	}
	return n_addrs;
}

/* How many of the outermost frames are the same. */
static size_t common_frames(const struct recent *a, const struct recent *b)
{
	size_t most = a->frames.n < b->frames.n ? a->frames.n : b->frames.n;
	size_t n = 0;

	if (a->generation != b->generation || a->cut != b->cut)
		return 0;
	for (; n < most; n++) {
		const struct chain_frame *x = &a->frames.v[a->frames.n - 1 - n];
		const struct chain_frame *y = &b->frames.v[b->frames.n - 1 - n];

		if (x->addr != y->addr || x->kind != y->kind || x->context != y->context)
			break;
	}
	return n;
}

/* Places the chain outward of the frames that the nearest of the recent ones has too, and takes
 * its place; that of the oldest if none is near. */
static uint32_t chain_nodes(struct chains *c, const struct addrspace *as)
{
	struct recent *chain = &c->chain;
	struct recent *near = NULL;
	size_t n = chain->frames.n, common = 0;
	uint32_t node = 0;

	for (unsigned int i = 0; i < N_RECENT; i++) {
		size_t k = common_frames(chain, &c->recent[i]);

		if (k > common) {
			common = k;
			near = &c->recent[i];
		}
	}
	for (size_t i = 1; i <= common; i++)
		chain->frames.v[n - i].node = near->frames.v[near->frames.n - i].node;
	if (common)
		node = chain->frames.v[n - common].node;
	else if (chain->cut)
		node = frametree_add(c->tree, 0, (uint32_t)chain->cut, chain->cut >> 32, FRAME_CUT);
	for (size_t i = n - common; i-- > 0;)
		node = chain->frames.v[i].node = chain_place(c, as, node, &chain->frames.v[i]);
	if (!near)
		near = &c->recent[c->oldest++ % N_RECENT];
	struct recent freed = *near;

	*near = *chain;
	*chain = freed;
	return node;
}

static uint32_t chain_build(struct chains *c, const struct chain_query *q)
{
	c->chain.frames.n = 0;
	c->chain.cut = 0;
	c->chain.generation = q->as ? q->as->generation : 0;
	uint32_t n_addrs = chain_parse(c, q);

	if (!c->chain.frames.n && !q->n_inner)
		vec_push(&c->chain.frames,
			 ((struct chain_frame){ .addr = q->ip,
						.kind = FRAME_PC,
						.context = context_of_mode(q->mode) }));
	if (!q->walked && c->max_stack && n_addrs >= c->max_stack)
		c->chain.cut = (uint64_t)VERDICT_DEPTH_LIMIT << 32 | BINARY_UNKNOWN;
	return chain_nodes(c, q->as);
}

static uint64_t query_key(const struct chain_query *q)
{
	unsigned int inner = !q->n_inner ? 0 : q->words[0] == PERF_CONTEXT_USER ? 1 : 2;

	return (q->as ? q->as->generation : 0) << 5 | inner << 3 | (uint64_t)q->walked << 2 |
	       q->mode;
}

/* Those outward of the innermost frame. May be NULL if there are none. */
static const uint64_t *outer_words(const struct chain_query *q)
{
	return q->n_inner ? q->words + q->n_inner : q->words;
}

/* It matters where no words stand for it. */
static uint64_t query_ip(const struct chain_query *q)
{
	return q->n_inner ? 0 : q->ip;
}

/* True if the first words are a context and an address in it. */
static bool has_inner(const struct chain_query *q)
{
	return q->n >= INNER_WORDS &&
	       (q->words[0] == PERF_CONTEXT_USER || q->words[0] == PERF_CONTEXT_KERNEL) &&
	       q->words[1] && q->words[1] < (uint64_t)PERF_CONTEXT_MAX;
}

static void chain_store(struct chains *c, const struct chain_query *q, uint32_t node)
{
	uint32_t n = q->n - q->n_inner;
	size_t need = HEADER_WORDS + (size_t)n;

	if (c->arena.n + need > ARENA_WORDS)
		chains_clear(c);
	vec_reserve(&c->arena, c->arena.n + need);
	uint64_t *at = c->arena.v + c->arena.n;

	table_add(&c->table, q->hash, (uint32_t)c->arena.n);
	at[0] = query_key(q);
	at[1] = query_ip(q);
	at[2] = (uint64_t)n << 32 | node;
	if (n)
		memcpy(at + HEADER_WORDS, outer_words(q), n * sizeof(*q->words));
	c->arena.n += need;
}

static struct leaf *query_leaf(const struct chains *c, const struct chain_query *q)
{
	return &c->leaves[fold(q->hash ^ q->words[1], 0x9e3779b97f4a7c15ULL) >> (64 - LEAF_BITS)];
}

void chains_ask(const struct chains *c, struct chain_query *q)
{
	q->n_inner = has_inner(q) ? INNER_WORDS : 0;
	q->hash = chain_hash(query_key(q) ^ query_ip(q) << 16, outer_words(q), q->n - q->n_inner);
	table_prefetch(&c->table, q->hash);
	if (q->n_inner)
		__builtin_prefetch(query_leaf(c, q));
}

void chains_near(const struct chains *c, const struct chain_query *q)
{
	enum { LINE_WORDS = 8 };
	struct table_probe p = table_probe(&c->table, q->hash);

	if (!table_next(&c->table, &p))
		return;
	for (size_t at = 0; at < HEADER_WORDS + q->n - q->n_inner; at += LINE_WORDS)
		__builtin_prefetch(c->arena.v + p.value + at);
}

/* The node of what is outward of the innermost frame. */
static uint32_t outer_node(struct chains *c, const struct chain_query *q)
{
	uint64_t key = query_key(q), ip = query_ip(q);
	uint32_t n = q->n - q->n_inner;

	for (struct table_probe p = table_probe(&c->table, q->hash); table_next(&c->table, &p);) {
		const uint64_t *at = c->arena.v + p.value;

		if (at[0] == key && at[1] == ip && at[2] >> 32 == n &&
		    (!n || !memcmp(at + HEADER_WORDS, outer_words(q), n * sizeof(*q->words))))
			return (uint32_t)at[2];
	}
	uint32_t node = chain_build(c, q);

	chain_store(c, q, node);
	return node;
}

uint32_t chains_node(struct chains *c, const struct chain_query *q)
{
	uint32_t outer = outer_node(c, q);

	if (!q->n_inner)
		return outer;
	struct leaf *l = query_leaf(c, q);
	uint64_t key = query_key(q);
	const struct chain_frame f = {
		.addr = q->words[1],
		.kind = FRAME_PC,
		.context = context_of_marker(q->words[0]),
	};

	if (!l->node || l->addr != f.addr || l->key != key || l->parent != outer)
		*l = (struct leaf){ .addr = f.addr,
				    .key = key,
				    .parent = outer,
				    .node = chain_place(c, q->as, outer, &f) };
	return l->node;
}
