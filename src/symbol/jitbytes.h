/* The bytes of code that a JIT compiler made, from its jitdump file while that is still there. */
#ifndef SYMBOL_JITBYTES_H
#define SYMBOL_JITBYTES_H

#include "sample/binaries.h"
#include "symbol/jitdump.h"

/* Reads the dump that the process of `anon` (BINARY_KIND_ANON) mapped while it was recorded: a file
 * of that path, device and inode. Fails if there was none, or it is there no more. */
ERR_CHECK struct err *jitbytes_open(const struct binaries *binaries, const struct binary *anon,
				    struct jitdump *ret);

/* The code called `name` (NULL: whatever) that was at `addr`, with bytes. Fails if there was none,
 * or several that are not the same. Valid as long as `d`. */
ERR_CHECK struct err *jitbytes_find(const struct jitdump *d, uint64_t addr, const char *name,
				    const struct jitdump_code **ret);

#endif
