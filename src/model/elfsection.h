/* Sections of an ELF file by name. */
#ifndef MODEL_ELFSECTION_H
#define MODEL_ELFSECTION_H

#include <libelf.h>
#include <stdbool.h>

/* NULL if there is none. */
Elf_Scn *elfsection_find(Elf *elf, const char *name);
/* The section's bytes, decompressed; NULL if there is none with bytes in this file, or it is
 * damaged. Valid as long as the Elf. */
const Elf_Data *elfsection_data(Elf *elf, const char *name);

#endif
