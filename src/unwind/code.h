/* Code by address: pc → binary, offset and CFI row, remembered. One table for all processes: an
 * address space's generation is part of the key, so that a new mapping needs no one to be told. */
#ifndef UNWIND_CODE_H
#define UNWIND_CODE_H

#include "model/addrspace.h"
#include "sample/binaries.h"
#include "unwind/cfi.h"
#include "unwind/jitcode.h"

struct code;

enum place_state {
	PLACE_UNMAPPED, /* no mapping covers the pc */
	PLACE_WAITING,  /* its file has not been given yet */
	PLACE_NO_FILE,  /* its file is not to be had */
	PLACE_ANON,     /* code in no file, or in none that is ELF: JIT, an image of it */
	PLACE_JIT,      /* the same, and `row` is what its compiler's dump says: never ROW_NONE */
	PLACE_DUMPED,   /* code in no file that its process's dump has not told of, so far */
	PLACE_CODE,     /* `row` says what the file's CFI says, which may be ROW_NONE */
};

/* What code without CFI is, by its bytes; several may hold. */
enum place_bare {
	BARE_SIGRETURN = 1,        /* the sigreturn trampoline begins at pc */
	BARE_SIGRETURN_NEXT = 2,   /* at pc + 1, which makes that the return address of a handler */
	BARE_SIGRETURN_BEFORE = 4, /* it ends at pc */
	BARE_ENTRY = 8,            /* its file's first instructions, which nothing called */
};

/* Half a cache line: a walk touches one for each frame. */
struct code_place {
	uint64_t pc;
	uint64_t generation : 39; /* of the address space */
	uint64_t caller : 15;     /* plain.h's: where among the calls the caller was last found */
	uint64_t plain : 1;       /* PLACE_CODE whose row alone says where the caller is, as plain.h
				     wants it */
	uint64_t state : 3;       /* enum place_state */
	uint64_t bare : 4;        /* enum place_bare, of a row that is ROW_NONE */
	/* Of a call (PLACE_CODE): */
	uint64_t context_end : 1; /* its return address, pc + 1, is where a coroutine's or a
				     thread's stack ends; there may be no call */
	uint64_t switched : 1;    /* it is made on another stack than its own function was called
				     on */
	struct row row;
};

/* The places remembered: those of pcs and those of calls apart, as there are few of the latter, for
 * many frames, and many of the former, for one frame a sample. */
enum { PLACE_BITS = 15, N_PLACES = 1 << PLACE_BITS };

/* Multiplicative: the high bits depend on all of the key's. */
static inline size_t code_index(const struct addrspace *as, uint64_t pc, unsigned int bits)
{
	return (pc ^ as->generation << 48) * 0x9e3779b97f4a7c15ULL >> (64 - bits);
}

struct code *code_create(const struct binaries *binaries, const struct arch *arch);
void code_destroy(struct code *c);

/* The file of a binary, or NULL: not to be had (one may still be given later). Takes `f`. Places
 * that waited for it are looked up anew. */
void code_give_file(struct code *c, uint32_t binary, struct elffile *f);
/* It was given, and is no ELF file but a runtime's own image: a Lisp's heap, code and all. As good
 * as code made at run time. */
void code_set_no_elf(struct code *c, uint32_t binary);
/* True once code_give_file() was called for it. */
bool code_has_file(const struct code *c, uint32_t binary);

/* Process `pid` dumps the code that it makes; `dump` tells its dumps apart, should it have several.
 * code_add_jit() will be called. */
void code_expect_jit(struct code *c, uint32_t pid, uint32_t dump);
/* What was read of it next; *b is emptied. Ignored if the dump is not expected. */
void code_add_jit(struct code *c, uint32_t pid, uint32_t dump, struct jitcode_batch *b);
/* What it says of the code that there was at `time_ns` has been added. */
void code_jit_told(struct code *c, uint32_t pid, uint32_t dump, uint64_t time_ns);
/* Forgets it. */
void code_drop_jit(struct code *c, uint32_t pid, uint32_t dump);
/* True if a dump may yet tell of the code at `pc`, a PLACE_DUMPED, that ran at `time_ns`. */
bool code_waits_for_jit(const struct code *c, const struct addrspace *as, uint64_t pc,
			uint64_t time_ns);
/* True for code in no file. */
static inline bool code_is_anon(const struct code_place *p)
{
	return p->state == PLACE_ANON || p->state == PLACE_JIT || p->state == PLACE_DUMPED;
}

/* Valid until the next call. */
const struct code_place *code_find(struct code *c, const struct addrspace *as, uint64_t pc);
/* The same for the call that returns to `ra`: its pc is ra - 1. */
const struct code_place *code_find_call(struct code *c, const struct addrspace *as, uint64_t ra);
/* What code_find_call() and code_find() remember, N_PLACES each: that of a pc, if any, at
 * code_index(as, pc, PLACE_BITS). Valid as long as `c`. */
struct code_place *code_places(struct code *c, bool of_calls);
/* code_find() will be asked: has its place fetched. */
void code_prefetch(const struct code *c, const struct addrspace *as, uint64_t pc);

enum call_kind {
	CALL_NONE,    /* no call is there */
	CALL_UNKNOWN, /* through a register or memory; or the code is in no file, and being mapped
			 is all there is to go by */
	CALL_BARE,    /* to code without CFI */
	CALL_CLOSED,  /* to a function that does not seem to jump out of itself */
	CALL_OPEN,    /* to other code */
};

/* The call before a return address. */
struct code_call {
	uint64_t ra, generation;
	uint64_t to;        /* from CALL_BARE on */
	uint32_t to_binary; /* likewise; BINARY_UNKNOWN: none */
	uint8_t kind;       /* enum call_kind */
};

/* The call before `ra`, any word off a stack; remembered. Valid until the next call. */
const struct code_call *code_call(struct code *c, const struct addrspace *as, uint64_t ra);

/* True if neither a call nor a row precedes `ra`, and the row at it is the right one for what
 * returns there: Go's runtime.cgocallback has itself return to the beginning of
 * runtime.systemstack_switch. */
bool code_is_entered(struct code *c, const struct addrspace *as, uint64_t ra);

/* True if `ra` is in code without CFI that starts a process or a thread: nothing calls that. */
bool code_is_start(struct code *c, const struct addrspace *as, uint64_t ra);

/* The binary at `pc`, or BINARY_UNKNOWN. */
uint32_t code_binary(const struct addrspace *as, uint64_t pc);
/* The file's bytes at [pc, pc + len); NULL if there are none. */
const uint8_t *code_bytes(struct code *c, const struct addrspace *as, uint64_t pc, uint64_t len);
/* The file behind a binary; NULL if none. */
struct elffile *code_file(const struct code *c, uint32_t binary);
const struct arch *code_arch(const struct code *c);
/* CFI rows compiled, over all binaries. */
uint64_t code_n_rows(const struct code *c);

#endif
