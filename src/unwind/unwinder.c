/* In: samples with a chain, or registers and a copy of the stack. Out: nodes of the frame tree. */
#include "unwind/unwinder.h"

#include <linux/perf_event.h>

#include "unwind/compat.h"
#include "unwind/remote.h"
#include "unwind/splice.h"

struct unwinder {
	struct unwinder_options opt;
	struct chains *chains;
	struct code *code;     /* NULL for UNWIND_FP */
	struct remote *remote; /* NULL where libunwind cannot help */
	struct walk walk;
	uint64_t reach; /* bytes of its copy that a walk lately went through, or some more */
	struct unwinding single;
};

struct unwinder *unwinder_create(const struct unwinder_options *opt, struct frametree *tree,
				 const struct binaries *binaries)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->opt = *opt;
	u->chains = chains_create(tree, opt->max_stack);
	if (opt->mode == UNWIND_FP)
		return u;
	u->code = code_create(binaries, opt->arch);
	u->remote = remote_create(u->code);
	walk_init(&u->walk);
	return u;
}

void unwinder_destroy(struct unwinder *u)
{
	if (!u)
		return;
	chains_destroy(u->chains);
	remote_destroy(u->remote);
	code_destroy(u->code);
	walk_deinit(&u->walk);
	unwinding_deinit(&u->single);
	free(u);
}

void unwinding_deinit(struct unwinding *t)
{
	vec_deinit(&t->words);
}

void unwinder_clear(struct unwinder *u)
{
	chains_clear(u->chains);
}

bool unwinder_needs_files(const struct unwinder *u)
{
	return u->code;
}

struct code *unwinder_code(struct unwinder *u)
{
	return u->code;
}

uint64_t unwinder_n_no_cfi(const struct unwinder *u)
{
	return u->walk.n_no_cfi;
}

/* Where the user part of a kernel chain begins (its marker), or the chain's end. */
static uint32_t chain_user_part(const struct raw_sample *s)
{
	uint32_t i = 0;

	while (i < s->n_chain && s->chain[i] != (uint64_t)PERF_CONTEXT_USER)
		i++;
	return i;
}

static void walk_stack(struct unwinder *u, const struct addrspace *as, const struct raw_sample *s)
{
	bool rows = u->opt.engine == ENGINE_ROWS || !u->remote;
	struct walk_regs regs;

	if (s->regs_abi != PERF_SAMPLE_REGS_ABI_64) {
		walk_compat(&u->walk, u->code, as, s);
		return;
	}
	if (rows && walk_rows(&u->walk, u->code, as, s))
		return;
	if (!u->remote) { /* a complex row, and no libunwind for this architecture */
		u->walk.verdict = VERDICT_NO_CFI;
		return;
	}
	/* libunwind steps over it, and the rules of rows go on from there; a second such row on the
	   same stack leaves all of it to libunwind. */
	if (rows && (!remote_cross(u->remote, &u->walk, as, s, &regs) ||
		     walk_resume(&u->walk, u->code, as, s, &regs)))
		return;
	remote_walk(u->remote, &u->walk, as, s);
}

/* The kernel's part of the chain, then the frames walked, then how they ended. */
static void compose(const struct walk *w, struct unwinding *t, uint32_t n_kernel)
{
	const struct raw_sample *s = &t->ev->sample;

	t->words.n = 0;
	vec_reserve(&t->words, n_kernel + 2 * (size_t)w->n + 4);
	uint64_t *to = t->words.v;

	for (uint32_t i = 0; i < n_kernel; i++)
		*to++ = s->chain[i];
	*to++ = (uint64_t)PERF_CONTEXT_USER;
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->frames[i].kind == FRAME_AFTER_SIGNAL)
			*to++ = CHAIN_MARK(CHAIN_AFTER_SIGNAL);
		*to++ = w->frames[i].pc;
	}
	if (w->verdict != VERDICT_COMPLETE) {
		*to++ = CHAIN_MARK(CHAIN_CUT);
		*to++ = (uint64_t)w->verdict << 32 | w->binary;
	}
	t->words.n = (size_t)(to - t->words.v);
}

static void prefetch_walk(const struct unwinder *u, const struct addrspace *as,
			  const struct raw_sample *s)
{
	enum { LINE = 64 };
	uint64_t len = s->stack_len < u->reach ? s->stack_len : u->reach;
	uint64_t ip;

	if (arch_sample_reg(s, u->opt.arch->perf_ip, &ip))
		code_prefetch(u->code, as, ip);
	for (uint64_t i = 0; i < len; i += LINE)
		__builtin_prefetch(s->stack + i);
}

static void note_reach(struct unwinder *u)
{
	enum { FALL = 16 };
	uint64_t used = u->walk.reach;

	u->reach = used > u->reach ? used : u->reach - (u->reach - used) / FALL;
}

/* The kernel's chain is all that it goes by. */
static bool is_plain(const struct unwinder *u, const struct unwinding *t)
{
	return !u->code || !t->as || !t->ev->sample.regs_abi;
}

void unwinder_begin(const struct unwinder *u, struct unwinding *t, const struct addrspace *as,
		    const struct raw_event *ev)
{
	const struct raw_sample *s = &ev->sample;

	t->as = as;
	t->ev = ev;
	t->query = (struct chain_query){ .as = as, .mode = ev->mode };
	if (!is_plain(u, t)) {
		prefetch_walk(u, as, s);
		return;
	}
	t->query.ip = s->ip;
	t->query.words = s->chain;
	t->query.n = s->n_chain;
	chains_ask(u->chains, &t->query);
}

bool unwinder_walk(struct unwinder *u, struct unwinding *t, bool final)
{
	const struct raw_sample *s = &t->ev->sample;

	if (is_plain(u, t))
		return true;
	uint32_t n_kernel = chain_user_part(s);

	u->walk.may_wait = !final;
	u->walk.time_ns = t->ev->time_ns;
	walk_stack(u, t->as, s);
	note_reach(u);
	if (u->walk.verdict == VERDICT_NO_CFI_YET && !final)
		return false;
	if (u->opt.mode == UNWIND_AUTO && n_kernel < s->n_chain &&
	    s->regs_abi == PERF_SAMPLE_REGS_ABI_64)
		splice_tail(&u->walk, u->code, t->as, s, s->chain + n_kernel + 1,
			    s->n_chain - n_kernel - 1);
	compose(&u->walk, t, n_kernel);
	t->query.walked = true;
	t->query.words = t->words.v;
	t->query.n = (uint32_t)t->words.n;
	chains_ask(u->chains, &t->query);
	return true;
}

void unwinder_near(const struct unwinder *u, const struct unwinding *t)
{
	chains_near(u->chains, &t->query);
}

uint32_t unwinder_node(struct unwinder *u, const struct unwinding *t)
{
	return chains_node(u->chains, &t->query);
}

bool unwinder_sample(struct unwinder *u, const struct addrspace *as, const struct raw_event *ev,
		     bool final, uint32_t *ret_node)
{
	unwinder_begin(u, &u->single, as, ev);
	if (!unwinder_walk(u, &u->single, final))
		return false;
	*ret_node = unwinder_node(u, &u->single);
	return true;
}
