/* In: a .dwp file and the id of a unit. Out: the .dwo file that went into it. */
#include "symbol/dwp.h"

#include <string.h>

#include "base/buf.h"
#include "model/elfsection.h"

/* Numbers of columns, DW_SECT_*: 5 and 8 (and 7) differ between the versions. */
enum { SECT_INFO = 1, SECT_STR_OFFSETS = 6, SECT_MAX = 8, COLUMNS_MAX = 16 };

static const char *const names_v2[SECT_MAX + 1] = {
	NULL, ".debug_info.dwo",        NULL, ".debug_abbrev.dwo", ".debug_line.dwo",
	NULL, ".debug_str_offsets.dwo",
};
static const char *const names_v5[SECT_MAX + 1] = {
	NULL, ".debug_info.dwo",        NULL, ".debug_abbrev.dwo",   ".debug_line.dwo",
	NULL, ".debug_str_offsets.dwo", NULL, ".debug_rnglists.dwo",
};

struct dwp {
	struct elffile *file;
	unsigned int version;
	uint32_t n_columns, n_units, n_slots;
	uint32_t column[COLUMNS_MAX]; /* DW_SECT_* */
	const uint8_t *ids, *rows, *offsets, *sizes;
};

static uint32_t u32_at(const uint8_t *table, uint64_t i)
{
	uint32_t v;

	memcpy(&v, table + i * 4, sizeof(v));
	return v;
}

static struct err *read_index(struct dwp *d)
{
	const Elf_Data *data = elfsection_data(elffile_elf(d->file), ".debug_cu_index");

	if (!data)
		return err_new("no .debug_cu_index");
	struct cursor c = cursor(data->d_buf, data->d_size);

	/* Version 5 is a half word and padding. */
	d->version = cursor_u32(&c);
	d->n_columns = cursor_u32(&c);
	d->n_units = cursor_u32(&c);
	d->n_slots = cursor_u32(&c);
	if (c.failed || (d->version != 2 && d->version != 5) || d->n_columns > COLUMNS_MAX)
		return err_new("an index of an unknown version");
	d->ids = cursor_bytes(&c, (uint64_t)d->n_slots * 8);
	d->rows = cursor_bytes(&c, (uint64_t)d->n_slots * 4);
	for (uint32_t i = 0; i < d->n_columns; i++)
		d->column[i] = cursor_u32(&c);
	d->offsets = cursor_bytes(&c, (uint64_t)d->n_units * d->n_columns * 4);
	d->sizes = cursor_bytes(&c, (uint64_t)d->n_units * d->n_columns * 4);
	return c.failed ? err_new("damaged index") : NULL;
}

struct err *dwp_create(struct elffile *file, struct dwp **ret)
{
	CLEANUP(dwp_destroy) struct dwp *d = xcalloc(1, sizeof(*d));

	d->file = file;
	TRY(read_index(d));
	*ret = take_ptr(d);
	return NULL;
}

void dwp_destroy(struct dwp *d)
{
	if (!d)
		return;
	elffile_destroy(d->file);
	free(d);
}

/* Row of the unit (DWARF 5, section 7.3.5.3: open addressing by the low and high half); 0: none. */
static uint32_t find_row(const struct dwp *d, uint64_t id)
{
	uint64_t mask = (uint64_t)d->n_slots - 1;
	uint64_t at = id & mask, step = ((id >> 32) & mask) | 1;

	if (!d->n_slots || (d->n_slots & mask))
		return 0;
	for (uint32_t i = 0; i < d->n_slots; i++, at = (at + step) & mask) {
		uint32_t row = u32_at(d->rows, at);
		uint64_t have;

		memcpy(&have, d->ids + at * 8, sizeof(have));
		if (!row || have == id)
			return row <= d->n_units ? row : 0;
	}
	return 0;
}

/* Only the unit's own strings are copied: those of all units together may be a hundred MB. */
static void add_strings(struct elfrewrite *w, struct cursor offsets, size_t header,
			const Elf_Data *strings)
{
	struct buf numbers = { 0 }, text = { 0 };
	const uint8_t *head = cursor_bytes(&offsets, header);

	if (head)
		buf_bytes(&numbers, head, header);
	while (cursor_left(&offsets) >= 4) {
		uint32_t off = cursor_u32(&offsets);
		const char *s = off < strings->d_size ? (const char *)strings->d_buf + off : "";

		buf_u32(&numbers, (uint32_t)text.len);
		buf_bytes(&text, s, off < strings->d_size ? strnlen(s, strings->d_size - off) : 0);
		buf_u8(&text, 0);
	}
	elfrewrite_add(w, ".debug_str_offsets.dwo", numbers.data, numbers.len);
	elfrewrite_add(w, ".debug_str.dwo", text.data, text.len);
	buf_deinit(&numbers);
	buf_deinit(&text);
}

static void add_column(const struct dwp *d, struct elfrewrite *w, uint32_t row, uint32_t column)
{
	uint32_t sect = d->column[column];
	uint64_t cell = (uint64_t)(row - 1) * d->n_columns + column;
	uint32_t off = u32_at(d->offsets, cell), len = u32_at(d->sizes, cell);
	const char *name = sect > SECT_MAX   ? NULL
			   : d->version == 2 ? names_v2[sect]
					     : names_v5[sect];
	Elf *elf = elffile_elf(d->file);
	const Elf_Data *data = name ? elfsection_data(elf, name) : NULL;
	const Elf_Data *strings = elfsection_data(elf, ".debug_str.dwo");

	if (!data || off > data->d_size || len > data->d_size - off)
		return;
	const uint8_t *from = (const uint8_t *)data->d_buf + off;

	if (sect == SECT_STR_OFFSETS && strings)
		add_strings(w, cursor(from, len), d->version == 5 ? 8 : 0, strings);
	else
		elfrewrite_add(w, name, from, len);
}

struct err *dwp_cut(const struct dwp *d, uint64_t id, struct elfrewrite *w, Elf **ret)
{
	uint32_t row = find_row(d, id);
	GElf_Ehdr eh;

	*w = (struct elfrewrite){ 0 };
	if (!row)
		return err_new("no such unit");
	if (!gelf_getehdr(elffile_elf(d->file), &eh))
		return err_new("damaged ELF header");
	elfrewrite_init(w, &eh);
	for (uint32_t i = 0; i < d->n_columns; i++)
		add_column(d, w, row, i);
	return elfrewrite_open(w, ret);
}
