/* Finding the file of a binary at report time: an open descriptor if there is one, else the path it
 * was mapped from. A file is taken only if it is the binary. */
#ifndef SYMBOL_LOCATE_H
#define SYMBOL_LOCATE_H

#include "model/elffile.h"
#include "sample/dataset.h"

struct located {
	struct elffile *file; /* owned by the caller; NULL: not found */
	char *why;            /* owned by the caller; if not found: "no such file",
				 "build-id differs: file 12…, recording 34…", … */
};

/* `fd` is -1 or a file of this binary that stays the caller's; `sysroot` (NULL: none) is tried
 * before the path itself. Fills in what the file tells of `binary` (build-id, mtime, size). */
struct located locate_file(struct binary *binary, int fd, const char *sysroot);

/* The vdso, which is in no file: this process's own where that boot recorded and no build-id says
 * otherwise. */
struct located locate_vdso(const struct binary *binary, const struct meta *meta);

#endif
