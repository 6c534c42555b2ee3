/* In: the lists of a line table's header. Out: paths by number. */
#include "symbol/linefiles.h"

#include <dwarf.h>

void linefiles_add(struct linefiles *f, const char *name, struct cursor *c)
{
	struct linefile file = { .name = name };

	file.dir = cursor_uleb(c);
	cursor_uleb(c); /* time */
	cursor_uleb(c); /* length */
	if (!c->failed)
		vec_push(&f->files, file);
}

static void read_old(struct linefiles *f, struct cursor *c)
{
	const char *name;

	vec_push(&f->dirs, f->comp_dir);
	while ((name = cursor_cstr(c)) && *name)
		vec_push(&f->dirs, name);
	vec_push(&f->files, ((struct linefile){ 0 }));
	while ((name = cursor_cstr(c)) && *name)
		linefiles_add(f, name, c);
}

/* The two numbers that describe each field of an entry. */
struct entry_format {
	VEC(struct abbrev_attr) v;
};

static void read_format(struct entry_format *format, struct cursor *c)
{
	uint8_t n = cursor_u8(c);

	format->v.n = 0;
	for (uint8_t i = 0; i < n && !c->failed; i++) {
		uint64_t name = cursor_uleb(c), form = cursor_uleb(c);

		if (name > UINT16_MAX || form > UINT16_MAX)
			name = form = 0;
		vec_push(&format->v,
			 ((struct abbrev_attr){ .name = (uint16_t)name, .form = (uint16_t)form }));
	}
}

static const char *read_name(const struct linefiles *f, const struct abbrev_attr *field,
			     struct cursor *c)
{
	switch (field->form) {
	case DW_FORM_string:
		return cursor_cstr(c);
	case DW_FORM_line_strp:
		return dwarfsections_str(f->sections, DWARF_LINE_STR,
					 dwarf_uint(c, f->enc.off_len));
	case DW_FORM_strp:
		return dwarfsections_str(f->sections, DWARF_STR, dwarf_uint(c, f->enc.off_len));
	default:
		dwarf_skip_value(c, &f->enc, field->form);
		return NULL;
	}
}

static struct linefile read_entry(const struct linefiles *f, const struct entry_format *format,
				  struct cursor *c)
{
	struct linefile file = { 0 };

	for (size_t i = 0; i < format->v.n && !c->failed; i++) {
		const struct abbrev_attr *field = &format->v.v[i];

		if (field->name == DW_LNCT_path)
			file.name = read_name(f, field, c);
		else if (field->name == DW_LNCT_directory_index)
			file.dir = dwarf_number(c, &f->enc, field->form, 0);
		else
			dwarf_skip_value(c, &f->enc, field->form);
	}
	return file;
}

/* Entries that take no bytes would never end. */
static bool next_entry(const struct linefiles *f, const struct entry_format *format,
		       struct cursor *c, struct linefile *ret)
{
	const uint8_t *before = c->p;

	*ret = read_entry(f, format, c);
	return !c->failed && c->p != before;
}

static void read_new(struct linefiles *f, struct cursor *c)
{
	struct entry_format format = { 0 };
	struct linefile file;

	read_format(&format, c);
	for (uint64_t n = cursor_uleb(c); n && next_entry(f, &format, c, &file); n--)
		vec_push(&f->dirs, file.name);
	read_format(&format, c);
	for (uint64_t n = cursor_uleb(c); n && next_entry(f, &format, c, &file); n--)
		vec_push(&f->files, file);
	vec_deinit(&format.v);
}

void linefiles_init(struct linefiles *f, const struct dwarfsections *sections,
		    const struct dwarf_encoding *enc, const char *comp_dir, struct cursor *c)
{
	*f = (struct linefiles){ .sections = sections, .enc = *enc, .comp_dir = comp_dir };
	if (enc->version < 5)
		read_old(f, c);
	else
		read_new(f, c);
}

void linefiles_deinit(struct linefiles *f)
{
	for (size_t i = 0; i < f->files.n; i++)
		free(f->files.v[i].path);
	vec_deinit(&f->dirs);
	vec_deinit(&f->files);
}

static char *make_path(const struct linefiles *f, const struct linefile *file)
{
	const char *dir = file->dir < f->dirs.n ? f->dirs.v[file->dir] : NULL;

	if (file->name[0] == '/' || !dir)
		return xstrdup(file->name);
	if (dir[0] == '/' || !f->comp_dir || dir == f->comp_dir)
		return xasprintf("%s/%s", dir, file->name);
	return xasprintf("%s/%s/%s", f->comp_dir, dir, file->name);
}

const char *linefiles_path(struct linefiles *f, uint64_t number)
{
	if (number >= f->files.n || !f->files.v[number].name)
		return NULL;
	struct linefile *file = &f->files.v[number];

	if (!file->path)
		file->path = make_path(f, file);
	return file->path;
}
