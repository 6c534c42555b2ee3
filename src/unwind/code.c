/* In: an address in an address space. Out: where it is and how to get to its caller. */
#include "unwind/code.h"

#include <string.h>

#include "base/vec.h"

enum { PLACE_BITS = 13, N_PLACES = 1 << PLACE_BITS };

struct code_binary {
	bool given;
	struct elffile *file; /* owned; NULL: none */
	struct cfi *cfi;
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
	struct code_place *places; /* direct-mapped by hash of (generation, pc) */
};

_Static_assert(sizeof(struct code_place) == 32, "two to a cache line");

struct code *code_create(const struct binaries *binaries, const struct arch *arch)
{
	struct code *c = xcalloc(1, sizeof(*c));

	c->binaries = binaries;
	c->arch = arch;
	c->places = xcalloc_aligned(sizeof(*c->places), N_PLACES, sizeof(*c->places));
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
	free(c);
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
		memset(c->places, 0, N_PLACES * sizeof(*c->places));
	b->given = true;
	b->file = f;
	b->cfi = f ? cfi_create(f, c->arch) : NULL;
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
	for (size_t i = 0; i < N_PLACES; i++)
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

/* True if a function begins at `svma` that a coroutine's first function would return to. */
static bool is_context_end(const struct code *c, struct elffile *f, uint64_t svma)
{
	enum { ALIGNED = 16, MOST = 128 };
	uint64_t start, end;

	if (svma % ALIGNED || !c->arch->is_context_end || !elffile_fde(f, svma, &start, &end) ||
	    start != svma || end - start > MOST)
		return false;
	const uint8_t *bytes = elffile_bytes(f, svma, end - start);

	return bytes && c->arch->is_context_end(bytes, end - start);
}

static enum place_state place_look_up(struct code *c, const struct mapping *m, uint64_t off,
				      struct code_place *p)
{
	if (binaries_get(c->binaries, m->binary)->kind == BINARY_KIND_ANON)
		return place_look_up_anon(c, m, p);
	if (!code_has_file(c, m->binary))
		return PLACE_WAITING;
	const struct code_binary *b = &c->files.v[m->binary];
	uint64_t svma;

	if (!b->cfi)
		return PLACE_NO_FILE;
	if (elffile_off_to_svma(b->file, off, &svma)) {
		p->row = cfi_row(b->cfi, svma);
		p->context_end = is_context_end(c, b->file, svma + 1);
	}
	return PLACE_CODE;
}

/* Multiplicative: the high bits depend on all of the key's. */
static inline size_t place_index(const struct addrspace *as, uint64_t pc)
{
	return (pc ^ as->generation << 48) * 0x9e3779b97f4a7c15ULL >> (64 - PLACE_BITS);
}

const struct code_place *code_find(struct code *c, const struct addrspace *as, uint64_t pc)
{
	struct code_place *p = &c->places[place_index(as, pc)];

	if (p->pc == pc && p->generation == as->generation && p->state != PLACE_WAITING)
		return p;
	const struct mapping *m = addrspace_find(as, pc);

	*p = (struct code_place){ .generation = as->generation, .pc = pc };
	p->state = m ? place_look_up(c, m, mapping_off(m, pc), p) : PLACE_UNMAPPED;
	return p;
}

void code_prefetch(const struct code *c, const struct addrspace *as, uint64_t pc)
{
	__builtin_prefetch(&c->places[place_index(as, pc)]);
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
