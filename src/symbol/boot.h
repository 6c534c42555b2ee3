/* The boot a recording was made on: only the same boot's kernel has the same code at the same
 * addresses. */
#ifndef SYMBOL_BOOT_H
#define SYMBOL_BOOT_H

#include <stdbool.h>

#include "sample/dataset.h"

/* Whether boot_id is the running kernel's (/proc/sys/kernel/random/boot_id); "" is no boot's. */
bool boot_is_this(const char *boot_id);

/* Whether the running kernel's symbols are those of the kernel that was recorded: the same boot;
 * or, where an imported file does not name the boot, the same build of the kernel, or at least the
 * same release on a host of this name; in either case _stext is to be compared too. */
bool boot_serves(const struct meta *meta);

#endif
