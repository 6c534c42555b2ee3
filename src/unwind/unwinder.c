/* In: samples with a chain, or registers and a copy of the stack. Out: nodes of the frame tree. */
#include "unwind/unwinder.h"

#include <linux/perf_event.h>

#include "base/vec.h"
#include "unwind/remote.h"

struct unwinder {
	struct unwinder_options opt;
	struct chains *chains;
	struct code *code;     /* NULL for UNWIND_FP */
	struct remote *remote; /* NULL where libunwind cannot help */
	struct walk walk;
	uint64_t reach;      /* bytes of its copy that a walk lately went through, or some more */
	VEC(uint64_t) words; /* the stack being put together, as chains take it */
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
	vec_deinit(&u->words);
	free(u);
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

const struct walk *unwinder_walk(const struct unwinder *u)
{
	return &u->walk;
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

	if (rows && walk_rows(&u->walk, u->code, as, s))
		return;
	if (u->remote) {
		remote_walk(u->remote, &u->walk, as, s);
		return;
	}
	u->walk.verdict =
		VERDICT_NO_CFI; /* a complex row, and no libunwind for this architecture */
}

/* The kernel's part of the chain, then the frames walked, then how they ended. */
static void compose(struct unwinder *u, const struct raw_sample *s, uint32_t n_kernel)
{
	const struct walk *w = &u->walk;

	u->words.n = 0;
	vec_reserve(&u->words, n_kernel + 2 * (size_t)w->n + 4);
	uint64_t *to = u->words.v;

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
	u->words.n = (size_t)(to - u->words.v);
}

/* 32-bit code has another ABI's registers and frames; the kernel's frame-pointer chain of it is
 * what there is, and its end is not known to be the stack's. */
static void compose_foreign_abi(struct unwinder *u, const struct raw_sample *s)
{
	u->words.n = 0;
	for (uint32_t i = 0; i < s->n_chain; i++)
		vec_push(&u->words, s->chain[i]);
	if (chain_user_part(s) == s->n_chain) {
		uint64_t ip = 0;

		vec_push(&u->words, (uint64_t)PERF_CONTEXT_USER);
		if (arch_sample_reg(s, u->opt.arch->perf_ip, &ip))
			vec_push(&u->words, ip);
	}
	vec_push(&u->words, CHAIN_MARK(CHAIN_CUT));
	vec_push(&u->words, (uint64_t)VERDICT_FP_END << 32 | BINARY_UNKNOWN);
}

static void prefetch_stack(const struct unwinder *u, const struct raw_sample *s)
{
	enum { LINE = 64 };
	uint64_t len = s->stack_len < u->reach ? s->stack_len : u->reach;

	for (uint64_t i = 0; i < len; i += LINE)
		__builtin_prefetch(s->stack + i);
}

void unwinder_expect(const struct unwinder *u, const struct unwinder_expected *v, size_t n)
{
	struct chains_expected chains[CHAINS_EXPECTED_MAX];

	if (n > CHAINS_EXPECTED_MAX)
		n = CHAINS_EXPECTED_MAX;
	for (size_t i = 0; i < n; i++) {
		if (u->code)
			prefetch_stack(u, &v[i].ev->sample);
		else
			chains[i] = (struct chains_expected){ .as = v[i].as,
							      .mode = v[i].ev->mode,
							      .sample = &v[i].ev->sample };
	}
	if (!u->code)
		chains_expect(u->chains, chains, n);
}

static void note_reach(struct unwinder *u)
{
	enum { FALL = 16 };
	uint64_t used = u->walk.reach;

	u->reach = used > u->reach ? used : u->reach - (u->reach - used) / FALL;
}

bool unwinder_node(struct unwinder *u, const struct addrspace *as, const struct raw_event *ev,
		   bool final, uint32_t *ret_node)
{
	const struct raw_sample *s = &ev->sample;

	if (!u->code || !as || !s->regs_abi) {
		*ret_node = chains_node(u->chains, as, ev->mode, s);
		return true;
	}
	uint32_t n_kernel = chain_user_part(s);

	if (s->regs_abi != PERF_SAMPLE_REGS_ABI_64) {
		compose_foreign_abi(u, s);
	} else {
		walk_stack(u, as, s);
		note_reach(u);
		if (u->walk.verdict == VERDICT_NO_CFI_YET && !final)
			return false;
		if (u->opt.mode == UNWIND_AUTO && n_kernel < s->n_chain)
			walk_splice(&u->walk, u->code, as, s, s->chain + n_kernel + 1,
				    s->n_chain - n_kernel - 1);
		compose(u, s, n_kernel);
	}
	*ret_node = chains_walked(u->chains, as, ev->mode, u->words.v, (uint32_t)u->words.n);
	return true;
}
