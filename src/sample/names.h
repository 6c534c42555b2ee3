/* Names of places: (binary, offset) → a chain of functions, innermost inlined call first, the real
 * function last, each with file and line where known. What symbol/ finds and what a recording
 * stores is this. The offset of a key is the look-up offset: symbol/ has already taken one off for
 * return addresses (see names_key()). Strings are ids of `strings`; 0 is "not known". */
#ifndef SAMPLE_NAMES_H
#define SAMPLE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "sample/frametree.h"

/* Numbers of the recording format. */
enum name_flags {
	NAME_FOUND = 1,     /* a symbol covers the place; else `function` is a stand-in such as
			       "[libx.so+0x1200]" or "[libx.so]" */
	NAME_START = 2,     /* start code of a process or thread: a stack may end here */
	NAME_HAS_LINES = 4, /* the binary has line information */
	NAME_GONE = 8, /* no file: it was gone, with its processes, before it could be opened */
	NAME_NO_INLINES = 16 /* inlined calls here, if any, are in a .dwo file that was not found */
};

struct name_line {
	uint32_t function;
	uint32_t file;
	uint32_t line; /* 0: not known */
};

struct name_entry {
	uint64_t off;
	uint32_t binary;
	uint32_t first; /* index into lines */
	uint16_t n;     /* at least 1 */
	uint16_t flags; /* enum name_flags */
};

struct names {
	struct intern strings;
	VEC(struct name_entry) entries;
	VEC(struct name_line) lines;
	struct table table;
};

void names_init(struct names *n);
void names_deinit(struct names *n);
/* NULL if the place has no entry. Valid until the next names_set(). */
const struct name_entry *names_find(const struct names *n, uint32_t binary, uint64_t off);
/* Copies `lines`; a later entry for the same place replaces the earlier. */
void names_set(struct names *n, uint32_t binary, uint64_t off, const struct name_line *lines,
	       uint16_t n_lines, uint16_t flags);

/* The look-up offset of a frame: where the minus one for return addresses is applied, and nowhere
 * else. */
static inline uint64_t names_key(const struct frame *f)
{
	return f->kind == FRAME_RETURN && f->off ? f->off - 1 : f->off;
}

#endif
