/* In: DWARF and an address. Out: the functions inlined there, and where each was called. */
#include "symbol/debuginfo.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/vec.h"
#include "symbol/dieread.h"
#include "symbol/dies.h"
#include "symbol/linetable.h"

struct unit_range {
	uint64_t lo, hi;
	uint64_t max_hi; /* of this and all before it: how far back a look-up must go */
	uint32_t unit;
};

struct unit {
	struct dwarfunit unit; /* has ranges and lines: the skeleton where the unit is split */
	bool is_skeleton, lacks_dwo;
	struct dies *dies;       /* NULL until an address falls into the unit */
	struct linetable *lines; /* the same */
};

struct lines {
	uint64_t off; /* in .debug_line */
	struct linetable *table;
};

struct debuginfo {
	struct dwarfsections sections;
	VEC(struct unit_range) ranges;
	VEC(struct unit) units;
	VEC(struct lines) lines;
	struct table lines_at;
	struct split *split;
	uint32_t missing_dwo;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a;
	const struct unit_range *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* `ranges` is scratch. */
static void add_unit(struct debuginfo *d, struct unit *unit, Dwarf_Die *cu,
		     struct pc_ranges *ranges)
{
	if (!dwarfunit_init(&unit->unit, cu, &d->sections))
		return;
	ranges->v.n = 0;
	dwarfunit_ranges(&unit->unit, ranges);
	for (size_t i = 0; i < ranges->v.n; i++)
		vec_push(&d->ranges, ((struct unit_range){
					     .lo = ranges->v.v[i].lo,
					     .hi = ranges->v.v[i].hi,
					     .unit = (uint32_t)d->units.n,
				     }));
	if (ranges->v.n)
		vec_push(&d->units, *unit);
}

struct debuginfo *debuginfo_create(Dwarf *dwarf, struct split *split)
{
	struct debuginfo *d = xcalloc(1, sizeof(*d));
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Half version;
	Dwarf_Die die;
	uint64_t max_hi = 0;
	struct pc_ranges ranges = { 0 };

	d->split = split;
	dwarfsections_init(&d->sections, dwarf);
	while (!dwarf_get_units(dwarf, cu, &cu, &version, &type, &die, NULL)) {
		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		struct unit unit = { .is_skeleton = type == DW_UT_skeleton };

		add_unit(d, &unit, &die, &ranges);
	}
	vec_deinit(&ranges.v);
	vec_sort(&d->ranges, compare_ranges);
	for (size_t i = 0; i < d->ranges.n; i++) {
		if (d->ranges.v[i].hi > max_hi)
			max_hi = d->ranges.v[i].hi;
		d->ranges.v[i].max_hi = max_hi;
	}
	return d;
}

void debuginfo_destroy(struct debuginfo *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->units.n; i++)
		dies_destroy(d->units.v[i].dies);
	for (size_t i = 0; i < d->lines.n; i++)
		linetable_destroy(d->lines.v[i].table);
	vec_deinit(&d->lines);
	table_deinit(&d->lines_at);
	vec_deinit(&d->units);
	vec_deinit(&d->ranges);
	free(d);
}

uint32_t debuginfo_missing_dwo(const struct debuginfo *d)
{
	return d->missing_dwo;
}

bool debuginfo_has_units(const struct debuginfo *d)
{
	return d->ranges.n;
}

/* Units that were made from one may share a table. */
static struct linetable *unit_lines(struct debuginfo *d, struct unit *u)
{
	Dwarf_Attribute attr;
	Dwarf_Word off;
	const char *dir = NULL;

	if (u->lines)
		return u->lines;
	if (!dwarf_attr(&u->unit.cu, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &off))
		off = UINT64_MAX;
	for (struct table_probe p = table_probe(&d->lines_at, hash_u64(off));
	     table_next(&d->lines_at, &p);)
		if (d->lines.v[p.value].off == off)
			return u->lines = d->lines.v[p.value].table;
	if (dwarf_attr(&u->unit.cu, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	u->lines = linetable_create(&d->sections, off, u->unit.enc.addr_len, dir);
	table_add(&d->lines_at, hash_u64(off), (uint32_t)d->lines.n);
	vec_push(&d->lines, ((struct lines){ off, u->lines }));
	return u->lines;
}

/* File and line of the instruction itself. */
static void unit_line(struct debuginfo *d, struct unit *u, uint64_t svma, struct debug_line *ret)
{
	struct linetable *lines = unit_lines(d, u);
	uint64_t file;

	if (linetable_find(lines, svma, &file, &ret->line))
		ret->file = linetable_file(lines, file);
}

/* The functions of a split unit are in another file. */
static struct dies *unit_dies(struct debuginfo *d, struct unit *u)
{
	struct dwarfsections sections;
	struct dwarfunit tree;
	Dwarf_Die split;

	if (!u->is_skeleton)
		return dies_create(&u->unit);
	if (split_find(d->split, &u->unit.cu, &split)) {
		dwarfsections_init(&sections, dwarf_cu_getdwarf(split.cu));
		if (dwarfunit_init_split(&tree, &split, &sections, &u->unit))
			return dies_create(&tree);
	}
	u->lacks_dwo = true;
	d->missing_dwo++;
	return dies_create(&u->unit);
}

static size_t unit_find(struct debuginfo *d, struct unit *u, uint64_t svma, struct debug_line *ret)
{
	struct debug_line at = { 0 };
	size_t n = 0;

	if (!u->dies)
		u->dies = unit_dies(d, u);
	unit_line(d, u, svma, &at);
	for (uint32_t i = dies_find(u->dies, svma); i; i = dies_get(u->dies, i)->parent) {
		const struct dies_node *node = dies_get(u->dies, i);

		if (n == DEBUGINFO_MAX_CHAIN)
			break;
		dies_names(u->dies, i, &at.linkage, &at.name);
		ret[n++] = at;
		/* The caller's place is where it called. */
		at = (struct debug_line){ .line = node->call_line };
		at.file = linetable_file(unit_lines(d, u), node->call_file);
	}
	if (!n && at.file)
		ret[n++] = at;
	return n;
}

size_t debuginfo_find(struct debuginfo *d, uint64_t svma, struct debug_line *ret,
		      bool *ret_lacks_dwo)
{
	size_t lo = 0;
	size_t hi = d->ranges.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->ranges.v[mid].lo <= svma)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i-- > 0 && d->ranges.v[i].max_hi > svma;) {
		const struct unit_range *r = &d->ranges.v[i];
		struct unit *unit = &d->units.v[r->unit];
		size_t n = svma < r->hi ? unit_find(d, unit, svma, ret) : 0;

		*ret_lacks_dwo = n && unit->lacks_dwo;
		if (n)
			return n;
	}
	return 0;
}
