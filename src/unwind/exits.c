/* In: a pc in code without CFI, the code's bytes. Out: where its return address is. */
#include "unwind/exits.h"

#include "base/alloc.h"
#include "base/vec.h"

enum {
	CACHE_BITS = 12,
	/* Bytes; not by the hash that finds their slots, or they would share a few. */
	LANDMARK_EVERY = 32,
	/* A kernel of matrix multiplication has 7,000. */
	MOST_INSNS = 20000,
	MOST_INSNS_ALL = 2000,
	MOST_PATHS = 8,
	SEEN_BITS = 8,
	WINDOW = 4096, /* of code looked at at once */
	LONGEST_INSN = 15,
};

/* What the registers hold, by what they held before. */
struct effect {
	struct value regs[INSN_N_REGS];
};

/* A part of the way, up to where the next one begins. What leads from there to the exit is
 * remembered, so that the next way that comes by need not be followed to its end. */
struct part {
	uint64_t pc;
	struct effect effect;
};

/* A branch that was not taken. */
struct path {
	uint64_t pc;
	uint32_t n_parts; /* before it */
	struct effect effect;
};

struct exit_cache {
	struct exits *exits; /* direct-mapped by hash of (generation, pc) */
	VEC(struct part) parts;
	VEC(uint64_t) landmarks; /* passed by the search that goes on */
};

struct follower {
	struct exit_cache *cache;
	struct code *code;
	const struct arch *arch;
	const struct addrspace *as;
	struct exits found;
	struct path now;
	struct path paths[MOST_PATHS];
	unsigned int n_paths, n_insns;
	uint64_t seen[1 << SEEN_BITS]; /* where jumps and branches go; direct-mapped */
	const uint8_t *window;
	uint64_t window_pc, window_len;
	bool waits; /* code on the way is in a file that has not been given yet */
	bool stops; /* a way was not followed to its end */
};

struct exit_cache *exit_cache_create(void)
{
	struct exit_cache *x = xcalloc(1, sizeof(*x));

	x->exits = xcalloc((size_t)1 << CACHE_BITS, sizeof(*x->exits));
	return x;
}

void exit_cache_destroy(struct exit_cache *x)
{
	if (!x)
		return;
	vec_deinit(&x->parts);
	vec_deinit(&x->landmarks);
	free(x->exits);
	free(x);
}

static const uint8_t *bytes_at(struct follower *f, uint64_t pc, size_t *ret_len)
{
	uint64_t at = pc - f->window_pc;

	if (at >= f->window_len || f->window_len - at < LONGEST_INSN) {
		const struct mapping *m = addrspace_find(f->as, pc);
		uint64_t len = m && m->end - pc < WINDOW ? m->end - pc : WINDOW;

		f->window = NULL;
		while (m && len && !(f->window = code_bytes(f->code, f->as, pc, len)))
			len /= 2;
		f->window_pc = pc;
		f->window_len = f->window ? len : 0;
		at = 0;
	}
	*ret_len = f->window_len - at;
	return f->window ? f->window + at : NULL;
}

static struct value value_plus(struct value v, int32_t n)
{
	int32_t *to = v.kind == VALUE_WORD ? &v.add : &v.off;

	if (v.kind == VALUE_LOST || __builtin_add_overflow(*to, n, to))
		return (struct value){ .kind = VALUE_LOST };
	return v;
}

/* The word at v + n. */
static struct value value_load(struct value v, int32_t n)
{
	v = value_plus(v, n);
	if (v.kind != VALUE_REG)
		return (struct value){ .kind = VALUE_LOST };
	v.kind = VALUE_WORD;
	return v;
}

/* `v`, which is by what the registers hold after `e`, by what they hold before. */
static struct value value_before(const struct effect *e, struct value v)
{
	switch ((enum value_kind)v.kind) {
	case VALUE_LOST:
		break;
	case VALUE_REG:
		return value_plus(e->regs[v.reg], v.off);
	case VALUE_WORD:
		return value_plus(value_load(e->regs[v.reg], v.off), v.add);
	}
	return v;
}

static void effect_init(struct effect *e)
{
	for (unsigned int i = 0; i < INSN_N_REGS; i++)
		e->regs[i] = (struct value){ .kind = VALUE_REG, .reg = (uint8_t)i };
}

static bool is_same(struct value a, struct value b)
{
	return a.kind == b.kind && a.reg == b.reg && a.off == b.off && a.add == b.add;
}

static void add_exit(struct exits *e, struct exit exit)
{
	if (exit.sp.kind == VALUE_LOST)
		return;
	for (unsigned int i = 0; i < e->n; i++)
		if (is_same(e->v[i].sp, exit.sp) && is_same(e->v[i].fp, exit.fp))
			return;
	if (e->n < EXITS_MOST)
		e->v[e->n++] = exit;
}

static struct exits *slot(const struct exit_cache *x, const struct addrspace *as, uint64_t pc)
{
	return &x->exits[code_index(as, pc, CACHE_BITS)];
}

/* The way ends `exit`ing from the last part. */
static void found_exit(struct follower *f, struct exit exit)
{
	struct exit_cache *x = f->cache;

	for (size_t i = x->parts.n; i-- > 0;) {
		struct part *part = &x->parts.v[i];
		struct exits *e = slot(x, f->as, part->pc);

		if (!f->waits && exit.sp.kind != VALUE_LOST) {
			*e = (struct exits){ .pc = part->pc, .generation = f->as->generation };
			add_exit(e, exit);
		}
		if (!i)
			break;
		part = &x->parts.v[i - 1];
		exit.sp = value_before(&part->effect, exit.sp);
		exit.fp = value_before(&part->effect, exit.fp);
	}
	add_exit(&f->found, exit);
}

static void exit_here(struct follower *f, int32_t off)
{
	const struct value *regs = f->now.effect.regs;

	found_exit(f, (struct exit){ .sp = value_plus(regs[f->arch->perf_sp], off),
				     .fp = regs[f->arch->perf_fp] });
}

/* True at code that was followed already. */
static bool is_seen(struct follower *f, uint64_t pc)
{
	uint64_t *seen = &f->seen[code_index(f->as, pc, SEEN_BITS)];

	if (*seen == pc)
		return true;
	*seen = pc;
	return false;
}

static void put_branch(struct follower *f, uint64_t to)
{
	f->stops |= f->n_paths == MOST_PATHS;
	if (f->n_paths == MOST_PATHS)
		return;
	f->now.n_parts = (uint32_t)f->cache->parts.n;
	f->paths[f->n_paths] = f->now;
	f->paths[f->n_paths++].pc = to;
}

/* Code that has CFI says where its return address is. True if it has. */
static bool ends_by_row(struct follower *f)
{
	const struct code_place *place = code_find(f->code, f->as, f->now.pc);
	const struct row *row = &place->row;

	f->waits |= place->state == PLACE_WAITING;
	if (place->state != PLACE_CODE || row->cfa == ROW_NONE)
		return false;
	if (row->cfa == ROW_CFA_SP && row->ra == ROW_AT_CFA && row->fp == ROW_SAME)
		exit_here(f, row->cfa_off + row->ra_off);
	return true;
}

/* What the instruction does to the registers. */
static void apply(const struct arch *arch, struct effect *e, const struct insn *insn)
{
	enum { WORD = 8 };
	struct value *sp = &e->regs[arch->perf_sp], *fp = &e->regs[arch->perf_fp];
	struct value v = { .kind = VALUE_LOST };

	switch ((enum insn_kind)insn->kind) {
	case INSN_PUSH:
		*sp = value_plus(*sp, -WORD);
		return;
	case INSN_LEAVE:
		*sp = value_plus(*fp, WORD);
		*fp = value_load(*fp, 0);
		return;
	case INSN_SET:
		v = value_plus(e->regs[insn->base], insn->disp);
		break;
	case INSN_LOAD:
		v = value_load(e->regs[insn->base], insn->disp);
		break;
	case INSN_POP:
		v = value_load(*sp, 0);
		*sp = value_plus(*sp, WORD);
		break;
	case INSN_LOSE:
		break;
	default:
		return;
	}
	if (insn->dst < INSN_N_REGS)
		e->regs[insn->dst] = v;
}

/* Where control goes; false if the way ends here. */
static bool go_on(struct follower *f, const struct insn *insn)
{
	enum { FUNCTIONS_ALIGNED = 16 };
	uint64_t next = f->now.pc + insn->len;
	uint64_t to = next + (uint64_t)(int64_t)insn->disp;

	switch ((enum insn_kind)insn->kind) {
	case INSN_RETURN:
	case INSN_STUB:
		exit_here(f, 0);
		return false;
	case INSN_STOP:
		return false;
	case INSN_JUMP:
		f->now.pc = to;
		return !is_seen(f, to) && !ends_by_row(f);
	case INSN_BRANCH:
		put_branch(f, to);
		break;
	default:
		break;
	}
	f->now.pc = next;
	/* Another function may begin behind a call that does not return. */
	return (insn->kind != INSN_CALL && next % FUNCTIONS_ALIGNED) || !ends_by_row(f);
}

/* A part of the way ends at a pc like this; false if how it goes on was known. */
static bool pass_landmark(struct follower *f)
{
	struct exit_cache *x = f->cache;
	const struct exits *e = slot(x, f->as, f->now.pc);

	if (!x->parts.n || f->now.pc % LANDMARK_EVERY)
		return true;
	bool known = e->pc == f->now.pc && e->generation == f->as->generation;

	x->parts.v[x->parts.n - 1].effect = f->now.effect;
	if (known && e->none)
		return false;
	if (known && e->n) {
		struct exit exit = e->v[0];

		exit.sp = value_before(&f->now.effect, exit.sp);
		exit.fp = value_before(&f->now.effect, exit.fp);
		found_exit(f, exit);
		return false;
	}
	vec_push(&x->landmarks, f->now.pc);
	vec_push(&x->parts, (struct part){ .pc = f->now.pc });
	effect_init(&f->now.effect);
	return true;
}

static void follow(struct follower *f, unsigned int most)
{
	struct insn insn;
	const uint8_t *bytes;
	size_t len;

	while (f->n_insns++ < most && pass_landmark(f) && (bytes = bytes_at(f, f->now.pc, &len)) &&
	       f->arch->insn(bytes, len, &insn)) {
		apply(f->arch, &f->now.effect, &insn);
		if (!go_on(f, &insn))
			break;
	}
	f->stops |= f->n_insns >= most;
}

static void follow_all(struct follower *f, uint64_t pc, bool all)
{
	f->cache->parts.n = 0;
	if (!all) /* what is remembered is one exit of many */
		vec_push(&f->cache->parts, (struct part){ .pc = pc });
	f->now.pc = pc;
	effect_init(&f->now.effect);
	for (;;) {
		follow(f, all ? MOST_INSNS_ALL : MOST_INSNS);
		do {
			if (!f->n_paths || (f->found.n && !all))
				return;
			f->now = f->paths[--f->n_paths];
			f->cache->parts.n = f->now.n_parts;
		} while (is_seen(f, f->now.pc) || ends_by_row(f));
	}
}

/* Nothing that was passed leads to a return; an endless loop is not to be followed for each of its
 * instructions. */
static void remember_none(struct follower *f)
{
	struct exit_cache *x = f->cache;

	for (size_t i = 0; i < x->landmarks.n; i++)
		*slot(x, f->as, x->landmarks.v[i]) =
			(struct exits){ .pc = x->landmarks.v[i],
					.generation = f->as->generation,
					.all = true,
					.none = true };
	f->found.none = true;
}

const struct exits *exits_find(struct exit_cache *x, struct code *code, const struct addrspace *as,
			       uint64_t pc, bool all)
{
	struct exits *e = slot(x, as, pc);
	struct follower f = { .cache = x, .code = code, .arch = code_arch(code), .as = as };

	if (e->pc == pc && e->generation == as->generation) {
		if (e->all >= all)
			return e;
		f.found = *e; /* first that of the way without branches */
	}
	x->landmarks.n = 0;
	if (f.arch->insn)
		follow_all(&f, pc, all);
	if (!all && !f.found.n && !f.stops && !f.waits)
		remember_none(&f);
	f.found.pc = f.waits ? 0 : pc;
	f.found.generation = as->generation;
	f.found.all = all || f.found.none;
	*e = f.found;
	return e;
}
