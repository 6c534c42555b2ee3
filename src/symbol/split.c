/* In: a skeleton unit. Out: its split unit, in a .dwo file or cut out of a .dwp file. */
#include "symbol/split.h"

#include <dwarf.h>
#include <fcntl.h>
#include <string.h>

#include "base/table.h"
#include "base/vec.h"
#include "symbol/dwp.h"
#include "symbol/filemap.h"

/* A file of units. */
struct split_file {
	struct filemap *map; /* NULL: of our making */
	Elf *mapped;
	struct elfrewrite made;
	Elf *made_elf;
	Dwarf *dwarf;
};

struct split_unit {
	uint64_t id;
	Dwarf_Die die;
};

struct split {
	const char *paths[2];
	const struct debugfile_search *search;
	struct diag *diag;
	struct dwp *dwp;
	bool has_looked_for_dwp;
	VEC(struct split_file) files;
	VEC(struct split_unit) units; /* of all files */
	struct table by_id;
};

struct split *split_create(const char *path, const char *binary_path,
			   const struct debugfile_search *search, struct diag *diag)
{
	struct split *s = xcalloc(1, sizeof(*s));

	s->paths[0] = path;
	s->paths[1] = strcmp(path, binary_path) ? binary_path : NULL;
	s->search = search;
	s->diag = diag;
	return s;
}

static void close_file(struct split_file *f)
{
	if (f->dwarf)
		dwarf_end(f->dwarf);
	if (f->made_elf)
		elf_end(f->made_elf);
	if (f->mapped)
		elf_end(f->mapped);
	elfrewrite_deinit(&f->made);
	filemap_close(f->map);
}

void split_destroy(struct split *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files.n; i++)
		close_file(&s->files.v[i]);
	vec_deinit(&s->files);
	vec_deinit(&s->units);
	table_deinit(&s->by_id);
	dwp_destroy(s->dwp);
	free(s);
}

static bool find_known(const struct split *s, uint64_t id, Dwarf_Die *ret)
{
	for (struct table_probe p = table_probe(&s->by_id, hash_u64(id));
	     table_next(&s->by_id, &p);) {
		if (s->units.v[p.value].id == id) {
			*ret = s->units.v[p.value].die;
			return true;
		}
	}
	return false;
}

/* A file and its units, if it has any. */
static void add_file(struct split *s, struct split_file *f)
{
	size_t n_before = s->units.n;
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Die die;
	uint64_t id;

	f->dwarf = dwarf_begin_elf(f->made_elf ?: f->mapped, DWARF_C_READ, NULL);
	while (f->dwarf && !dwarf_get_units(f->dwarf, cu, &cu, NULL, &type, &die, NULL)) {
		if (type != DW_UT_split_compile ||
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL))
			continue;
		table_add(&s->by_id, hash_u64(id), (uint32_t)s->units.n);
		vec_push(&s->units, ((struct split_unit){ id, die }));
	}
	if (s->units.n > n_before)
		vec_push(&s->files, *f);
	else
		close_file(f);
}

static void open_dwo(struct split *s, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct split_file f = { 0 };

	if (fd < 0)
		return;
	_cleanup_err_ struct err *err = filemap_open(fd, &f.map);

	if (err)
		return;
	f.mapped = elf_memory(filemap_data(f.map), filemap_len(f.map));
	if (!f.mapped) {
		close_file(&f);
		return;
	}
	if (elfrewrite_is_needed(f.mapped))
		err_destroy(elfrewrite_copy(&f.made, f.mapped, &f.made_elf));
	add_file(s, &f);
}

/* Whether the unit is in the file of this name, which this frees. */
static bool try_dwo(struct split *s, uint64_t id, char *path, Dwarf_Die *ret)
{
	_cleanup_free_ char *own = path;

	open_dwo(s, own);
	return find_known(s, id, ret);
}

static const char *string_attr(const Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	const char *s = dwarf_attr((Dwarf_Die *)die, name, &attr) ? dwarf_formstring(&attr) : NULL;

	return s && *s ? s : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where the compiler wrote it. */
static bool in_own_place(struct split *s, uint64_t id, const char *dir, const char *name,
			 Dwarf_Die *ret)
{
	_cleanup_free_ char *path =
		name[0] == '/' ? xstrdup(name) : xasprintf("%s/%s", dir ?: "", name);

	if (path[0] != '/' || (name[0] != '/' && !dir))
		return false;
	return (s->search->sysroot &&
		try_dwo(s, id, xasprintf("%s%s", s->search->sysroot, path), ret)) ||
	       try_dwo(s, id, xstrdup(path), ret);
}

/* In a directory: by all of its name, as in a build that was moved, or the end of it. */
static bool in_dir(struct split *s, uint64_t id, const char *root, const char *dir, int dir_len,
		   const char *name, Dwarf_Die *ret)
{
	const char *base = base_name(name);

	if (name[0] != '/' && base != name &&
	    try_dwo(s, id, xasprintf("%s%.*s/%s", root, dir_len, dir, name), ret))
		return true;
	return try_dwo(s, id, xasprintf("%s%.*s/%s", root, dir_len, dir, base), ret);
}

static bool beside(struct split *s, uint64_t id, const char *path, const char *name, Dwarf_Die *ret)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *dir = slash ? path : ".";
	int len = slash ? (int)(slash - path) : 1;

	if (!path)
		return false;
	return (s->search->sysroot && in_dir(s, id, s->search->sysroot, dir, len, name, ret)) ||
	       in_dir(s, id, "", dir, len, name, ret);
}

static bool find_dwo(struct split *s, uint64_t id, const Dwarf_Die *skeleton, Dwarf_Die *ret)
{
	const char *name =
		string_attr(skeleton, DW_AT_dwo_name) ?: string_attr(skeleton, DW_AT_GNU_dwo_name);

	if (!name)
		return false;
	if (in_own_place(s, id, string_attr(skeleton, DW_AT_comp_dir), name, ret) ||
	    beside(s, id, s->paths[0], name, ret) || beside(s, id, s->paths[1], name, ret))
		return true;
	for (size_t i = 0; i < s->search->n_dirs; i++) {
		const char *dir = s->search->dirs[i];

		if (in_dir(s, id, "", dir, (int)strlen(dir), name, ret))
			return true;
	}
	return false;
}

/* It has no identity of its own: its units do. Frees the path. */
static bool open_dwp(struct split *s, char *path)
{
	_cleanup_free_ char *own = path;
	_cleanup_close_ int fd = open(own, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct elffile *file = NULL;

	if (fd < 0)
		return false;
	_cleanup_err_ struct err *err = elffile_open(fd, &file);

	if (!err)
		err = dwp_create(file, &s->dwp);
	if (err)
		diag_add(s->diag, DIAG_WARNING, own, "%s is not used: %s", own, err_msg(err));
	return s->dwp;
}

static void look_for_dwp(struct split *s)
{
	const char *root = s->search->sysroot;

	if (s->has_looked_for_dwp)
		return;
	s->has_looked_for_dwp = true;
	for (size_t i = 0; i < 2 && s->paths[i]; i++) {
		const char *path = s->paths[i];

		if ((root && open_dwp(s, xasprintf("%s%s.dwp", root, path))) ||
		    open_dwp(s, xasprintf("%s.dwp", path)))
			return;
		for (size_t j = 0; j < s->search->n_dirs; j++)
			if (open_dwp(s,
				     xasprintf("%s/%s.dwp", s->search->dirs[j], base_name(path))))
				return;
	}
}

static bool find_in_dwp(struct split *s, uint64_t id, Dwarf_Die *ret)
{
	struct split_file f = { 0 };

	look_for_dwp(s);
	if (!s->dwp)
		return false;
	_cleanup_err_ struct err *err = dwp_cut(s->dwp, id, &f.made, &f.made_elf);

	if (err)
		close_file(&f);
	else
		add_file(s, &f);
	return find_known(s, id, ret);
}

bool split_find(struct split *s, const Dwarf_Die *skeleton, Dwarf_Die *ret)
{
	uint64_t id;

	if (dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, NULL, &id, NULL, NULL))
		return false;
	return find_known(s, id, ret) || find_in_dwp(s, id, ret) || find_dwo(s, id, skeleton, ret);
}
