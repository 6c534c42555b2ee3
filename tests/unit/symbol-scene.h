/* A stage for tests of the symbolizer: one ELF file, one dataset that knows it as "/opt/prog".
 * Every function fails the running test where something is not as it should be. */
#ifndef UNIT_SYMBOL_SCENE_H
#define UNIT_SYMBOL_SCENE_H

#include "support/elfprog.h"
#include "symbol/symbolizer.h"

/* A dataset with one binary and a symbolizer for it. */
struct scene {
	struct elfprog elf;
	struct dataset data;
	struct diag diag;
	struct symbolizer *symbolizer;
	uint32_t binary;
};

void scene_begin(struct scene *s);
void scene_end(struct scene *s);
/* After the file has been described: it becomes the binary "/opt/prog", by descriptor. */
void scene_file(struct scene *s);
/* Another binary instead. */
void scene_add_binary(struct scene *s, const struct binary *like);

/* Names the place at this offset of the binary. */
const struct name_entry *entry_at(struct scene *s, uint64_t off);
const char *entry_name(struct scene *s, const struct name_entry *e);
/* Of the place at offset `at` of the text. */
const char *name_at(struct scene *s, uint64_t at);
unsigned int flags_at(struct scene *s, uint64_t at);

/* A global function. */
void func(struct scene *s, const char *name, uint64_t at, uint64_t size);

#endif
