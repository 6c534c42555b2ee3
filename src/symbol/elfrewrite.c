/* In: sections, some compressed. Out: an ELF file of them that libdw can read. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "symbol/elfrewrite.h"

#include <string.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Debug information of one section larger than this is taken for damage. */
static const uint64_t SECTION_MAX = 8ULL << 30;

/* Of a section that begins at `off` in the file and ends where the file does so far. */
static void add_header(struct elfrewrite *w, const char *name, Elf64_Word type, uint64_t off)
{
	Elf64_Shdr sh = { .sh_name = (Elf64_Word)w->names.len, .sh_type = type };

	if (type != SHT_NULL) {
		sh.sh_offset = off;
		sh.sh_size = w->out.len - off;
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
	uint64_t off = w->out.len;

	buf_bytes(&w->out, data, len);
	add_header(w, name, SHT_PROGBITS, off);
}

struct err *elfrewrite_open(struct elfrewrite *w, Elf **ret)
{
	size_t n = w->headers.len / sizeof(Elf64_Shdr) + 1;
	uint64_t off = w->out.len;

	if (n >= SHN_LORESERVE)
		return err_new("too many sections of debug information");
	/* Its own name is in it. */
	size_t names_len = w->names.len;

	buf_cstr(&w->names, ".shstrtab");
	buf_bytes(&w->out, w->names.data, w->names.len);
	w->names.len = names_len;
	add_header(w, ".shstrtab", SHT_STRTAB, off);
	pad(&w->out);
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)w->out.data;

	eh->e_shoff = w->out.len;
	eh->e_shnum = (Elf64_Half)n;
	eh->e_shstrndx = (Elf64_Half)(n - 1);
	buf_bytes(&w->out, w->headers.data, w->headers.len);
	*ret = elf_memory((char *)w->out.data, w->out.len);
	return *ret ? NULL : err_new("%s", elf_errmsg(-1));
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
static struct err *append_zstd(struct elfrewrite *w, const char *name, Elf_Scn *scn,
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
	buf_room(&w->out, ch->ch_size);
	size_t n = ZSTD_decompress(w->out.data + w->out.len, ch->ch_size, from, raw->d_size - skip);

	if (ZSTD_isError(n) || n != ch->ch_size)
		return err_new("damaged zstd data in section %s", name);
	w->out.len += n;
	return NULL;
}
#else
static struct err *append_zstd(struct elfrewrite *w, const char *name, Elf_Scn *scn,
			       const GElf_Chdr *ch)
{
	(void)w, (void)scn, (void)ch;
	return err_new("section %s is compressed with zstd, which this build can't read", name);
}
#endif

/* The bytes of a section, decompressed. */
static struct err *append(struct elfrewrite *w, const char *name, Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Chdr ch;

	if (is_zstd(scn, &ch))
		return append_zstd(w, name, scn, &ch);
	if ((sh->sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
		return err_new("damaged section %s: %s", name, elf_errmsg(-1));
	Elf_Data *raw = elf_rawdata(scn, NULL);

	if (!raw || (!raw->d_buf && raw->d_size))
		return err_new("damaged section %s", name);
	buf_bytes(&w->out, raw->d_buf, raw->d_size);
	return NULL;
}

/* The name of a section of debug information with bytes; NULL: it is something else. */
static const char *debug_name(Elf *elf, size_t names, Elf_Scn *scn, GElf_Shdr *sh)
{
	const char *name = gelf_getshdr(scn, sh) ? elf_strptr(elf, names, sh->sh_name) : NULL;

	return is_debug(name) && sh->sh_type != SHT_NOBITS ? name : NULL;
}

static bool is_units(const char *name)
{
	return !strcmp(name, ".debug_info.dwo");
}

/* Units of split DWARF tell others by signature, not by place: all sections make one. */
static struct err *append_units(struct elfrewrite *w, Elf *elf, size_t names, Elf_Scn *scn)
{
	for (; scn; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr sh;
		const char *name = debug_name(elf, names, scn, &sh);

		if (name && is_units(name))
			TRY(append(w, name, scn, &sh));
	}
	return NULL;
}

static struct err *add_debug_sections(struct elfrewrite *w, Elf *elf)
{
	bool has_units = false;
	size_t names;

	if (gelf_getclass(elf) != ELFCLASS64)
		return err_new("a 32-bit file with debug information in a form libdw can't read");
	if (elf_getshdrstrndx(elf, &names))
		return err_new("damaged section names");
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const char *name = debug_name(elf, names, scn, &sh);

		if (!name || (is_units(name) && has_units))
			continue;
		pad(&w->out);
		uint64_t off = w->out.len;

		has_units |= is_units(name);
		TRY(is_units(name) ? append_units(w, elf, names, scn) : append(w, name, scn, &sh));
		add_header(w, name, SHT_PROGBITS, off);
	}
	return NULL;
}

struct err *elfrewrite_copy(struct elfrewrite *w, Elf *elf, Elf **ret)
{
	GElf_Ehdr eh;

	*w = (struct elfrewrite){ 0 };
	if (!gelf_getehdr(elf, &eh))
		return err_new("damaged ELF header");
	elfrewrite_init(w, &eh);
	TRY(add_debug_sections(w, elf));
	return elfrewrite_open(w, ret);
}

bool elfrewrite_is_needed(Elf *elf)
{
	unsigned int n_units = 0;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		GElf_Chdr ch;
		const char *name = debug_name(elf, names, scn, &sh);

		if (!name)
			continue;
		n_units += is_units(name);
		if (n_units > 1 || ((sh.sh_flags & SHF_COMPRESSED) && is_zstd(scn, &ch)))
			return true;
	}
	return false;
}
