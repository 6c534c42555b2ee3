/* In: this process's own vdso. Out: an ELF file in memory. */
#include "model/vdso.h"

#include <string.h>
#include <sys/auxv.h>

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr vdso_ehdr;
typedef Elf64_Phdr vdso_phdr;
#else
typedef Elf32_Ehdr vdso_ehdr;
typedef Elf32_Phdr vdso_phdr;
#endif

/* The kernel says where it begins, not how long it is: the headers do, and they are the kernel's
 * own. Section headers come last in the image. */
static size_t vdso_len(const uint8_t *image)
{
	vdso_ehdr ehdr;

	memcpy(&ehdr, image, sizeof(ehdr));
	size_t len = (size_t)ehdr.e_shoff + (size_t)ehdr.e_shnum * ehdr.e_shentsize;

	for (unsigned int i = 0; i < ehdr.e_phnum; i++) {
		vdso_phdr phdr;

		memcpy(&phdr, image + ehdr.e_phoff + (size_t)i * ehdr.e_phentsize, sizeof(phdr));
		if (phdr.p_type == PT_LOAD && phdr.p_offset + phdr.p_filesz > len)
			len = phdr.p_offset + phdr.p_filesz;
	}
	return len;
}

struct err *vdso_open(struct elffile **ret)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	if (!image || memcmp(image, ELFMAG, SELFMAG))
		return err_new("this process has no vdso");
	return elffile_open_memory(image, vdso_len(image), ret);
}
