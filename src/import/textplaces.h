/* Names in text → places: binaries of BINARY_KIND_TEXT whose path is the module that the text
 * names, and offsets that number the name in data->names.strings. Code that has a module and no
 * name lies in a binary of that path whose `inode` is TEXT_BY_ADDRESS; its offset is its address.
 */
#ifndef IMPORT_TEXTPLACES_H
#define IMPORT_TEXTPLACES_H

#include "sample/dataset.h"

enum { TEXT_BY_NAME = 0, TEXT_BY_ADDRESS = 1 };

struct text_span {
	const char *p;
	size_t len;
};

static inline bool text_span_is(struct text_span s, const char *word)
{
	return s.len == strlen(word) && (!s.len || !memcmp(s.p, word, s.len));
}

/* The binary of a module, made if new. */
uint32_t textplaces_binary(struct dataset *data, struct text_span module, uint64_t by);
/* A chain of functions, the outermost first; n at least 1. */
struct frame_place textplaces_named(struct dataset *data, uint32_t binary,
				    const struct text_span *functions, uint16_t n);
/* Code at an address of a module, "[module]". */
struct frame_place textplaces_unnamed(struct dataset *data, struct text_span module, uint64_t addr);

#endif
