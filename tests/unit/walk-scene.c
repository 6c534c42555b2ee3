/* Code to be unwound, registers and a stack. */
#include "walk-scene.h"

#ifdef __x86_64__

#include <fcntl.h>
#include <link.h>
#include <stdio.h>

/* Every function is here for its CFI; none is run. Labels mark return addresses and pcs. */
__asm__(".text\n"
	".globl w_leaf_pc, w_leaf_ret, w_mid_ra, w_mid_popped, w_start_ra, w_no_cfi\n"
	".globl w_exits_ret, w_exits_on, w_sigreturn, w_loop_pc, w_thin_ra, w_complex_pc\n"
	".globl w_restore_pc, w_by_rbx_ra, w_huge_pc, w_absurd_pc, w_bare_ra\n"
	".globl w_mcall_ra, w_systemstack_ra, w_calls_ra, w_framed_ra\n"
	".globl w_asmcgocall_ra, w_rounds_far_ra, w_switch, w_fiber_end, w_clone_ra\n"
	".globl w_thread_end, w_deref_ra\n"
	".hidden w_leaf_pc, w_leaf_ret, w_mid_ra, w_mid_popped, w_start_ra, w_no_cfi\n"
	".hidden w_exits_ret, w_exits_on, w_sigreturn, w_loop_pc, w_thin_ra, w_complex_pc\n"
	".hidden w_restore_pc, w_by_rbx_ra, w_huge_pc, w_absurd_pc, w_bare_ra\n"
	".hidden w_mcall_ra, w_systemstack_ra, w_calls_ra, w_framed_ra\n"
	".hidden w_asmcgocall_ra, w_rounds_far_ra, w_switch, w_fiber_end, w_clone_ra\n"
	".hidden w_thread_end, w_deref_ra\n"
	/* CFA = rsp + 24, nothing saved. */
	"w_leaf: .cfi_startproc\n sub $16, %rsp\n .cfi_def_cfa_offset 24\n"
	"w_leaf_pc: nop\n add $16, %rsp\n .cfi_def_cfa_offset 8\n"
	"w_leaf_ret: ret\n .cfi_endproc\n"
	/* A frame-pointer function; calls w_leaf. */
	"w_mid: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n call w_leaf\n"
	"w_mid_ra: nop\n pop %rbp\n .cfi_def_cfa %rsp, 8\n"
	/* Compilers keep the rule for rbp here, though its slot is popped. */
	"w_mid_popped: ret\n .cfi_endproc\n"
	/* The outermost frame. */
	"w_start: .cfi_startproc\n .cfi_undefined %rip\n call w_mid\n"
	"w_start_ra: nop\n .cfi_endproc\n"
	/* No CFI at all, as lld's PLT. */
	"nop\n"
	"w_no_cfi: nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
	/* The sigreturn trampoline without CFI, as musl's. */
	"w_sigreturn: mov $15, %rax\n syscall\n"
	/* CFA does not grow. */
	"w_loop: .cfi_startproc\n .cfi_def_cfa_offset 0\n .cfi_offset %rip, 0\n"
	"w_loop_pc: nop\n nop\n .cfi_endproc\n"
	/* An array that no copy holds, and one that no stack does. */
	"w_huge: .cfi_startproc\n .cfi_def_cfa_offset 152720\n"
	"w_huge_pc: nop\n nop\n .cfi_endproc\n"
	"w_absurd: .cfi_startproc\n .cfi_def_cfa_offset 0x40000000\n"
	"w_absurd_pc: nop\n nop\n .cfi_endproc\n"
	/* Nothing but a return address. */
	"w_thin: .cfi_startproc\n call w_thin\n"
	"w_thin_ra: nop\n .cfi_endproc\n"
	/* An early exit: the state is remembered before it and restored behind it. */
	"w_exits: .cfi_startproc\n sub $16, %rsp\n .cfi_def_cfa_offset 24\n"
	"nop\n add $16, %rsp\n .cfi_remember_state\n .cfi_def_cfa_offset 8\n"
	"w_exits_ret: ret\n .cfi_restore_state\n"
	"w_exits_on: nop\n nop\n .cfi_endproc\n"
	/* CFA from a register that rows do not follow. */
	"w_complex: .cfi_startproc\n .cfi_def_cfa %r10, 8\n"
	"w_complex_pc: nop\n nop\n .cfi_endproc\n"
	"w_bare: .cfi_startproc\n call w_no_cfi\n"
	"w_bare_ra: nop\n nop\n .cfi_endproc\n"
	/* As Go's runtime.mcall and runtime.systemstack: they call on another stack. */
	"w_mcall: .cfi_startproc\n mov 0x38(%r14), %rsp\n push %rax\n .cfi_def_cfa_offset 16\n"
	"mov (%rdx), %r12\n call *%r12\n"
	"w_mcall_ra: pop %rax\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n"
	"w_systemstack: .cfi_startproc\n mov %rbx, %rsp\n mov %rdi, %rdx\n mov (%rdi), %rdi\n"
	"call *%rdi\n"
	"w_systemstack_ra: ret\n .cfi_endproc\n"
	"w_asmcgocall: .cfi_startproc\n mov 0x38(%rsi), %rsp\n sub $0x40, %rsp\n"
	"and $-16, %rsp\n mov %rdi, 0x30(%rsp)\n mov 8(%rdi), %rdi\n sub %rdx, %rdi\n"
	"mov %rdi, 0x28(%rsp)\n mov %rbx, %rdi\n mov %rbx, %rcx\n call *%rax\n"
	"w_asmcgocall_ra: ret\n .cfi_endproc\n"
	/* They do not, or their row does not go by the stack pointer. */
	"and $-16, %rsp\n ret\n"
	"w_rounds_far: .cfi_startproc\n mov %rdi, %rdx\n call *%rdi\n"
	"w_rounds_far_ra: ret\n .cfi_endproc\n"
	"w_calls: .cfi_startproc\n mov (%rsp), %rbx\n mov %rdi, %rdx\n call *%rdi\n"
	"w_calls_ra: ret\n .cfi_endproc\n"
	"w_framed: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n mov %rbx, %rsp\n call *%rdi\n"
	"w_framed_ra: nop\n nop\n .cfi_endproc\n"
	/* As glibc's clone3: nothing is above. */
	"w_clone: .cfi_startproc\n .cfi_undefined %rip\n and $-16, %rsp\n call *%rdx\n"
	"w_clone_ra: nop\n .cfi_endproc\n"
	/* As Go's runtime.systemstack_switch: its beginning is put where a return address goes. */
	".skip 8, 0xcc\n"
	"w_switch: .cfi_startproc\n ret\n .cfi_endproc\n"
	/* As the end of Boost's make_fcontext. */
	"push %rbp\n jmp *%rbx\n"
	"w_fiber_end: xor %rdi, %rdi\n call w_leaf\n hlt\n"
	/* As the end of musl's __clone: exits with what the thread's function returned. */
	"call *%r9\n"
	"w_thread_end: mov %eax, %edi\n xor %eax, %eax\n mov $60, %al\n syscall\n hlt\n"
	/* As SBCL's call_into_lisp: CFA = *rbp + 16. */
	"w_deref: .cfi_startproc\n .cfi_offset %rbp, -16\n"
	".cfi_escape 0x0f,5,0x76,0,6,0x40,0x22\n call *%rdx\n"
	"w_deref_ra: nop\n .cfi_endproc\n"
	/* As the dynamic linker's resolver of lazily bound functions. */
	"w_by_rbx: .cfi_startproc\n .cfi_def_cfa %rbx, 16\n call *%rdx\n"
	"w_by_rbx_ra: nop\n .cfi_endproc\n"
	/* glibc's __restore_rt: CFA = *(rsp+160), rbp at rsp+120, rip at rsp+168, signal frame. */
	"w_restore: .cfi_startproc\n .cfi_signal_frame\n"
	".cfi_escape 0x0f,4,0x77,0xa0,1,6\n .cfi_escape 0x10,6,3,0x77,0xf8,0\n"
	".cfi_escape 0x10,16,3,0x77,0xa8,1\n .cfi_escape 0x10,7,3,0x77,0xa0,1\n nop\n"
	"w_restore_pc: nop\n nop\n .cfi_endproc\n");

static int map_self(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct fixture *f = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		struct mapping m = { .binary = f->self, .pgoff = ph->p_offset };

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		m.start = info->dlpi_addr + ph->p_vaddr;
		m.end = m.start + ph->p_memsz;
		addrspace_map(&f->as, &m);
	}
	return 1; /* the first object is the program */
}

int scene_set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct elffile *file = NULL;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	binaries_init(&f->binaries);
	addrspace_init(&f->as);
	f->self = binaries_add(&f->binaries, &(struct binary){ .kind = BINARY_KIND_FILE,
							       .path = (char *)"/self" });
	f->jit = binaries_add(&f->binaries, &(struct binary){ .kind = BINARY_KIND_ANON,
							      .path = (char *)"//anon" });
	dl_iterate_phdr(map_self, f);
	addrspace_map(&f->as, &(struct mapping){ .start = JIT_START,
						 .end = JIT_START + 4096,
						 .pgoff = JIT_START,
						 .binary = f->jit });
	assert_null(elffile_open(fd, &file));
	close(fd);
	f->code = code_create(&f->binaries, &arch_x86_64);
	code_give_file(f->code, f->self, file);
	walk_init(&f->walk);
	f->sample = (struct raw_sample){ .regs_abi = 2,
					 .regs_mask = arch_x86_64.regs_mask,
					 .regs = f->regs,
					 .stack = (const uint8_t *)f->words };
	f->regs[arch_x86_64.perf_sp] = STACK;
	*state = f;
	return 0;
}

int scene_tear_down(void **state)
{
	struct fixture *f = *state;

	walk_deinit(&f->walk);
	code_destroy(f->code);
	addrspace_deinit(&f->as);
	binaries_deinit(&f->binaries);
	free(f);
	return 0;
}

void scene_set_ip(struct fixture *f, const char *ip, uint64_t fp)
{
	f->regs[arch_x86_64.perf_ip] = ADDR(ip);
	f->regs[arch_x86_64.perf_fp] = fp;
}

bool scene_walk(struct fixture *f, size_t n, size_t asked)
{
	f->sample.stack_len = n * 8;
	f->sample.stack_asked = asked * 8;
	return walk_rows(&f->walk, f->code, &f->as, &f->sample);
}

void scene_expect(const struct fixture *f, enum verdict verdict, size_t n,
		  const struct walk_frame *frames)
{
	assert_int_equal(f->walk.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(f->walk.frames[i].pc, frames[i].pc);
		assert_int_equal(f->walk.frames[i].kind, frames[i].kind);
	}
	assert_int_equal(f->walk.verdict, verdict);
}

void scene_whole_stack(struct fixture *f)
{
	f->words[2] = ADDR(w_mid_ra);
	f->words[3] = 0x1234; /* w_start's rbp, saved by w_mid */
	f->words[4] = ADDR(w_start_ra);
	scene_set_ip(f, w_leaf_pc, STACK + 24);
}

void scene_signal_frame(struct fixture *f, size_t at, const char *pc, uint64_t sp, uint64_t fp)
{
	f->words[at + 15] = fp;
	f->words[at + 20] = sp;
	f->words[at + 21] = ADDR(pc);
}

#endif
