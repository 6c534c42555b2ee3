/* In: a unit's DIE from libdw. Out: its bytes, and ranges read from lists. */
#include "symbol/dwarfunit.h"

#include <dwarf.h>

/* DWARF 5, section 7.25. */
enum {
	RLE_END = 0,
	RLE_BASE_ADDRESSX = 1,
	RLE_STARTX_ENDX = 2,
	RLE_STARTX_LENGTH = 3,
	RLE_OFFSET_PAIR = 4,
	RLE_BASE_ADDRESS = 5,
	RLE_START_END = 6,
	RLE_START_LENGTH = 7
};

/* UINT64_MAX: the unit has no such attribute. */
static uint64_t unit_attr(Dwarf_Die *cu, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(cu, name, &attr) || dwarf_formudata(&attr, &value))
		return UINT64_MAX;
	return value;
}

/* Bytes of the unit with its header; 0: damaged. */
static uint64_t unit_len(struct cursor c)
{
	uint64_t len = cursor_u32(&c);

	if (len == UINT32_MAX)
		len = cursor_u64(&c);
	return c.failed || len > cursor_left(&c) ? 0 : cursor_offset(&c) + len;
}

bool dwarfunit_init(struct dwarfunit *u, Dwarf_Die *cu, const struct dwarfsections *sections)
{
	Dwarf_Off die_off = dwarf_dieoffset(cu), in_unit = dwarf_cuoffset(cu), abbrevs;
	Dwarf_Addr low;
	Dwarf_Die ignored;

	*u = (struct dwarfunit){
		.cu = *cu, .sections = sections, .addrs = sections, .lists = sections
	};
	if (!dwarf_cu_die(cu->cu, &ignored, &u->enc.version, &abbrevs, &u->enc.addr_len,
			  &u->enc.off_len, NULL, NULL) ||
	    in_unit > die_off)
		return false;
	struct cursor info = dwarfsections_at(sections, DWARF_INFO, die_off - in_unit);
	uint64_t len = unit_len(info);

	/* Where a file has several sections of one name, libdw may have taken another. */
	if (in_unit > len || info.p + in_unit != cu->addr)
		return false;
	u->start = info.p;
	u->dies = cursor(info.p + in_unit, len - in_unit);
	u->abbrevs = dwarfsections_at(sections, DWARF_ABBREV, abbrevs);
	if (!dwarf_lowpc(cu, &low))
		u->low_pc = low;
	u->addr_base = unit_attr(cu, u->enc.version < 5 ? DW_AT_GNU_addr_base : DW_AT_addr_base);
	u->rnglists_base = unit_attr(cu, DW_AT_rnglists_base);
	return u->enc.addr_len == 8 || u->enc.addr_len == 4;
}

/* DWARF 5, section 7.3.2; before, "GNU DebugFission": lists stay in the skeleton's file. */
bool dwarfunit_init_split(struct dwarfunit *u, Dwarf_Die *cu, const struct dwarfsections *sections,
			  const struct dwarfunit *skeleton)
{
	if (!dwarfunit_init(u, cu, sections))
		return false;
	u->addrs = skeleton->sections;
	u->low_pc = skeleton->low_pc;
	u->addr_base = skeleton->addr_base;
	if (u->enc.version >= 5 && sections->of[DWARF_RNGLISTS].p) {
		/* Of the only contribution there is: right behind its header. */
		u->rnglists_base = u->enc.off_len == 8 ? 20 : 12;
		return true;
	}
	u->lists = skeleton->sections;
	u->rnglists_base = skeleton->rnglists_base;
	uint64_t base = unit_attr((Dwarf_Die *)&skeleton->cu, DW_AT_GNU_ranges_base);

	u->ranges_base = base == UINT64_MAX ? 0 : base;
	return true;
}

static uint64_t indexed_addr(const struct dwarfunit *u, struct cursor *c, uint64_t index)
{
	struct cursor at = { .failed = true };
	uint64_t off;

	if (u->addr_base != UINT64_MAX && !__builtin_mul_overflow(index, u->enc.addr_len, &off) &&
	    !__builtin_add_overflow(off, u->addr_base, &off))
		at = dwarfsections_at(u->addrs, DWARF_ADDR, off);
	uint64_t addr = dwarf_uint(&at, u->enc.addr_len);

	c->failed |= at.failed;
	return addr;
}

uint64_t dwarfunit_addr(const struct dwarfunit *u, struct cursor *c, uint64_t form)
{
	switch (form) {
	case DW_FORM_addr:
		return dwarf_uint(c, u->enc.addr_len);
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		return indexed_addr(u, c, cursor_uleb(c));
	case DW_FORM_addrx1:
		return indexed_addr(u, c, dwarf_uint(c, 1));
	case DW_FORM_addrx2:
		return indexed_addr(u, c, dwarf_uint(c, 2));
	case DW_FORM_addrx3:
		return indexed_addr(u, c, dwarf_uint(c, 3));
	case DW_FORM_addrx4:
		return indexed_addr(u, c, dwarf_uint(c, 4));
	default:
		c->failed = true;
		return 0;
	}
}

void pc_ranges_add(struct pc_ranges *ret, uint64_t lo, uint64_t hi)
{
	if (lo && lo < hi)
		vec_push(&ret->v, ((struct pc_range){ lo, hi }));
}

/* .debug_ranges, up to DWARF 4: pairs, ended by zeros; the largest address sets the base. */
static bool read_pairs(const struct dwarfunit *u, uint64_t off, struct pc_ranges *ret)
{
	struct cursor c = dwarfsections_at(u->lists, DWARF_RANGES, off);
	unsigned int len = u->enc.addr_len;
	uint64_t base = u->low_pc, largest = len == 4 ? UINT32_MAX : UINT64_MAX;

	for (;;) {
		uint64_t lo = dwarf_uint(&c, len), hi = dwarf_uint(&c, len);

		if (c.failed || (!lo && !hi))
			return !c.failed;
		if (lo == largest)
			base = hi;
		else if (lo < hi)
			pc_ranges_add(ret, base + lo, base + hi);
	}
}

/* .debug_rnglists; false at the end of a list. */
static bool read_entry(const struct dwarfunit *u, struct cursor *c, uint64_t *base,
		       struct pc_ranges *ret)
{
	uint64_t lo;

	switch (cursor_u8(c)) {
	case RLE_END:
		return false;
	case RLE_BASE_ADDRESSX:
		*base = dwarfunit_addr(u, c, DW_FORM_addrx);
		return true;
	case RLE_BASE_ADDRESS:
		*base = dwarfunit_addr(u, c, DW_FORM_addr);
		return true;
	case RLE_STARTX_ENDX:
		lo = dwarfunit_addr(u, c, DW_FORM_addrx);
		pc_ranges_add(ret, lo, dwarfunit_addr(u, c, DW_FORM_addrx));
		return true;
	case RLE_STARTX_LENGTH:
		lo = dwarfunit_addr(u, c, DW_FORM_addrx);
		pc_ranges_add(ret, lo, lo + cursor_uleb(c));
		return true;
	case RLE_OFFSET_PAIR:
		lo = cursor_uleb(c);
		pc_ranges_add(ret, *base + lo, *base + cursor_uleb(c));
		return true;
	case RLE_START_END:
		lo = dwarfunit_addr(u, c, DW_FORM_addr);
		pc_ranges_add(ret, lo, dwarfunit_addr(u, c, DW_FORM_addr));
		return true;
	case RLE_START_LENGTH:
		lo = dwarfunit_addr(u, c, DW_FORM_addr);
		pc_ranges_add(ret, lo, lo + cursor_uleb(c));
		return true;
	default:
		c->failed = true;
		return false;
	}
}

/* Offset in .debug_rnglists of list number `index`; UINT64_MAX: there is none. */
static uint64_t list_off(const struct dwarfunit *u, uint64_t index)
{
	uint64_t off;

	if (u->rnglists_base == UINT64_MAX || __builtin_mul_overflow(index, u->enc.off_len, &off) ||
	    __builtin_add_overflow(off, u->rnglists_base, &off))
		return UINT64_MAX;
	struct cursor c = dwarfsections_at(u->lists, DWARF_RNGLISTS, off);
	uint64_t list = dwarf_uint(&c, u->enc.off_len);

	if (c.failed || __builtin_add_overflow(list, u->rnglists_base, &off))
		return UINT64_MAX;
	return off;
}

bool dwarfunit_range_list(const struct dwarfunit *u, uint64_t form, uint64_t value,
			  struct pc_ranges *ret)
{
	uint64_t base = u->low_pc;
	size_t before = ret->v.n;

	if (u->enc.version < 5) {
		if (form != DW_FORM_rnglistx &&
		    !__builtin_add_overflow(value, u->ranges_base, &value) &&
		    read_pairs(u, value, ret))
			return true;
		ret->v.n = before;
		return false;
	}
	struct cursor c = dwarfsections_at(u->lists, DWARF_RNGLISTS,
					   form == DW_FORM_rnglistx ? list_off(u, value) : value);

	while (!c.failed && read_entry(u, &c, &base, ret))
		;
	if (c.failed)
		ret->v.n = before;
	return !c.failed;
}
