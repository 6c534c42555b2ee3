/* In: an opened DWARF file. Out: cursors over its sections. */
#include "symbol/dwarfsections.h"

#include <gelf.h>
#include <string.h>

static const char *const names[DWARF_N_SECTIONS] = {
	[DWARF_INFO] = "info",         [DWARF_ABBREV] = "abbrev",     [DWARF_ADDR] = "addr",
	[DWARF_LINE] = "line",         [DWARF_STR] = "str",           [DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists", [DWARF_LINE_STR] = "line_str",
};

/* ".debug_info", ".zdebug_info" or ".debug_info.dwo"; DWARF_N_SECTIONS: none of ours. */
static enum dwarf_section section_of(const char *name)
{
	size_t len;

	if (!strncmp(name, ".debug_", 7))
		name += 7;
	else if (!strncmp(name, ".zdebug_", 8))
		name += 8;
	else
		return DWARF_N_SECTIONS;
	len = strlen(name);
	if (len > 4 && !strcmp(name + len - 4, ".dwo"))
		len -= 4;
	for (enum dwarf_section i = 0; i < DWARF_N_SECTIONS; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return i;
	return DWARF_N_SECTIONS;
}

void dwarfsections_init(struct dwarfsections *s, Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	size_t strings;

	*s = (struct dwarfsections){ 0 };
	if (elf_getshdrstrndx(elf, &strings))
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		const char *name = elf_strptr(elf, strings, sh.sh_name);
		enum dwarf_section i = name ? section_of(name) : DWARF_N_SECTIONS;
		/* libdw has expanded what it could when it opened the file. */
		const Elf_Data *data = i == DWARF_N_SECTIONS || (sh.sh_flags & SHF_COMPRESSED)
					       ? NULL
					       : elf_rawdata(scn, NULL);

		if (data && data->d_buf && data->d_size && !s->of[i].p)
			s->of[i] = cursor(data->d_buf, data->d_size);
	}
}

struct cursor dwarfsections_at(const struct dwarfsections *s, enum dwarf_section section,
			       uint64_t off)
{
	struct cursor c = s->of[section];

	if (!c.p || off > cursor_left(&c))
		return (struct cursor){ .failed = true };
	return cursor(c.p + off, cursor_left(&c) - off);
}

const char *dwarfsections_str(const struct dwarfsections *s, enum dwarf_section section,
			      uint64_t off)
{
	struct cursor c = dwarfsections_at(s, section, off);

	return c.failed ? NULL : cursor_cstr(&c);
}
