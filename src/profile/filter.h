/* Which samples count (by thread, cpu, binary, time), and which frames show (by name). */
#ifndef PROFILE_FILTER_H
#define PROFILE_FILTER_H

#include <regex.h>

#include "base/err.h"
#include "sample/dataset.h"

/* Numbers as typed: "1,2,5-7". Empty: any number. */
struct number_range {
	uint32_t first, last;
};

struct number_list {
	VEC(struct number_range) v;
};

/* Empty: any name. */
struct name_list {
	VEC(char *) v; /* owned */
};

struct filter {
	struct name_list comms; /* thread or process name equals one */
	struct number_list pids, tids, cpus;
	struct name_list origins;  /* the thread comes from one of these inputs of a merge */
	struct name_list binaries; /* a frame of the stack lies in one (name or path) */
	uint64_t from_ns, to_ns;   /* from the first sample of the data; to_ns 0: to the end */
};

void filter_init(struct filter *f);
void filter_deinit(struct filter *f);
/* Appends "a" and "b" of "a,b", and "a,b" as well, for who is really called so. */
void filter_add_names(const char *text, struct name_list *ret);
/* Appends; `option` is named in errors. */
ERR_CHECK struct err *filter_add_numbers(const char *option, const char *text,
					 struct number_list *ret);
/* "FROM,TO" in seconds from the first sample; either may be missing: "1.5,2", ",3", "10,". */
ERR_CHECK struct err *filter_set_time(struct filter *f, const char *text);

bool number_list_has(const struct number_list *l, uint32_t n);
/* By thread and process alone (comms, pids, tids). */
bool filter_has_thread(const struct filter *f, const struct thread_entry *t);
/* `origin` is one of f->origins. */
bool filter_has_origin(const struct filter *f, const char *origin);
/* The binary is one of f->binaries, by path or by the part after the last '/'. */
bool filter_has_binary(const struct filter *f, const struct binary *b);

/* POSIX extended expressions on function names. A zeroed struct has none. */
struct frame_filter {
	bool has_symbol, has_hide;
	regex_t symbol; /* keep stacks with a frame that matches */
	regex_t hide;   /* leave frames that match out of their stacks */
};

ERR_CHECK struct err *frame_filter_set_symbol(struct frame_filter *f, const char *regex);
ERR_CHECK struct err *frame_filter_set_hide(struct frame_filter *f, const char *regex);
void frame_filter_deinit(struct frame_filter *f);

#endif
