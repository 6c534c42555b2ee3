/* jitdumps written by tests, as tools/perf/Documentation/jitdump-specification.txt of Linux has
 * them. */
#ifndef TESTS_SUPPORT_JITWRITE_H
#define TESTS_SUPPORT_JITWRITE_H

#include "base/buf.h"

enum { JITWRITE_LOAD = 0, JITWRITE_MOVE = 1, JITWRITE_CLOSE = 3, JITWRITE_UNWINDING = 4 };

void jitwrite_header(struct buf *b);
void jitwrite_record(struct buf *b, uint32_t id, uint64_t time_ns, const struct buf *body);
/* With `code_len` bytes of `code`; 0: without its bytes. */
void jitwrite_load(struct buf *b, uint64_t time_ns, uint64_t start, uint64_t len, uint64_t index,
		   const char *name, const uint8_t *code, size_t code_len);
void jitwrite_move(struct buf *b, uint64_t time_ns, uint64_t from, uint64_t to, uint64_t len,
		   uint64_t index);
/* .eh_frame of one function: the return address is below the CFA, and the CFA 8 above the stack
 * pointer until the instructions say otherwise. Addresses count from where it lies behind the
 * code. */
void jitwrite_frames(struct buf *b, uint64_t code_len, const uint8_t *insns, size_t n);
void jitwrite_unwinding(struct buf *b, const struct buf *frames);

/* A function of JITWRITE_CODE_LEN bytes, with its unwinding information. */
enum { JITWRITE_CODE_LEN = 0x20 };
void jitwrite_code(struct buf *b, uint64_t start, uint64_t index, const uint8_t *insns, size_t n);

/* Behind an instruction of four bytes that makes room for N on the stack (DW_CFA_advance_loc,
 * DW_CFA_def_cfa_offset). */
#define JITWRITE_SUB(n) 0x44, 0x0e, (n) + 8

#define JITWRITE_CODE(b, start, index, ...)                                                        \
	do {                                                                                       \
		static const uint8_t insns_[] = { __VA_ARGS__ };                                   \
		jitwrite_code(b, start, index, insns_, sizeof(insns_));                            \
	} while (0)

#endif
