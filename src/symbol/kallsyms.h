/* The running kernel's symbols, as in /proc/kallsyms: "ADDRESS TYPE NAME[\t[MODULE]]" a line, types
 * as nm(1) prints them. There are no sizes: a function reaches to the next symbol of any type, and
 * no further than KALLSYMS_REACH, so that code between modules gets no neighbour's name. */
#ifndef SYMBOL_KALLSYMS_H
#define SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/err.h"

struct kallsyms;

enum { KALLSYMS_REACH = 256 << 10 };

/* Lines that make no sense are skipped. A file that hides its addresses (all zero) gives an empty
 * table and a warning that names the sysctl; fails only if the file cannot be read. */
ERR_CHECK struct err *kallsyms_load(const char *path, struct diag *diag, struct kallsyms **ret);
void kallsyms_destroy(struct kallsyms *k);

/* No function has an address. */
bool kallsyms_is_empty(const struct kallsyms *k);
/* The function that covers addr; NULL if none. Valid as long as k. */
const char *kallsyms_find(const struct kallsyms *k, uint64_t addr);
/* The address of _stext; 0 if not listed. */
uint64_t kallsyms_stext(const struct kallsyms *k);

DEFINE_CLEANUP(struct kallsyms *, kallsyms_destroy);

#endif
