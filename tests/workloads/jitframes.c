/* A JIT compiler of functions that keep no frame pointer, and says by its dump how to unwind them.
 * Each of its functions runs under a native one:
 *
 *	under_first → outer → first	at A
 *	under_second → outer → second	at A again, with a larger frame
 *	under_third → outer → third	at B, moved there from C, calling the native callee()
 *
 *	jitframes [bare]	"bare": the dump says nothing of unwinding
 *
 * x86-64 only. */
#include "burn.h"
#include "jitwriter.h"

static int bare;

/* push %rbp; sub $32,%rsp; xor %ebp,%ebp; call *%rsi; add $32,%rsp; pop %rbp; ret */
static const uint8_t outer_code[] = { 0x55, 0x48, 0x83, 0xec, 0x20, 0x31, 0xed, 0xff,
				      0xd6, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3 };
/* push %rbp: CFA 16, rbp at CFA-16; CFA 48; …; CFA 16; CFA 8, rbp as it is */
static const uint8_t outer_cfi[] = { 0x41, 0x0e, 16, 0x86, 2,    0x44, 0x0e, 48,
				     0x48, 0x0e, 16, 0x41, 0x0e, 8,    0xc6 };
/* sub $N,%rsp; 1: sub $1,%rdi; jne 1b; add $N,%rsp; ret */
#define LEAF(n)                                                                                    \
	{                                                                                          \
		0x48, 0x83, 0xec, n, 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0x48, 0x83, 0xc4, n, 0xc3 \
	}
#define LEAF_CFI(n)                                                                                \
	{                                                                                          \
		0x44, 0x0e, (n) + 8, 0x4a, 0x0e, 8                                                 \
	}
static const uint8_t first_code[] = LEAF(24), first_cfi[] = LEAF_CFI(24);
static const uint8_t second_code[] = LEAF(56), second_cfi[] = LEAF_CFI(56);
/* sub $40,%rsp; movabs $callee,%rax; call *%rax; add $40,%rsp; ret */
static const uint8_t third_code[] = { 0x48, 0x83, 0xec, 40,   0x48, 0xb8, 0,    0,    0,  0,   0,
				      0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 40, 0xc3 };
static const uint8_t third_cfi[] = { 0x44, 0x0e, 48, 0x50, 0x0e, 8 };
enum { CALLEE_AT = 6 };

struct function {
	const char *name;
	const uint8_t *code, *cfi;
	size_t len, cfi_len;
};

#define FUNCTION(f)                                                                                \
	{                                                                                          \
#f, f##_code, f##_cfi, sizeof(f##_code), sizeof(f##_cfi)                           \
	}
static const struct function outer = FUNCTION(outer), first = FUNCTION(first),
			     second = FUNCTION(second), third = FUNCTION(third);

static void put_u8(uint8_t v)
{
	put(&v, 1);
}

/* .eh_frame, then .eh_frame_hdr: a CIE (CFA = rsp + 8, rip at CFA - 8) and an FDE, padded by nops,
 * and a terminator. Addresses count from the first multiple of eight behind the code. */
static void put_unwinding(const struct function *f)
{
	static const uint8_t cie[] = { 20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
				       1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0 };
	static const uint8_t hdr[20] = { 1, 0x1b, 3, 0x3b };
	size_t insns = (f->cfi_len + 1 + 3) & ~(size_t)3, behind = (f->len + 7) & ~(size_t)7;
	size_t len = sizeof(cie) + 16 + insns + 4;

	put_record(UNWINDING_INFO, 24 + len + sizeof(hdr));
	put_u64(len + sizeof(hdr));
	put_u64(sizeof(hdr));
	put_u64(0);
	put(cie, sizeof(cie));
	put_u32((uint32_t)(12 + insns));
	put_u32(sizeof(cie) + 4);
	put_u32(-(uint32_t)(behind + sizeof(cie) + 8));
	put_u32((uint32_t)f->len);
	put_u8(0);
	put(f->cfi, f->cfi_len);
	for (size_t i = 1 + f->cfi_len; i < insns; i++)
		put_u8(0);
	put_u32(0);
	put(hdr, sizeof(hdr));
}

static void load(const struct function *f, char *at, uint64_t index)
{
	memcpy(at, f->code, f->len);
	if (!bare)
		put_unwinding(f);
	put_load(at, f->len, index, f->name);
	fflush(dump);
}

static void callee(long n)
{
	for (; n > 0; n--)
		__asm__ volatile("" : "+r"(n));
}

static __attribute__((noinline)) double run(const char *outer_at, const char *leaf_at,
					    double seconds)
{
	double start = cpu_seconds(), used;

	do {
		((void (*)(long, const char *))outer_at)(100000, leaf_at);
		used = cpu_seconds() - start;
	} while (used < seconds);
	return used;
}

#define UNDER(name, seconds)                                                                       \
	__attribute__((noinline)) static void under_##name(const char *outer_at,                   \
							   const char *leaf_at)                    \
	{                                                                                          \
		truth("under_" #name, run(outer_at, leaf_at, seconds));                            \
	}
UNDER(first, 0.4)
UNDER(second, 0.5)
UNDER(third, 0.6)

int main(int argc, char **argv)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	char *a = at + 256, *b = at + 512, *c = at + 1024;

	if (at == MAP_FAILED)
		return 1;
	bare = argc > 1 && !strcmp(argv[1], "bare");
	open_dump();
	load(&outer, at, 1);
	load(&first, a, 2);
	under_first(at, a);
	load(&second, a, 3);
	under_second(at, a);
	load(&third, c, 4);
	memcpy(b, c, third.len);
	put_move(c, b, third.len, 4);
	memset(c, 0xcc, third.len);
	memcpy(b + CALLEE_AT, &(void (*)(long)){ callee }, sizeof(void *));
	fflush(dump);
	under_third(at, b);
	return fclose(dump) ? 1 : 0;
}
