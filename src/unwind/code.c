/* In: an address in an address space. Out: where it is and how to get to its caller. */
#include "unwind/code.h"

#include <string.h>

#include "base/vec.h"

enum { CALL_BITS = 12, N_CALLS = 1 << CALL_BITS, LONGEST_CALL = 8 };

struct code_binary {
	bool given;
	bool no_elf;
	struct elffile *file; /* owned; NULL: none */
	struct cfi *cfi;      /* of the file; made when first needed: most files are not */
};

/* A process that dumps the code it makes. */
struct code_jit {
	uint32_t pid, dump;
	uint64_t told_ns;
	struct jitcode *jitcode; /* owned */
};

struct code {
	const struct binaries *binaries;
	const struct arch *arch;
	VEC(struct code_binary) files; /* by binary */
	VEC(struct code_jit) jits;
	struct code_place *places; /* N_PLACES of pcs, then as many of calls; direct-mapped by hash
				      of (generation, pc) */
	struct code_call *calls;   /* the same by (generation, ra); made when first needed */
};

_Static_assert(sizeof(struct code_place) == 32, "two to a cache line");
_Static_assert(PLACE_BITS <= 15, "code_place.caller holds where a call is remembered");

struct code *code_create(const struct binaries *binaries, const struct arch *arch)
{
	struct code *c = xcalloc(1, sizeof(*c));

	c->binaries = binaries;
	c->arch = arch;
	c->places = xcalloc_huge(2 * N_PLACES, sizeof(*c->places));
	return c;
}

void code_destroy(struct code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->files.n; i++) {
		cfi_destroy(c->files.v[i].cfi);
		elffile_destroy(c->files.v[i].file);
	}
	for (size_t i = 0; i < c->jits.n; i++)
		jitcode_destroy(c->jits.v[i].jitcode);
	vec_deinit(&c->jits);
	vec_deinit(&c->files);
	free(c->places);
	free(c->calls);
	free(c);
}

static void forget_all(struct code *c)
{
	memset(c->places, 0, 2 * N_PLACES * sizeof(*c->places));
	if (c->calls)
		memset(c->calls, 0, N_CALLS * sizeof(*c->calls));
}

void code_give_file(struct code *c, uint32_t binary, struct elffile *f)
{
	while (c->files.n <= binary)
		vec_push(&c->files, (struct code_binary){ 0 });
	struct code_binary *b = &c->files.v[binary];

	if (b->file) {
		elffile_destroy(f);
		return;
	}
	if (b->given && f) /* places remembered have no file */
		forget_all(c);
	b->given = true;
	b->file = f;
}

void code_set_no_elf(struct code *c, uint32_t binary)
{
	if (code_has_file(c, binary))
		c->files.v[binary].no_elf = true;
}

bool code_has_file(const struct code *c, uint32_t binary)
{
	return binary < c->files.n && c->files.v[binary].given;
}

struct elffile *code_file(const struct code *c, uint32_t binary)
{
	return binary < c->files.n ? c->files.v[binary].file : NULL;
}

const struct arch *code_arch(const struct code *c)
{
	return c->arch;
}

uint64_t code_n_rows(const struct code *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->files.n; i++)
		n += c->files.v[i].cfi ? cfi_n_rows(c->files.v[i].cfi) : 0;
	return n;
}

static struct code_jit *find_jit(const struct code *c, uint32_t pid, uint32_t dump)
{
	for (size_t i = 0; i < c->jits.n; i++)
		if (c->jits.v[i].pid == pid && c->jits.v[i].dump == dump)
			return &c->jits.v[i];
	return NULL;
}

/* What was remembered of code in no file may be so no more. */
static void forget_anon(struct code *c)
{
	for (size_t i = 0; i < 2 * N_PLACES; i++)
		if (code_is_anon(&c->places[i]))
			c->places[i] = (struct code_place){ 0 };
}

void code_expect_jit(struct code *c, uint32_t pid, uint32_t dump)
{
	struct code_jit jit = { .pid = pid, .dump = dump };

	if (find_jit(c, pid, dump))
		return;
	jit.jitcode = jitcode_create(c->arch);
	vec_push(&c->jits, jit);
	forget_anon(c);
}

void code_add_jit(struct code *c, uint32_t pid, uint32_t dump, struct jitcode_batch *b)
{
	struct code_jit *jit = find_jit(c, pid, dump);

	if (!jit) {
		jitcode_batch_deinit(b);
		return;
	}
	bool may_unwind = jitcode_may_unwind(jit->jitcode), news = b->pieces.n;

	jitcode_take(jit->jitcode, b);
	if (news || may_unwind != jitcode_may_unwind(jit->jitcode))
		forget_anon(c);
}

void code_jit_told(struct code *c, uint32_t pid, uint32_t dump, uint64_t time_ns)
{
	struct code_jit *jit = find_jit(c, pid, dump);

	if (jit)
		jit->told_ns = time_ns;
}

void code_drop_jit(struct code *c, uint32_t pid, uint32_t dump)
{
	struct code_jit *jit = find_jit(c, pid, dump);

	if (!jit)
		return;
	jitcode_destroy(jit->jitcode);
	*jit = c->jits.v[--c->jits.n];
	forget_anon(c);
}

bool code_waits_for_jit(const struct code *c, const struct addrspace *as, uint64_t pc,
			uint64_t time_ns)
{
	const struct mapping *m = addrspace_find(as, pc);
	uint32_t pid = m ? binaries_get(c->binaries, m->binary)->pid : 0;

	for (size_t i = 0; m && i < c->jits.n; i++) {
		const struct code_jit *jit = &c->jits.v[i];

		if (jit->pid == pid && jitcode_may_unwind(jit->jitcode) && time_ns >= jit->told_ns)
			return true;
	}
	return false;
}

/* By the dumps of the process that made the code; a child has it from its parent. */
static enum place_state place_look_up_anon(const struct code *c, const struct mapping *m,
					   struct code_place *p)
{
	uint32_t pid = c->jits.n ? binaries_get(c->binaries, m->binary)->pid : 0;
	enum place_state state = PLACE_ANON;

	for (size_t i = 0; i < c->jits.n; i++) {
		struct jitcode *j = c->jits.v[i].jitcode;

		if (c->jits.v[i].pid != pid || !jitcode_may_unwind(j))
			continue;
		switch (jitcode_row(j, p->pc, &p->row)) {
		case JITCODE_UNKNOWN:
			state = PLACE_DUMPED;
			break;
		case JITCODE_BARE:
			return PLACE_ANON;
		case JITCODE_ROW:
			return PLACE_JIT;
		}
	}
	return state;
}

/* True if code at `svma`, which nothing calls, is what a coroutine's first function would return
 * to: a function of the C library, or what follows the trampoline in Boost.Context's make_fcontext,
 * which PHP has, too. */
static bool is_context_end(const struct code *c, struct elffile *f, uint64_t svma)
{
	enum { ALIGNED = 16, MOST = 128, JUMP = 2 };
	const uint8_t *before = c->arch->is_after_jump ? elffile_bytes(f, svma - JUMP, JUMP) : NULL;
	uint64_t start, end;

	if (before && c->arch->is_after_jump(before, JUMP))
		return true;
	if (svma % ALIGNED || !c->arch->is_context_end || !elffile_fde(f, svma, &start, &end) ||
	    start != svma || end - start > MOST)
		return false;
	const uint8_t *bytes = elffile_bytes(f, svma, end - start);

	return bytes && c->arch->is_context_end(bytes, end - start);
}

static bool is_thread_end(const struct code *c, struct elffile *f, uint64_t ra)
{
	enum { LEN = 8 };
	const uint8_t *bytes = c->arch->is_thread_end ? elffile_bytes(f, ra, LEN) : NULL;

	return bytes && c->arch->is_thread_end(bytes, LEN);
}

/* True if the code before a call, which the row behind it holds for, changed the stack. The row
 * does not know of that where it goes by the stack pointer. */
static bool is_switched(const struct code *c, struct elffile *f, uint64_t ra, const struct row *row)
{
	enum { LEN = 48 };

	if (row->cfa != ROW_CFA_SP || row->ra == ROW_UNDEFINED || !c->arch->switches_stack)
		return false;
	const uint8_t *before = elffile_bytes(f, ra - LEN, LEN);

	return before && c->arch->switches_stack(before, LEN);
}

/* From the instruction at `svma` on to the one at or around `to`, none leaves for good: no function
 * ends there. False where an architecture's instructions are not known. */
static bool goes_on(const struct code *c, struct elffile *f, uint64_t svma, uint64_t to)
{
	enum { LONGEST_INSN = 16 };
	uint64_t len = to - svma + 1;
	const uint8_t *bytes = elffile_bytes(f, svma, len + LONGEST_INSN);
	struct insn insn = { 0 };

	if (bytes)
		len += LONGEST_INSN;
	else
		bytes = elffile_bytes(f, svma, len);
	for (uint64_t at = 0; bytes && c->arch->insn && c->arch->insn(bytes + at, len - at, &insn);
	     at += insn.len) {
		if (svma + at + insn.len > to)
			return true;
		if (insn.kind == INSN_RETURN || insn.kind == INSN_JUMP || insn.kind == INSN_STOP)
			return false;
	}
	return false;
}

/* A program's or the dynamic linker's first instructions have no caller, and no CFI to say so. */
static bool is_bare_entry(const struct code *c, struct elffile *f, uint64_t svma)
{
	enum { ENTRY_LEN = 64, ENTRY_MOST = 256 };
	uint64_t entry = elffile_entry(f);
	uint64_t start, end;

	if (svma < entry || svma - entry >= ENTRY_MOST || elffile_fde(f, entry, &start, &end))
		return false;
	return c->arch->insn ? goes_on(c, f, entry, svma) : svma - entry < ENTRY_LEN;
}

static bool is_sigreturn(const struct code *c, struct elffile *f, uint64_t svma)
{
	enum { LEN = 9 };
	const uint8_t *bytes = elffile_bytes(f, svma, LEN);

	return bytes && c->arch->is_sigreturn(bytes, LEN);
}

static unsigned int place_bare(const struct code *c, struct elffile *f, uint64_t svma)
{
	enum { SIGRETURN_LEN = 9 };

	return (is_sigreturn(c, f, svma) ? BARE_SIGRETURN : 0) |
	       (is_sigreturn(c, f, svma + 1) ? BARE_SIGRETURN_NEXT : 0) |
	       (is_sigreturn(c, f, svma - SIGRETURN_LEN) ? BARE_SIGRETURN_BEFORE : 0) |
	       (is_bare_entry(c, f, svma) ? BARE_ENTRY : 0);
}

static enum place_state place_look_up(struct code *c, const struct mapping *m, bool call,
				      struct code_place *p)
{
	uint64_t off = mapping_off(m, p->pc);

	if (binaries_get(c->binaries, m->binary)->kind == BINARY_KIND_ANON)
		return place_look_up_anon(c, m, p);
	if (!code_has_file(c, m->binary))
		return PLACE_WAITING;
	struct code_binary *b = &c->files.v[m->binary];
	uint64_t svma;

	if (!b->file)
		return b->no_elf ? PLACE_ANON : PLACE_NO_FILE;
	if (!b->cfi)
		b->cfi = cfi_create(b->file, c->arch);
	if (elffile_off_to_svma(b->file, off, &svma)) {
		p->row = cfi_row(b->cfi, svma);
		p->context_end = call && is_context_end(c, b->file, svma + 1);
		p->switched = call && is_switched(c, b->file, svma + 1, &p->row);
		if (p->row.cfa == ROW_NONE) {
			p->bare = place_bare(c, b->file, svma);
			p->context_end |= call && is_thread_end(c, b->file, svma + 1);
		}
	}
	return PLACE_CODE;
}

/* That row.fp_off is where a word is, saved or not, spares plain.c a branch. */
static bool is_plain(const struct code_place *p)
{
	const struct row *r = &p->row;

	return p->state == PLACE_CODE && !p->context_end && !p->switched && !r->signal &&
	       (r->cfa == ROW_CFA_SP || r->cfa == ROW_CFA_FP) && r->ra == ROW_AT_CFA &&
	       (r->fp == ROW_SAME || r->fp == ROW_AT_CFA);
}

static const struct code_place *find(struct code *c, const struct addrspace *as, uint64_t pc,
				     bool call)
{
	struct code_place *p = &c->places[code_index(as, pc, PLACE_BITS) + (call ? N_PLACES : 0)];

	if (p->pc == pc && p->generation == as->generation && p->state != PLACE_WAITING)
		return p;
	const struct mapping *m = addrspace_find(as, pc);

	*p = (struct code_place){ .generation = as->generation, .pc = pc };
	p->state = m ? place_look_up(c, m, call, p) : PLACE_UNMAPPED;
	p->plain = is_plain(p);
	if (p->plain && p->row.fp == ROW_SAME)
		p->row.fp_off = p->row.ra_off;
	return p;
}

const struct code_place *code_find(struct code *c, const struct addrspace *as, uint64_t pc)
{
	return find(c, as, pc, false);
}

const struct code_place *code_find_call(struct code *c, const struct addrspace *as, uint64_t ra)
{
	return find(c, as, ra - 1, true);
}

struct code_place *code_places(struct code *c, bool of_calls)
{
	return c->places + (of_calls ? N_PLACES : 0);
}

void code_prefetch(const struct code *c, const struct addrspace *as, uint64_t pc)
{
	__builtin_prefetch(&c->places[code_index(as, pc, PLACE_BITS)]);
}

uint32_t code_binary(const struct addrspace *as, uint64_t pc)
{
	const struct mapping *m = addrspace_find(as, pc);

	return m ? m->binary : BINARY_UNKNOWN;
}

const uint8_t *code_bytes(struct code *c, const struct addrspace *as, uint64_t pc, uint64_t len)
{
	const struct mapping *m = addrspace_find(as, pc);
	struct elffile *f = m ? code_file(c, m->binary) : NULL;
	uint64_t svma;

	if (!f || len > m->end - pc || !elffile_off_to_svma(f, mapping_off(m, pc), &svma))
		return NULL;
	return elffile_bytes(f, svma, len);
}

/* True if the function at `addr` may go on by a jump: a linker's stub, a tail call. */
static bool jumps_on(struct code *c, const struct addrspace *as, uint64_t addr)
{
	enum { MOST = 4096 };
	const struct mapping *m = addrspace_find(as, addr);
	struct elffile *f = m ? code_file(c, m->binary) : NULL;
	uint64_t svma, start, end;

	if (!f || !elffile_off_to_svma(f, mapping_off(m, addr), &svma) ||
	    !elffile_fde(f, svma, &start, &end) || end - svma > MOST)
		return true;
	const uint8_t *code = elffile_bytes(f, svma, end - svma);

	return !code || c->arch->jumps_out(code, end - svma);
}

/* What is at call->to; false if that may change. */
static bool call_target(struct code *c, const struct addrspace *as, struct code_call *call)
{
	const struct code_place *p = code_find(c, as, call->to);
	enum place_state state = p->state;
	bool bare = p->row.cfa == ROW_NONE;

	call->to_binary = code_binary(as, call->to);
	if (state == PLACE_CODE && bare)
		call->kind = CALL_BARE;
	else
		call->kind =
			state != PLACE_CODE || jumps_on(c, as, call->to) ? CALL_OPEN : CALL_CLOSED;
	return state == PLACE_CODE;
}

const struct code_call *code_call(struct code *c, const struct addrspace *as, uint64_t ra)
{
	static const struct code_call none = { .kind = CALL_NONE };
	static const struct code_call mapped = { .kind = CALL_UNKNOWN };

	/* Many words off a stack are no address of code at all. */
	if (!as->maps.n || ra <= as->maps.v[0].start || ra > as->maps.v[as->maps.n - 1].end)
		return &none;
	if (!c->calls)
		c->calls = xcalloc(N_CALLS, sizeof(*c->calls));
	struct code_call *call = &c->calls[code_index(as, ra, CALL_BITS)];

	if (call->ra == ra && call->generation == as->generation)
		return call;
	const struct mapping *m = addrspace_find(as, ra - 1);
	const uint8_t *before = NULL;
	uint64_t len = LONGEST_CALL;

	/* Code may begin with the call. */
	while (m && len > 1 && !(before = code_bytes(c, as, ra - len, len)))
		len--;
	if (!before && m) /* JIT code has no file to look into */
		return code_is_anon(code_find_call(c, as, ra)) ? &mapped : &none;
	*call = (struct code_call){ .ra = ra, .generation = as->generation };
	if (!before || !c->arch->is_after_call(before, len))
		return call;
	call->kind = CALL_UNKNOWN;
	if (c->arch->call_target && c->arch->call_target(before, len, ra, &call->to) &&
	    !call_target(c, as, call))
		call->ra = 0;
	return call;
}

bool code_is_entered(struct code *c, const struct addrspace *as, uint64_t ra)
{
	const struct code_place *before = code_find_call(c, as, ra), *p = code_find(c, as, ra);

	return before->state == PLACE_CODE && before->row.cfa == ROW_NONE && !before->context_end &&
	       p->state == PLACE_CODE && p->row.cfa != ROW_NONE &&
	       code_call(c, as, ra)->kind == CALL_NONE;
}

bool code_is_start(struct code *c, const struct addrspace *as, uint64_t ra)
{
	const struct code_place *p = code_find_call(c, as, ra);

	return p->state == PLACE_CODE && p->row.cfa == ROW_NONE &&
	       (p->context_end || (p->bare & BARE_ENTRY));
}
