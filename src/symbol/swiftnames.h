/* Names of Swift, which only Swift's own library reads: loaded when the first such name comes
 * (include/swift/SwiftDemangle/SwiftDemangle.h). */
#ifndef SYMBOL_SWIFTNAMES_H
#define SYMBOL_SWIFTNAMES_H

#include <stdbool.h>
#include <stddef.h>

/* By its prefix. */
bool swiftnames_is(const char *raw);
/* The name of the library that the loader does not find; NULL: it is there. */
const char *swiftnames_missing(void);
/* Without modules, as "fib(_:)" or "Tree.insert(_:)"; parameters are part of a name there. Owned by
 * the caller; NULL: not one, no library, or longer than `max`. */
char *swiftnames_readable(const char *raw, size_t max);

#endif
