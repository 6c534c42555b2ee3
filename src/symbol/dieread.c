/* In: the bytes of a DIE. Out: the few attributes that tell where its code is. */
#include "symbol/dieread.h"

#include <dwarf.h>

static uint32_t u32_or(uint64_t v, uint32_t otherwise)
{
	return v > UINT32_MAX ? otherwise : (uint32_t)v;
}

/* Address or, of DW_AT_high_pc, length. */
static uint64_t read_pc(const struct dwarfunit *u, const struct abbrev_attr *attr, struct cursor *c,
			bool *is_len)
{
	uint64_t pc = dwarfunit_addr(u, c, attr->form);

	if (!c->failed)
		return pc;
	c->failed = false;
	*is_len = true;
	return dwarf_number(c, &u->enc, attr->form, attr->implicit);
}

static bool is_wanted(uint16_t name)
{
	switch (name) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
	case DW_AT_sibling:
	case DW_AT_call_file:
	case DW_AT_call_line:
		return true;
	default:
		return false;
	}
}

/* Of what is wanted. False: of a form that we do not read; the cursor has not moved. */
static bool read_value(const struct dwarfunit *u, const struct abbrev_attr *attr, struct cursor *c,
		       struct die_read *ret)
{
	struct cursor from = *c;
	bool is_len = false;

	switch (attr->name) {
	case DW_AT_low_pc:
		ret->low = read_pc(u, attr, c, &is_len);
		ret->has_low = true;
		ret->is_odd |= is_len;
		break;
	case DW_AT_high_pc:
		ret->high = read_pc(u, attr, c, &ret->high_is_len);
		ret->has_high = true;
		break;
	case DW_AT_ranges:
		ret->ranges = dwarf_number(c, &u->enc, attr->form, attr->implicit);
		ret->ranges_form = attr->form;
		break;
	case DW_AT_sibling:
		ret->sibling = dwarf_number(c, &u->enc, attr->form, attr->implicit);
		break;
	case DW_AT_call_file:
		ret->call_file =
			u32_or(dwarf_number(c, &u->enc, attr->form, attr->implicit), UINT32_MAX);
		break;
	case DW_AT_call_line:
		ret->call_line = u32_or(dwarf_number(c, &u->enc, attr->form, attr->implicit), 0);
		break;
	default:
		return false;
	}
	if (!c->failed)
		return true;
	*c = from;
	ret->is_odd |= attr->name == DW_AT_low_pc || attr->name == DW_AT_high_pc ||
		       attr->name == DW_AT_ranges;
	return false;
}

bool die_read(const struct dwarfunit *u, const struct abbrevs *abbrevs, const struct abbrev *abbrev,
	      const uint8_t *at, struct cursor *c, struct die_read *ret)
{
	*ret = (struct die_read){ .at = at, .call_file = UINT32_MAX };
	for (uint32_t i = 0; i < abbrev->n; i++) {
		const struct abbrev_attr *attr = &abbrevs->attrs.v[abbrev->first + i];

		if (is_wanted(attr->name) && read_value(u, attr, c, ret))
			continue;
		if (attr->len >= 0)
			cursor_skip(c, (uint64_t)attr->len);
		else if (!dwarf_skip_value(c, &u->enc, attr->form))
			return false;
	}
	return !c->failed;
}

/* By libdw, which goes through the children of a unit that has no ranges itself. */
static void ranges_slowly(const struct dwarfunit *u, const uint8_t *at, struct pc_ranges *ret)
{
	Dwarf_Die die = { .addr = (void *)at, .cu = u->cu.cu };
	Dwarf_Addr base = 0, lo, hi;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(&die, next, &base, &lo, &hi)) > 0)
		pc_ranges_add(ret, lo, hi);
}

void die_ranges(const struct dwarfunit *u, const struct die_read *die, struct pc_ranges *ret)
{
	bool plain = !die->is_odd && die->has_low && die->has_high;

	if (plain)
		pc_ranges_add(ret, die->low, die->high_is_len ? die->low + die->high : die->high);
	else if (die->is_odd ||
		 (die->ranges_form && !dwarfunit_range_list(u, die->ranges_form, die->ranges, ret)))
		ranges_slowly(u, die->at, ret);
}

void dwarfunit_ranges(const struct dwarfunit *u, struct pc_ranges *ret)
{
	struct abbrevs abbrevs;
	struct cursor c = u->dies;
	struct die_read die;

	abbrevs_init(&abbrevs, u->abbrevs, u->enc);
	const struct abbrev *abbrev = abbrevs_find(&abbrevs, cursor_uleb(&c));

	if (abbrev && die_read(u, &abbrevs, abbrev, u->dies.p, &c, &die) &&
	    (die.ranges_form || (die.has_low && die.has_high)))
		die_ranges(u, &die, ret);
	else
		ranges_slowly(u, u->dies.p, ret);
	abbrevs_deinit(&abbrevs);
}
