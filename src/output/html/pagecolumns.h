/* Columns of numbers: what the page reads into typed arrays. */
#ifndef OUTPUT_HTML_PAGECOLUMNS_H
#define OUTPUT_HTML_PAGECOLUMNS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

struct column {
	const char *name; /* a constant */
	char kind; /* 'u': LEB128 of each; 'd': zigzag LEB128 of the step from the one before */
	uint64_t n, last;
	struct buf bytes;
};

struct pagecolumns {
	VEC(struct column) v;
};

void pagecolumns_deinit(struct pagecolumns *c);
/* Valid until the next one is begun. */
struct column *pagecolumns_begin(struct pagecolumns *c, const char *name, char kind);
void column_put(struct column *c, uint64_t value);
/* As JSON: [["name","u",n,bytes],…] */
void pagecolumns_list(const struct pagecolumns *c, struct buf *json);
void pagecolumns_bytes(const struct pagecolumns *c, struct buf *ret);

#endif
