/* In: DWARF and an address. Out: the functions inlined there, and where each was called. */
#include "symbol/debuginfo.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/vec.h"
#include "symbol/dies.h"

struct unit_range {
	uint64_t lo, hi;
	uint64_t max_hi; /* of this and all before it: how far back a look-up must go */
	uint32_t unit;
};

struct unit {
	Dwarf_Die cu; /* has ranges and lines: the skeleton where the unit is split */
	bool is_skeleton;
	struct dies *dies; /* NULL until an address falls into the unit */
	Dwarf_Files *files;
	size_t n_files;
	uint16_t version; /* of DWARF: before 5, file number 0 is none */
};

struct debuginfo {
	VEC(struct unit_range) ranges;
	VEC(struct unit) units;
	struct dwp *dwp;
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

static void add_unit(struct debuginfo *d, const struct unit *unit)
{
	Dwarf_Addr base = 0;
	Dwarf_Addr lo, hi;
	ptrdiff_t at = 0;
	Dwarf_Die die = unit->cu;
	size_t before = d->ranges.n;

	while ((at = dwarf_ranges(&die, at, &base, &lo, &hi)) > 0) {
		/* Address 0 is what a linker leaves of a function it dropped. */
		if (lo && lo < hi)
			vec_push(&d->ranges,
				 ((struct unit_range){
					 .lo = lo, .hi = hi, .unit = (uint32_t)d->units.n }));
	}
	if (d->ranges.n > before)
		vec_push(&d->units, *unit);
}

struct debuginfo *debuginfo_create(Dwarf *dwarf, struct dwp *dwp)
{
	struct debuginfo *d = xcalloc(1, sizeof(*d));
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Half version;
	Dwarf_Die die;
	uint64_t max_hi = 0;

	d->dwp = dwp;
	while (!dwarf_get_units(dwarf, cu, &cu, &version, &type, &die, NULL)) {
		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		add_unit(d, &(struct unit){
				    .cu = die,
				    .version = version,
				    .is_skeleton = type == DW_UT_skeleton,
			    });
	}
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

static const char *unit_file(struct unit *u, uint64_t number)
{
	if (!u->files && dwarf_getsrcfiles(&u->cu, &u->files, &u->n_files)) {
		u->files = NULL;
		u->n_files = 0;
	}
	if (!u->files || number >= u->n_files || (!number && u->version < 5))
		return NULL;
	return dwarf_filesrc(u->files, number, NULL, NULL);
}

/* File and line of the instruction itself. */
static void unit_line(struct unit *u, uint64_t svma, struct debug_line *ret)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->cu, svma);
	int number = 0;

	if (!line)
		return;
	ret->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number) && number > 0)
		ret->line = (uint32_t)number;
}

/* The functions of a split unit are in the .dwo file, which libdw opens when it is asked for. */
static struct dies *unit_dies(struct debuginfo *d, struct unit *u)
{
	Dwarf_Die tree = u->cu;
	Dwarf_Die split;

	if (u->is_skeleton) {
		dwp_provide(d->dwp, &u->cu);
		if (!dwarf_cu_info(u->cu.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) &&
		    dwarf_tag(&split) != DW_TAG_invalid)
			tree = split;
		else
			d->missing_dwo++;
		dwp_withdraw(d->dwp);
	}
	return dies_create(&tree);
}

static size_t unit_find(struct debuginfo *d, struct unit *u, uint64_t svma, struct debug_line *ret)
{
	struct debug_line at = { 0 };
	size_t n = 0;

	if (!u->dies)
		u->dies = unit_dies(d, u);
	unit_line(u, svma, &at);
	for (uint32_t i = dies_find(u->dies, svma); i; i = dies_get(u->dies, i)->parent) {
		const struct dies_node *node = dies_get(u->dies, i);

		if (n == DEBUGINFO_MAX_CHAIN)
			break;
		dies_names(u->dies, i, &at.linkage, &at.name);
		ret[n++] = at;
		/* The caller's place is where it called. */
		at = (struct debug_line){ .line = node->call_line };
		at.file = unit_file(u, node->call_file);
	}
	if (!n && at.file)
		ret[n++] = at;
	return n;
}

size_t debuginfo_find(struct debuginfo *d, uint64_t svma, struct debug_line *ret)
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
		size_t n = svma < r->hi ? unit_find(d, &d->units.v[r->unit], svma, ret) : 0;

		if (n)
			return n;
	}
	return 0;
}
