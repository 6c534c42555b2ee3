/* In: a name. Out: the section of that name. */
#include "model/elfsection.h"

#include <gelf.h>
#include <string.h>

Elf_Scn *elfsection_find(Elf *elf, const char *name)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const char *has =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (has && !strcmp(has, name))
			return scn;
	}
	return NULL;
}

const Elf_Data *elfsection_data(Elf *elf, const char *name)
{
	Elf_Scn *scn = elfsection_find(elf, name);
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
		return NULL;
	if ((sh.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
		return NULL;
	const Elf_Data *data = elf_rawdata(scn, NULL);

	return data && data->d_buf && data->d_size ? data : NULL;
}
