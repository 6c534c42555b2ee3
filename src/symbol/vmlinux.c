/* In: a path, and what a recording says of its kernel. Out: the file, and its shift in memory. */
#include "symbol/vmlinux.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>

static bool find_symbol(Elf *elf, const char *name, uint64_t *ret)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		GElf_Sym sym;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize ||
		    !(data = elf_getdata(scn, NULL)))
			continue;
		for (size_t i = 0; i < data->d_size / sh.sh_entsize && i < INT32_MAX; i++) {
			const char *have = gelf_getsym(data, (int)i, &sym)
						   ? elf_strptr(elf, sh.sh_link, sym.st_name)
						   : NULL;

			if (have && !strcmp(have, name)) {
				*ret = sym.st_value;
				return true;
			}
		}
	}
	return false;
}

struct err *vmlinux_open(const char *path, const struct meta *meta, struct elffile **ret,
			 uint64_t *ret_shift)
{
	CLEANUP(elffile_destroy) struct elffile *file = NULL;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint8_t id[BUILD_ID_MAX];
	uint64_t stext;

	if (fd < 0)
		return err_sys(errno, "cannot open %s", path);
	TRY(elffile_open(fd, &file));
	size_t len = elffile_build_id(file, id);

	if (!len || !meta->kernel_build_id_len)
		return err_new("%s is not used: no build-id says that it is the kernel that "
			       "recorded",
			       path);
	if (len != meta->kernel_build_id_len || memcmp(id, meta->kernel_build_id, len) != 0)
		return err_new("%s is not used: its build-id is not that of the kernel that "
			       "recorded",
			       path);
	if (!meta->kernel_stext || !find_symbol(elffile_elf(file), "_stext", &stext))
		return err_new("%s is not used: where the kernel lay in memory is not known "
			       "(_stext)",
			       path);
	*ret_shift = meta->kernel_stext - stext;
	*ret = take_ptr(file);
	return NULL;
}

bool vmlinux_is_code(struct elffile *file, uint64_t svma)
{
	Elf *elf = elffile_elf(file);
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && (ph.p_flags & PF_X) &&
		    svma >= ph.p_vaddr && svma - ph.p_vaddr < ph.p_memsz)
			return true;
	}
	return false;
}
