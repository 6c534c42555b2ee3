/* Binaries: what a frame's offset is an offset into. A binary's number means the same for the
 * whole run. What is known of one may grow (a build-id is read once the file is open), its number
 * and kind do not change. */
#ifndef SAMPLE_BINARIES_H
#define SAMPLE_BINARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "base/vec.h"

/* The numbers are those of the recording format. */
enum binary_kind {
	BINARY_KIND_UNKNOWN = 0, /* code that no mapping covers; offset = address */
	BINARY_KIND_KERNEL = 1,  /* offset = address */
	BINARY_KIND_FILE = 2,    /* offset = file offset */
	BINARY_KIND_VDSO = 3,    /* offset = offset into the vdso image */
	BINARY_KIND_ANON = 4,    /* one process's code in no file (JIT); offset = address */
	BINARY_KIND_TEXT = 5,    /* names from a text importer; offset = number of the string */
};

/* Always there, in every table of binaries. */
enum {
	BINARY_UNKNOWN = 0,
	BINARY_KERNEL = 1,
};

enum { BUILD_ID_MAX = 32 };

struct binary {
	enum binary_kind kind;
	char *path; /* as mapped, without " (deleted)"; owned; never NULL */
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_len; /* 0: not known, or none */
	bool deleted;         /* the path named no file any more when it was mapped or opened */
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation; /* BINARY_KIND_ANON: inode is the generation (below) */
	uint64_t mtime_ns;                /* of the opened file; 0: not known */
	uint64_t size;                    /* of the opened file; 0: not known */
	uint32_t pid;                     /* BINARY_KIND_ANON: whose; else 0 */
	uint32_t revision;                /* goes up with every change after binaries_add() */
};

struct binaries {
	VEC(struct binary) v;
	struct table table;
};

void binaries_init(struct binaries *b);
void binaries_deinit(struct binaries *b);
/* The number of the binary with this kind, path, device, inode, generation, build-id and pid;
 * made (strings copied) if new. `mtime_ns`, `size`, `deleted` and `revision` do not count. */
uint32_t binaries_add(struct binaries *b, const struct binary *like);

/* Code in no file that took the place of other code (codetimes.h): `binary`, a BINARY_KIND_ANON, as
 * a binary of its own, one for each `generation` from 1 on; made if new. */
uint32_t binaries_generation(struct binaries *b, uint32_t binary, uint32_t generation);

static inline struct binary *binaries_get(const struct binaries *b, uint32_t id)
{
	return &b->v.v[id];
}

/* By number of a binary, the number of the first that is the same file. Several are: a mapping is
 * known by its build-id or by its inode, as the kernel could tell, and /proc knows no generation of
 * an inode. Generations of code in no file count as one, too. Owned by the caller; good until a
 * binary is added or learns of its build-id. */
uint32_t *binaries_same(const struct binaries *b);

/* The part of the path after the last '/'; "[kernel]", "[unknown]", "[vdso]", "[anon]", "[heap]" …
 * for those without one. Valid as long as the binary. */
const char *binary_name(const struct binary *b);

#endif
