/* The words of a dump: one thing of a dataset each, without a line end unless said. */
#ifndef CMD_DUMPLINE_H
#define CMD_DUMPLINE_H

#include <stdio.h>

#include "sample/dataset.h"

struct dumpline {
	FILE *out;
	const struct dataset *data;
};

/* "libc.so.6+0x1f3" */
void dumpline_place(const struct dumpline *d, uint32_t binary, uint64_t off);
/* The same, or how a stack was cut. */
void dumpline_frame(const struct dumpline *d, const struct frame *f);
/* "pc", "return", … */
const char *dumpline_kind(const struct frame *f);
/* Outermost first, as folded stacks are. */
void dumpline_stack(const struct dumpline *d, uint32_t node);
void dumpline_thread(const struct dumpline *d, uint32_t id);

/* These end their line. */
void dumpline_binary(const struct dumpline *d, uint32_t id);
void dumpline_event(const struct dumpline *d, const struct proc_event *e);
/* With the stack itself, or with the number of its node. */
void dumpline_sample(const struct dumpline *d, const struct sample *s, bool stack);
/* Innermost inlined call first. */
void dumpline_lines(const struct dumpline *d, const struct name_entry *e);

#endif
