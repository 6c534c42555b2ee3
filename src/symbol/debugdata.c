/* In: an ELF file. Out: its DWARF, wherever and however it is stored. */
#include "symbol/debugdata.h"

#include <stdlib.h>

#include "model/elfsection.h"
#include "symbol/debuginfod.h"
#include "symbol/minidebug.h"

static bool has_bytes(Elf *elf, const char *name)
{
	Elf_Scn *scn = elfsection_find(elf, name);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS;
}

static bool has_dwarf(struct elffile *file)
{
	Elf *elf = elffile_elf(file);

	return has_bytes(elf, ".debug_info") || has_bytes(elf, ".zdebug_info");
}

/* libdw looks for the file itself where it was given none, and takes one of another build: a file
 * of nothing keeps it from that. */
static Elf *no_alt(struct debugdata *d)
{
	GElf_Ehdr eh = { .e_type = ET_REL };

	elfrewrite_init(&d->no_alt, &eh);
	elfrewrite_add(&d->no_alt, ".debug_line", "", 1);
	elfrewrite_add(&d->no_alt, ".debug_str", "", 1);
	err_destroy(elfrewrite_open(&d->no_alt, &d->no_alt_elf));
	return d->no_alt_elf;
}

static void use_alt(struct debugdata *d, struct elffile *file, const char *path,
		    const struct debugfile_search *search, struct diag *diag)
{
	if (!elfsection_find(elffile_elf(file), ".gnu_debugaltlink"))
		return;
	d->alt = debugfile_alt(search, file, path, diag);
	d->alt_dwarf =
		dwarf_begin_elf(d->alt ? elffile_elf(d->alt) : no_alt(d), DWARF_C_READ, NULL);
	if (d->alt_dwarf)
		dwarf_setalt(d->dwarf, d->alt_dwarf);
}

/* libdw reads all sections of debug information at once: from a mapping, that costs nothing. NULL:
 * it has to read. */
static Elf *map_elf(struct debugdata *d, const struct elffile *file)
{
	int fd = elffile_fd(file);

	if (fd < 0)
		return NULL;
	_cleanup_err_ struct err *err = filemap_open(fd, &d->map);

	if (!err)
		d->mapped_elf = elf_memory(filemap_data(d->map), filemap_len(d->map));
	return d->mapped_elf;
}

static struct err *open_dwarf(struct debugdata *d, struct elffile *file)
{
	Elf *elf = map_elf(d, file) ?: elffile_elf(file);

	if (elfrewrite_is_needed(elf)) {
		TRY(elfrewrite_copy(&d->copy, elf, &d->copy_elf));
		elf = d->copy_elf;
	}
	d->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	return d->dwarf ? NULL : err_new("%s", dwarf_errmsg(-1));
}

static void complain(struct diag *diag, const char *path, const struct err *err)
{
	_cleanup_free_ char *cause = xasprintf("debug information %s", path);

	diag_add(diag, DIAG_WARNING, cause, "debug information of %s is not used: %s", path,
		 err_msg(err));
}

void debugdata_init(struct debugdata *d, struct elffile *file, const char *path,
		    const struct debugfile_search *search, struct diag *diag)
{
	bool whole = has_dwarf(file) && has_bytes(elffile_elf(file), ".symtab");
	_cleanup_free_ char *separate_path = NULL;

	*d = (struct debugdata){ 0 };
	/* libdw would ask servers by itself. */
	debuginfod_forbid();
	if (!whole)
		d->separate = debugfile_find(search, file, path, diag, &separate_path);
	if (!whole && !d->separate) {
		_cleanup_err_ struct err *err = minidebug_open(file, &d->mini);

		if (err)
			complain(diag, path, err);
	}
	struct elffile *from = has_dwarf(file) ? file : d->separate;

	if (!from || !has_dwarf(from))
		return;
	d->from_path = xstrdup(from == file || !separate_path ? path : separate_path);
	_cleanup_err_ struct err *err = open_dwarf(d, from);

	if (err) {
		complain(diag, path, err);
		return;
	}
	use_alt(d, from, d->from_path, search, diag);
	d->split = split_create(d->from_path, path, search, diag);
	d->info = debuginfo_create(d->dwarf, d->split);
	if (!debuginfo_has_units(d->info)) {
		debuginfo_destroy(d->info);
		d->info = NULL;
	}
}

void debugdata_deinit(struct debugdata *d)
{
	debuginfo_destroy(d->info);
	split_destroy(d->split);
	free(d->from_path);
	if (d->dwarf)
		dwarf_end(d->dwarf);
	if (d->alt_dwarf)
		dwarf_end(d->alt_dwarf);
	if (d->copy_elf)
		elf_end(d->copy_elf);
	if (d->no_alt_elf)
		elf_end(d->no_alt_elf);
	if (d->mapped_elf)
		elf_end(d->mapped_elf);
	filemap_close(d->map);
	elfrewrite_deinit(&d->no_alt);
	elfrewrite_deinit(&d->copy);
	elffile_destroy(d->alt);
	elffile_destroy(d->mini);
	elffile_destroy(d->separate);
}
