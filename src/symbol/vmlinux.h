/* The kernel's own file: names with inlined calls and lines for the kernel of that very build. */
#ifndef SYMBOL_VMLINUX_H
#define SYMBOL_VMLINUX_H

#include "model/elffile.h"
#include "sample/dataset.h"

/* Fails if `path` is not the kernel that recorded (build-id), or nothing says how far that was
 * shifted from where it was linked (_stext of both). `ret_shift`: as run minus as linked. */
ERR_CHECK struct err *vmlinux_open(const char *path, const struct meta *meta, struct elffile **ret,
				   uint64_t *ret_shift);

/* Whether the as-linked address is the kernel's own code, no module's. A debug file knows as well:
 * what it lacks are the bytes. */
bool vmlinux_is_code(struct elffile *file, uint64_t svma);

#endif
