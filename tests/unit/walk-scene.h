/* For unit tests of the walker on literal stacks: code with known CFI is assembled into the test, a
 * stack is an array of words. x86-64 only. */
#ifndef TESTS_UNIT_WALK_SCENE_H
#define TESTS_UNIT_WALK_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/remote.h"
#include "unwind/walk.h"

/* Labels of return addresses and pcs; walk-scene.c has the code around them. */
extern const char w_leaf_pc[], w_leaf_ret[], w_mid_ra[], w_mid_popped[], w_start_ra[], w_no_cfi[];
extern const char w_exits_ret[], w_exits_on[], w_sigreturn[], w_loop_pc[], w_thin_ra[],
	w_complex_pc[], w_restore_pc[], w_by_rbx_ra[], w_huge_pc[], w_absurd_pc[], w_bare_ra[];
extern const char w_mcall_ra[], w_systemstack_ra[], w_asmcgocall_ra[], w_calls_ra[], w_framed_ra[];
extern const char w_rounds_far_ra[], w_switch[], w_fiber_end[], w_clone_ra[], w_thread_end[],
	w_deref_ra[];

#define ADDR(label) ((uint64_t)(uintptr_t)(label))

/* Slots among the registers of regs_mask. */
enum { X86_64_R10 = 11, X86_64_RBX = 1 };
enum { JIT_START = 0x10000000, STACK = 0x7ffe0000 };

struct fixture {
	struct binaries binaries;
	struct addrspace as;
	struct code *code;
	struct walk walk;
	uint32_t self, jit;
	uint64_t words[9000]; /* the stack copied, first word at address STACK */
	uint64_t regs[24];
	struct raw_sample sample;
};

int scene_set_up(void **state);
int scene_tear_down(void **state);
void scene_set_ip(struct fixture *f, const char *ip, uint64_t fp);
/* `n` words were copied out of `asked`. */
bool scene_walk(struct fixture *f, size_t n, size_t asked);
void scene_expect(const struct fixture *f, enum verdict verdict, size_t n,
		  const struct walk_frame *frames);
/* w_start → w_mid → w_leaf: words of a whole stack, STACK being w_leaf's after its `sub`. */
void scene_whole_stack(struct fixture *f);
/* A signal frame at STACK + 8 * `at` whose context has this pc, stack and frame pointer. */
void scene_signal_frame(struct fixture *f, size_t at, const char *pc, uint64_t sp, uint64_t fp);

#define WALK_TEST(f) cmocka_unit_test_setup_teardown(f, scene_set_up, scene_tear_down)

#endif
