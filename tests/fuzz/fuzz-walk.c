/* In: any bytes, as user registers, a copy of a stack and the unwind information of the code it
 * ran. Out: nothing, if neither unwinder leaves them, follows them for ever or says more than it
 * may, and a second walk says what the first one did. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fuzz/fuzz.h"
#include "unwind/compat.h"
#include "unwind/remote.h"
#include "unwind/splice.h"

/* The ELF file is made here, so that what is mutated is the CFI and not the headers in front. */
enum {
	CODE = 0x1000, /* as-linked address and offset of the code, and its length */
	FRAME = 0x2000,
	HDR_MAX = 0x400, /* .eh_frame_hdr in front of .eh_frame, as linkers lay them out */
	FRAME_MAX = 0x1000,
	FILE_LEN = FRAME + HDR_MAX + FRAME_MAX + 0x200,
	SECTIONS = FRAME + HDR_MAX + FRAME_MAX,
	MAPPED = 0x400000,  /* where the file is mapped */
	JIT = 0x10000000,   /* code in no file */
	STACK = 0x7ffe0000, /* sp's usual value */
	N_REGS = 24,
};

/* In front of the bytes. */
struct start {
	uint16_t hdr_len, frame_len; /* what follows: header, CFI, code, then the stack */
	uint16_t code_len;
	uint16_t stack_asked;
	uint64_t regs[N_REGS];
	uint64_t chain[4]; /* the kernel's, for the splice */
};

struct input {
	const uint8_t *p;
	size_t n;
};

static size_t take(struct input *in, void *to, size_t len)
{
	len = len < in->n ? len : in->n;
	memcpy(to, in->p, len);
	in->p += len;
	in->n -= len;
	return len;
}

static void put_headers(uint8_t *file, size_t hdr_len, size_t frame_len)
{
	static const char names[] = "\0.eh_frame\0.eh_frame_hdr\0.text\0.shstrtab";
	Elf64_Ehdr e = { .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(e),
			 .e_shoff = SECTIONS,
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 5,
			 .e_shstrndx = 4,
			 .e_entry = CODE };
	Elf64_Phdr ph[] = {
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_X,
		  .p_filesz = SECTIONS,
		  .p_memsz = SECTIONS,
		  .p_align = 4096 },
		{ .p_type = PT_GNU_EH_FRAME,
		  .p_flags = PF_R,
		  .p_offset = FRAME,
		  .p_vaddr = FRAME,
		  .p_filesz = hdr_len,
		  .p_memsz = hdr_len },
	};
	Elf64_Shdr sh[5] = {
		[1] = { .sh_name = 1,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = FRAME + HDR_MAX,
			.sh_offset = FRAME + HDR_MAX,
			.sh_size = frame_len },
		[2] = { .sh_name = 11,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = FRAME,
			.sh_offset = FRAME,
			.sh_size = hdr_len },
		[3] = { .sh_name = 25,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = CODE,
			.sh_offset = CODE,
			.sh_size = CODE },
		[4] = { .sh_name = 31,
			.sh_type = SHT_STRTAB,
			.sh_offset = SECTIONS - 0x80,
			.sh_size = sizeof(names) },
	};

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(file, &e, sizeof(e));
	memcpy(file + sizeof(e), ph, sizeof(ph));
	memcpy(file + SECTIONS - 0x80, names, sizeof(names));
	memcpy(file + SECTIONS, sh, sizeof(sh));
}

static void must(bool good)
{
	if (!good)
		abort();
}

static void check(const struct walk *w)
{
	must(w->n <= WALK_MAX_FRAMES && w->verdict < N_VERDICTS);
	must(w->verdict == VERDICT_DEPTH_LIMIT || w->n < WALK_MAX_FRAMES);
	must(w->verdict != VERDICT_NO_CFI_YET); /* every file was given */
}

struct scene {
	struct binaries binaries;
	struct addrspace as;
	struct code *code;
};

static void scene_init(struct scene *s, struct elffile *file)
{
	binaries_init(&s->binaries);
	addrspace_init(&s->as);
	uint32_t self = binaries_add(&s->binaries, &(struct binary){ .kind = BINARY_KIND_FILE,
								     .path = (char *)"/file" });
	uint32_t jit = binaries_add(&s->binaries, &(struct binary){ .kind = BINARY_KIND_ANON,
								    .path = (char *)"//anon" });

	addrspace_map(&s->as, &(struct mapping){
				      .start = MAPPED, .end = MAPPED + SECTIONS, .binary = self });
	addrspace_map(
		&s->as,
		&(struct mapping){ .start = JIT, .end = JIT + 4096, .pgoff = JIT, .binary = jit });
	s->code = code_create(&s->binaries, &arch_x86_64);
	code_give_file(s->code, self, file);
}

static void scene_deinit(struct scene *s)
{
	code_destroy(s->code);
	addrspace_deinit(&s->as);
	binaries_deinit(&s->binaries);
}

/* What the first walk looked up is remembered: the second must come to the same. */
static void walk_again(struct scene *s, const struct raw_sample *sample, const struct walk *first,
		       bool whole)
{
	struct walk w;

	walk_init(&w);
	must(walk_rows(&w, s->code, &s->as, sample) == whole);
	must(w.n == first->n && w.reach == first->reach && w.end_fp_known == first->end_fp_known);
	must(!w.end_fp_known || w.end_fp == first->end_fp);
	must(!whole || (w.verdict == first->verdict && w.binary == first->binary));
	for (uint32_t i = 0; i < w.n; i++)
		must(w.frames[i].pc == first->frames[i].pc &&
		     w.frames[i].kind == first->frames[i].kind);
	walk_deinit(&w);
}

static void walk_both(struct scene *s, const struct raw_sample *sample, const uint64_t *chain)
{
	struct remote *remote = remote_create(s->code);
	struct walk w;

	walk_init(&w);
	struct walk_regs regs;
	bool whole = walk_rows(&w, s->code, &s->as, sample);

	walk_again(s, sample, &w, whole);
	if (!whole && remote) {
		whole = !remote_cross(remote, &w, &s->as, sample, &regs) ||
			walk_resume(&w, s->code, &s->as, sample, &regs);
	}
	if (whole) {
		uint32_t n = w.n;

		check(&w);
		splice_tail(&w, s->code, &s->as, sample, chain, 4);
		must(w.n - n < 4);
		check(&w);
	}
	if (remote) {
		remote_walk(remote, &w, &s->as, sample);
		check(&w);
	}
	walk_compat(&w, s->code, &s->as, sample);
	check(&w);
	remote_destroy(remote);
	walk_deinit(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct start start;

	if (take(&in, &start, sizeof(start)) < sizeof(start))
		return 0;
	_cleanup_free_ uint8_t *file = xcalloc(1, FILE_LEN);
	size_t hdr_len = take(&in, file + FRAME, start.hdr_len % (HDR_MAX + 1));
	size_t frame_len = take(&in, file + FRAME + HDR_MAX, start.frame_len % (FRAME_MAX + 1));
	struct elffile *elf = NULL;

	take(&in, file + CODE, start.code_len % CODE);
	put_headers(file, hdr_len, frame_len);
	_cleanup_err_ struct err *err = elffile_open_memory(file, FILE_LEN, &elf);

	if (err)
		return 0;
	/* In memory of exactly its size, so that a sanitizer sees every byte read beyond it. */
	_cleanup_free_ uint8_t *stack = in.n ? xmemdup(in.p, in.n) : xmalloc(1);
	struct raw_sample sample = { .regs_abi = 2,
				     .regs_mask = arch_x86_64.regs_mask,
				     .regs = start.regs,
				     .stack = stack,
				     .stack_len = in.n,
				     .stack_asked = in.n + start.stack_asked % 64 };
	struct scene s;

	scene_init(&s, elf);
	walk_both(&s, &sample, start.chain);
	scene_deinit(&s);
	return 0;
}

/* One CIE (code 1, data -8, return address 16, pc-relative) and an FDE for all of the code that
 * goes on with `ops`. */
static void put_cfi(struct buf *b, const uint8_t *ops, size_t n)
{
	static const uint8_t cie[] = { 20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
				       1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0 };

	buf_bytes(b, cie, sizeof(cie));
	buf_u32(b, (uint32_t)(4 + 8 + 1 + n));
	buf_u32(b, sizeof(cie) + 4);
	buf_u32(b, (uint32_t)(CODE - (FRAME + HDR_MAX + sizeof(cie) + 8)));
	buf_u32(b, CODE);
	buf_u8(b, 0);
	buf_bytes(b, ops, n);
	buf_u32(b, 0);
}

/* Rules for the whole of the code. */
static const uint8_t plain[] = { 0x0e, 16, 0x86, 2 };               /* rsp + 16, rbp at -16 */
static const uint8_t by_fp[] = { 0x0c, 6, 16, 0x86, 2 };            /* rbp + 16 */
static const uint8_t outermost[] = { 0x07, 16 };                    /* rip undefined */
static const uint8_t still[] = { 0x0e, 0 };                         /* CFA does not grow */
static const uint8_t expression[] = { 0x0f, 3, 0x77, 8, 6 };        /* *(rsp + 8) */
static const uint8_t complex[] = { 0x0c, 10, 8 };                   /* r10 + 8 */
static const uint8_t looping[] = { 0x0f, 4, 0x77, 0, 0x2f, 0xfd };  /* with a branch */
static const uint8_t remembered[] = { 0x0a, 0x41, 0x0e, 24, 0x0b }; /* state kept, restored */

static const struct {
	const uint8_t *ops;
	size_t n;
} rules[] = {
	{ plain, sizeof(plain) },           { by_fp, sizeof(by_fp) },
	{ outermost, sizeof(outermost) },   { still, sizeof(still) },
	{ expression, sizeof(expression) }, { complex, sizeof(complex) },
	{ looping, sizeof(looping) },       { remembered, sizeof(remembered) },
};

enum { N_RULES = sizeof(rules) / sizeof(rules[0]), WORDS = 64 };

static void put_stack(struct buf *b)
{
	for (uint64_t k = 0; k < WORDS; k++)
		buf_u64(b, k % 4 == 0 ? STACK + 8 * (k + 4) : MAPPED + CODE + 5);
}

/* Code without CFI, from whose instructions its return address is to be found. */
static void bare_seed(struct buf *ret)
{
	/* call; mov %rsp, %rbx; sub $40, %rsp; jne to the second nop; push %rbp; nop; pop %rbp;
	   nop; jmp to what follows; mov 8(%rsp), %rsp; add $16, %rsp; mov %rbx, %rsp; leave; ret */
	static const uint8_t code[] = { 0xe8, 0,    0,    0,    0,    0x48, 0x89, 0xe3, 0x48,
					0x83, 0xec, 40,   0x75, 3,    0x55, 0x90, 0x5d, 0x90,
					0xeb, 0,    0x48, 0x8b, 0x64, 0x24, 8,    0x48, 0x83,
					0xc4, 16,   0x48, 0x89, 0xdc, 0xc9, 0xc3 };
	struct start start = { .code_len = sizeof(code) };

	start.regs[arch_x86_64.perf_sp] = STACK;
	start.regs[arch_x86_64.perf_fp] = STACK + 32;
	start.regs[arch_x86_64.perf_ip] = MAPPED + CODE + 5;
	buf_bytes(ret, &start, sizeof(start));
	buf_bytes(ret, code, sizeof(code));
	put_stack(ret);
}

bool fuzz_seed(unsigned int i, struct buf *ret)
{
	static const uint8_t code[] = { 0xe8, 0,  0, 0, 0, 0xff, 0xd0, 0x48, 0xc7,
					0xc0, 15, 0, 0, 0, 0x0f, 0x05, 0xc3 };
	struct buf cfi = { 0 };
	struct start start = { .hdr_len = 20, .code_len = sizeof(code) };

	if (i == 2 * N_RULES)
		bare_seed(ret);
	if (i >= 2 * N_RULES)
		return i == 2 * N_RULES;
	put_cfi(&cfi, rules[i / 2].ops, rules[i / 2].n);
	start.frame_len = (uint16_t)cfi.len;
	start.regs[arch_x86_64.perf_sp] = STACK;
	start.regs[arch_x86_64.perf_fp] = STACK + 32;
	/* Also where no CFI is: in generated code. */
	start.regs[arch_x86_64.perf_ip] = i % 2 ? JIT + 8 : MAPPED + CODE + 5;
	for (int k = 0; k < 4; k++)
		start.chain[k] = MAPPED + CODE + 5;
	buf_bytes(ret, &start, sizeof(start));
	/* .eh_frame_hdr: version 1, pcrel sdata4, udata4, datarel sdata4; one entry. */
	buf_u32(ret, 0x3b031b01);
	buf_u32(ret, HDR_MAX - 4);
	buf_u32(ret, 1);
	buf_u32(ret, (uint32_t)(CODE - FRAME));
	buf_u32(ret, HDR_MAX + 24);
	buf_bytes(ret, cfi.data, cfi.len);
	buf_bytes(ret, code, sizeof(code));
	put_stack(ret);
	buf_deinit(&cfi);
	return true;
}
