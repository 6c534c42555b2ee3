/* The boot a recording was made on: only the same boot's kernel has the same code at the same
 * addresses. */
#ifndef SYMBOL_BOOT_H
#define SYMBOL_BOOT_H

#include <stdbool.h>

/* Whether boot_id is the running kernel's (/proc/sys/kernel/random/boot_id); "" is no boot's. */
bool boot_is_this(const char *boot_id);

#endif
