/* Which samples count (by thread, cpu, time), and which frames show (by name). */
#ifndef PROFILE_FILTER_H
#define PROFILE_FILTER_H

#include <regex.h>

#include "sample/dataset.h"

struct filter {
	VEC(char *) comms; /* thread or process name equals one; empty: all; owned */
	VEC(uint32_t) pids, tids, cpus;
	VEC(char *) binaries;    /* a frame of the stack lies in one (name or path); owned */
	uint64_t from_ns, to_ns; /* from the first sample; to_ns 0: to the end */
	bool negative_from, negative_to;
};

void filter_init(struct filter *f);
void filter_deinit(struct filter *f);
/* Lists as typed: "1,2,5-7". */
ERR_CHECK struct err *filter_add_numbers(const char *option, const char *text, bool ranges,
					 void *ret_vec_u32);
/* "FROM,TO" in seconds from the first sample ("1.5,2", ",3", "10%,20%" is not taken). */
ERR_CHECK struct err *filter_set_time(struct filter *f, const char *text);

/* POSIX extended expressions on function names. */
struct frame_filter {
	bool has_symbol, has_hide;
	regex_t symbol; /* keep stacks with a frame that matches */
	regex_t hide;   /* leave frames that match out of their stacks */
};

#endif
