/* In: an open file or an image in memory. Out: who it is, where its code lies, what its addresses
 * mean. */
#include "model/elffile.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "model/fdes.h"
#include "model/filebytes.h"

enum { NOTES_MAX = 1 << 20 }; /* bytes of notes searched for a build-id; they come first */

struct segment {
	uint64_t off, svma, len; /* len: bytes in the file */
	bool exec;
};

struct elffile {
	int fd; /* -1: from memory */
	struct filebytes bytes;
	Elf *elf;
	GElf_Ehdr ehdr;
	VEC(struct segment) segments; /* PT_LOAD, executable ones first, else as in the file */
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len;
	bool has_fdes;
	struct fdes fdes;
};

void elffile_destroy(struct elffile *f)
{
	if (!f)
		return;
	if (f->elf)
		elf_end(f->elf);
	if (f->has_fdes)
		fdes_deinit(&f->fdes);
	vec_deinit(&f->segments);
	filebytes_deinit(&f->bytes);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

/* Looks through notes (elf(5), "Notes") for a GNU build-id. */
static void elffile_search_notes(struct elffile *f, uint64_t off, uint64_t len, uint64_t align)
{
	const uint8_t *bytes = filebytes_get(&f->bytes, off, len < NOTES_MAX ? len : NOTES_MAX);

	if (!bytes || f->build_id_len)
		return;
	uint64_t pad = align == 8 ? 7 : 3;
	struct cursor c = cursor(bytes, (size_t)(len < NOTES_MAX ? len : NOTES_MAX));

	while (cursor_left(&c) && !c.failed) {
		uint64_t name_len = cursor_u32(&c), desc_len = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const uint8_t *name = cursor_bytes(&c, name_len);

		cursor_skip(&c, -cursor_offset(&c) & pad);
		const uint8_t *desc = cursor_bytes(&c, desc_len);

		if (!c.failed && type == NT_GNU_BUILD_ID && name_len == 4 &&
		    !memcmp(name, "GNU", 4) && desc_len && desc_len <= BUILD_ID_MAX) {
			memcpy(f->build_id, desc, desc_len);
			f->build_id_len = desc_len;
			return;
		}
		uint64_t gap = -cursor_offset(&c) & pad;

		/* The last note's padding may be missing. */
		cursor_skip(&c, gap < cursor_left(&c) ? gap : cursor_left(&c));
	}
}

static void elffile_read_segments(struct elffile *f, size_t n)
{
	VEC(struct segment) others = { 0 };

	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(f->elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_NOTE)
			elffile_search_notes(f, ph.p_offset, ph.p_filesz, ph.p_align);
		if (ph.p_type == PT_GNU_EH_FRAME) {
			f->fdes.hdr_svma = ph.p_vaddr;
			f->fdes.hdr_len = ph.p_filesz;
		}
		if (ph.p_type != PT_LOAD || !ph.p_filesz)
			continue;
		struct segment s = {
			.off = ph.p_offset,
			.svma = ph.p_vaddr,
			.len = ph.p_filesz,
			.exec = ph.p_flags & PF_X,
		};

		if (s.exec)
			vec_push(&f->segments, s);
		else
			vec_push(&others, s);
	}
	for (size_t i = 0; i < others.n; i++)
		vec_push(&f->segments, others.v[i]);
	vec_deinit(&others);
}

static void elffile_read_sections(struct elffile *f)
{
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names))
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type == SHT_NOTE)
			elffile_search_notes(f, sh.sh_offset, sh.sh_size, sh.sh_addralign);
		if (sh.sh_type == SHT_NOBITS || !(sh.sh_flags & SHF_ALLOC))
			continue;
		const char *name = elf_strptr(f->elf, names, sh.sh_name);

		if (name && !strcmp(name, ".eh_frame")) {
			f->fdes.frame_svma = sh.sh_addr;
			f->fdes.frame_off = sh.sh_offset;
			f->fdes.frame_len = sh.sh_size;
		}
	}
}

static struct err *elffile_read(struct elffile *f)
{
	size_t n_segments;

	if (!f->elf)
		return err_new("not an ELF file: %s", elf_errmsg(-1));
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &f->ehdr))
		return err_new("not an ELF file");
	if (f->ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return err_new("an ELF file of the other byte order");
	if (elf_getphdrnum(f->elf, &n_segments))
		return err_new("damaged ELF file: %s", elf_errmsg(-1));
	elffile_read_segments(f, n_segments);
	elffile_read_sections(f);
	return NULL;
}

static struct elffile *elffile_new(void)
{
	struct elffile *f = xcalloc(1, sizeof(*f));

	elf_version(EV_CURRENT);
	f->fd = -1;
	f->bytes.fd = -1;
	return f;
}

struct err *elffile_open(int fd, struct elffile **ret)
{
	CLEANUP(elffile_destroy) struct elffile *f = elffile_new();

	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (f->fd < 0)
		return err_sys(errno, "duplicate a descriptor");
	TRY(filebytes_init(&f->bytes, f->fd));
	/* Not ELF_C_READ_MMAP, for the reason given in filebytes.h: this reads what is asked for.
	 */
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	TRY(elffile_read(f));
	*ret = take_ptr(f);
	return NULL;
}

struct err *elffile_open_memory(const void *image, size_t len, struct elffile **ret)
{
	CLEANUP(elffile_destroy) struct elffile *f = elffile_new();

	TRY(filebytes_init_memory(&f->bytes, image, len));
	f->elf = elf_memory((char *)f->bytes.data, len);
	TRY(elffile_read(f));
	*ret = take_ptr(f);
	return NULL;
}

Elf *elffile_elf(struct elffile *f)
{
	return f->elf;
}

int elffile_fd(const struct elffile *f)
{
	return f->fd;
}

uint16_t elffile_machine(const struct elffile *f)
{
	return f->ehdr.e_machine;
}

bool elffile_is_64bit(const struct elffile *f)
{
	return f->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

uint64_t elffile_size(const struct elffile *f)
{
	return f->bytes.size;
}

uint64_t elffile_entry(const struct elffile *f)
{
	return f->ehdr.e_entry;
}

bool elffile_eh_frame_hdr(const struct elffile *f, uint64_t *ret_svma, uint64_t *ret_len)
{
	*ret_svma = f->fdes.hdr_svma;
	*ret_len = f->fdes.hdr_len;
	return f->fdes.hdr_len;
}

size_t elffile_build_id(const struct elffile *f, uint8_t ret[BUILD_ID_MAX])
{
	memcpy(ret, f->build_id, f->build_id_len);
	return f->build_id_len;
}

static uint64_t stat_mtime_ns(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
}

/* Without a build-id on both sides: does anything known of the binary contradict the file? */
static bool stat_fits(const struct stat *st, const struct binary *binary)
{
	if (binary->inode &&
	    (binary->inode != st->st_ino || binary->dev_major != major(st->st_dev) ||
	     binary->dev_minor != minor(st->st_dev)))
		return false;
	if (binary->mtime_ns && binary->mtime_ns != stat_mtime_ns(st))
		return false;
	return !binary->size || binary->size == (uint64_t)st->st_size;
}

bool elffile_identify(const struct elffile *f, struct binary *binary)
{
	bool by_build_id = binary->build_id_len && f->build_id_len;
	struct stat st = { 0 };

	if (f->fd >= 0 && fstat(f->fd, &st))
		return false;
	if (by_build_id && (binary->build_id_len != f->build_id_len ||
			    memcmp(binary->build_id, f->build_id, f->build_id_len) != 0))
		return false;
	/* The kernel, or whoever opened the right file, saw a build-id that this one lacks. */
	if (binary->build_id_len && !f->build_id_len)
		return false;
	if (!by_build_id && f->fd >= 0 && !stat_fits(&st, binary))
		return false;
	if (f->fd >= 0) {
		binary->mtime_ns = stat_mtime_ns(&st);
		binary->size = (uint64_t)st.st_size;
	}
	if (!binary->build_id_len) {
		memcpy(binary->build_id, f->build_id, f->build_id_len);
		binary->build_id_len = (uint8_t)f->build_id_len;
	}
	binary->revision++;
	return true;
}

bool elffile_off_to_svma(const struct elffile *f, uint64_t off, uint64_t *ret)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const struct segment *s = &f->segments.v[i];

		if (off >= s->off && off - s->off < s->len) {
			*ret = s->svma + (off - s->off);
			return true;
		}
	}
	return false;
}

static const struct segment *elffile_segment(const struct elffile *f, uint64_t svma)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const struct segment *s = &f->segments.v[i];

		if (svma >= s->svma && svma - s->svma < s->len)
			return s;
	}
	return NULL;
}

bool elffile_svma_to_off(const struct elffile *f, uint64_t svma, uint64_t *ret)
{
	const struct segment *s = elffile_segment(f, svma);

	if (!s)
		return false;
	*ret = s->off + (svma - s->svma);
	return true;
}

bool elffile_is_code(const struct elffile *f, uint64_t svma)
{
	const struct segment *s = elffile_segment(f, svma);

	return s && s->exec;
}

const uint8_t *elffile_bytes(struct elffile *f, uint64_t svma, uint64_t len)
{
	const struct segment *s = elffile_segment(f, svma);
	uint64_t at = s ? svma - s->svma : 0;

	if (!s || len > s->len - at || s->off > UINT64_MAX - at)
		return NULL;
	return filebytes_get(&f->bytes, s->off + at, len);
}

const uint8_t *elffile_bytes_at(struct elffile *f, uint64_t off, uint64_t len)
{
	return filebytes_get(&f->bytes, off, len);
}

bool elffile_fde(struct elffile *f, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end)
{
	struct fde_range range;

	if (!f->has_fdes) {
		fdes_init(&f->fdes, f);
		f->has_fdes = true;
	}
	if (!fdes_find(&f->fdes, f, svma, &range))
		return false;
	*ret_start = range.start;
	*ret_end = range.end;
	return true;
}
