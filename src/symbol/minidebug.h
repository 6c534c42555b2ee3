/* .gnu_debugdata ("MiniDebugInfo" in gdb's manual): an xz-compressed ELF file inside a stripped
 * one, with the symbols that .dynsym lacks. */
#ifndef SYMBOL_MINIDEBUG_H
#define SYMBOL_MINIDEBUG_H

#include "model/elffile.h"

/* NULL in `ret` if the file has none. Fails if it is damaged, or the build has no liblzma. */
ERR_CHECK struct err *minidebug_open(struct elffile *file, struct elffile **ret);

#endif
