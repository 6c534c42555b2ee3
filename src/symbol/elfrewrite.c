/* In: sections, some compressed. Out: an ELF file of them that libdw can read. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "symbol/elfrewrite.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Debug information of one section larger than this is taken for damage. */
static const uint64_t SECTION_MAX = 8ULL << 30;

/* Of a section whose `len` bytes come next in the file. */
static void add_header(struct elfrewrite *w, const char *name, Elf64_Word type, uint64_t len)
{
	Elf64_Shdr sh = {
		.sh_name = (Elf64_Word)w->names.len,
		.sh_type = type,
		.sh_size = len,
	};

	if (type != SHT_NULL) {
		sh.sh_offset = w->out.len;
		sh.sh_addralign = 1;
	}
	buf_cstr(&w->names, name);
	buf_bytes(&w->headers, &sh, sizeof(sh));
}

void elfrewrite_init(struct elfrewrite *w, const GElf_Ehdr *like)
{
	Elf64_Ehdr eh = { .e_type = like->e_type, .e_machine = like->e_machine };

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	eh.e_version = EV_CURRENT;
	eh.e_ehsize = sizeof(eh);
	eh.e_shentsize = sizeof(Elf64_Shdr);
	*w = (struct elfrewrite){ 0 };
	buf_bytes(&w->out, &eh, sizeof(eh));
	add_header(w, "", SHT_NULL, 0);
}

void elfrewrite_deinit(struct elfrewrite *w)
{
	buf_deinit(&w->out);
	buf_deinit(&w->names);
	buf_deinit(&w->headers);
}

static void pad(struct buf *b)
{
	while (b->len & 7)
		buf_u8(b, 0);
}

void elfrewrite_add(struct elfrewrite *w, const char *name, const void *data, size_t len)
{
	pad(&w->out);
	add_header(w, name, SHT_PROGBITS, len);
	buf_bytes(&w->out, data, len);
}

struct err *elfrewrite_finish(struct elfrewrite *w)
{
	size_t n = w->headers.len / sizeof(Elf64_Shdr) + 1;

	if (n >= SHN_LORESERVE)
		return err_new("too many sections of debug information");
	add_header(w, ".shstrtab", SHT_STRTAB, w->names.len + sizeof(".shstrtab"));
	buf_bytes(&w->out, w->names.data, w->names.len);
	pad(&w->out);
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)w->out.data;

	eh->e_shoff = w->out.len;
	eh->e_shnum = (Elf64_Half)n;
	eh->e_shstrndx = (Elf64_Half)(n - 1);
	buf_bytes(&w->out, w->headers.data, w->headers.len);
	return NULL;
}

struct err *elfrewrite_write(const struct elfrewrite *w, int fd)
{
	for (size_t done = 0; done < w->out.len;) {
		ssize_t n = write(fd, w->out.data + done, w->out.len - done);

		if (n < 0 && errno != EINTR)
			return err_sys(errno, "cannot write debug information to a temporary file");
		done += n > 0 ? (size_t)n : 0;
	}
	return NULL;
}

static bool is_zstd(Elf_Scn *scn, GElf_Chdr *ret)
{
	return gelf_getchdr(scn, ret) && ret->ch_type == ELFCOMPRESS_ZSTD;
}

static bool is_debug(const char *name)
{
	return name && (!strncmp(name, ".debug", 6) || !strncmp(name, ".zdebug", 7));
}

#ifdef HAVE_LIBZSTD
static struct err *add_zstd(struct elfrewrite *w, const char *name, Elf_Scn *scn,
			    const GElf_Chdr *ch)
{
	Elf_Data *raw = elf_rawdata(scn, NULL);
	const size_t skip = sizeof(Elf64_Chdr);

	if (!raw || !raw->d_buf || raw->d_size < skip)
		return err_new("damaged section %s", name);
	const uint8_t *from = (const uint8_t *)raw->d_buf + skip;
	unsigned long long says = ZSTD_getFrameContentSize(from, raw->d_size - skip);

	/* Both sizes are claims of the file; the frame's is what the library goes by. */
	if (ch->ch_size > SECTION_MAX || (says != ZSTD_CONTENTSIZE_UNKNOWN && says != ch->ch_size))
		return err_new("section %s claims a size that is not its own", name);
	/* Nothing expands by more than this: blocks of 128 KiB from three bytes. */
	if (ch->ch_size / (128 << 10) > (raw->d_size - skip) / 3)
		return err_new("section %s claims an impossible size", name);
	pad(&w->out);
	buf_room(&w->out, ch->ch_size);
	size_t n = ZSTD_decompress(w->out.data + w->out.len, ch->ch_size, from, raw->d_size - skip);

	if (ZSTD_isError(n) || n != ch->ch_size)
		return err_new("damaged zstd data in section %s", name);
	add_header(w, name, SHT_PROGBITS, n);
	w->out.len += n;
	return NULL;
}
#else
static struct err *add_zstd(struct elfrewrite *w, const char *name, Elf_Scn *scn,
			    const GElf_Chdr *ch)
{
	(void)w, (void)scn, (void)ch;
	return err_new("section %s is compressed with zstd, which this build can't read", name);
}
#endif

/* A section as it is: libdw decompresses zlib itself. */
static struct err *add_as_is(struct elfrewrite *w, const char *name, Elf_Scn *scn,
			     const GElf_Shdr *sh)
{
	Elf_Data *raw = elf_rawdata(scn, NULL);

	if (!raw || (!raw->d_buf && raw->d_size))
		return err_new("damaged section %s", name);
	elfrewrite_add(w, name, raw->d_buf, raw->d_size);
	Elf64_Shdr *ours = (Elf64_Shdr *)(void *)(w->headers.data + w->headers.len) - 1;

	ours->sh_flags = sh->sh_flags & SHF_COMPRESSED;
	return NULL;
}

struct err *elfrewrite_debug_sections(struct elfrewrite *w, Elf *elf)
{
	size_t names;

	if (gelf_getclass(elf) != ELFCLASS64)
		return err_new("a 32-bit file with debug information in a form libdw can't read");
	if (elf_getshdrstrndx(elf, &names))
		return err_new("damaged section names");
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		GElf_Chdr ch;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (!is_debug(name) || sh.sh_type == SHT_NOBITS)
			continue;
		if (is_zstd(scn, &ch))
			TRY(add_zstd(w, name, scn, &ch));
		else
			TRY(add_as_is(w, name, scn, &sh));
	}
	return NULL;
}

bool elfrewrite_has_zstd(Elf *elf)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		GElf_Chdr ch;

		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_COMPRESSED) &&
		    is_debug(elf_strptr(elf, names, sh.sh_name)) && is_zstd(scn, &ch))
			return true;
	}
	return false;
}
