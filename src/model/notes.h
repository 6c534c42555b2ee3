/* Sections of ELF notes, as /sys/kernel/notes is one. */
#ifndef MODEL_NOTES_H
#define MODEL_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "sample/binaries.h"

/* The length of the build-id in the notes (elf(5), "Notes"); 0: none. */
size_t notes_build_id(const void *notes, size_t len, uint8_t ret[BUILD_ID_MAX]);

#endif
