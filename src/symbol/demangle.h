/* Raw symbol names → names as written in the source: C++ (Itanium), Rust (legacy and v0, without
 * hashes) and D, through libiberty; Swift through its own library. Without parameter lists, as perf
 * prints them, so that outputs of the two compare. */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stdbool.h>

enum {
	DEMANGLE_IN_MAX = 64 << 10,  /* longer raw names stay as they are */
	DEMANGLE_OUT_MAX = 64 << 10, /* so do names that would expand to more than this */
};

/* False in a build without libiberty: then every name but those of Swift stays raw. */
bool demangle_available(void);
/* Owned by the caller; NULL if the raw name is the one to show: not mangled, rejected by the
 * library, or beyond the bounds above. */
char *demangle(const char *raw);

#endif
