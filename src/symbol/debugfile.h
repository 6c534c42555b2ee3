/* The separate debug file of a binary, in gdb's order ("Debugging Information in Separate Files" in
 * its manual): by build-id in each debug directory; then by the name in .gnu_debuglink beside the
 * binary, in .debug/ there, and under each debug directory at the binary's path. A file is taken
 * only if its build-id is the binary's; without build-ids its CRC must be the one in the link. */
#ifndef SYMBOL_DEBUGFILE_H
#define SYMBOL_DEBUGFILE_H

#include "base/diag.h"
#include "model/elffile.h"

struct debugfile_search {
	const char *const *dirs; /* searched first, before /usr/lib/debug */
	size_t n_dirs;
	const char
		*sysroot; /* put before the paths of binaries and of /usr/lib/debug; NULL: none */
	bool debuginfod;  /* ask servers too, once everything else failed */
};

/* `file` is the binary's; `path` where it was mapped from. NULL: none found; a file that was there
 * and was not taken is reported to `diag` with the reason. The caller destroys it, and frees
 * `ret_path`, where it was (NULL: on a server). */
struct elffile *debugfile_find(const struct debugfile_search *search, struct elffile *file,
			       const char *path, struct diag *diag, char **ret_path);

/* The file that dwz(1) moved common parts to (.gnu_debugaltlink), of a file with DWARF. Its name is
 * taken relative to `path`, that file's own. NULL as above. */
struct elffile *debugfile_alt(const struct debugfile_search *search, struct elffile *file,
			      const char *path, struct diag *diag);

#endif
