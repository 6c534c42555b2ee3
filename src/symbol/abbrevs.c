/* In: .debug_abbrev. Out: what DIEs of each code look like. */
#include "symbol/abbrevs.h"

#include <dwarf.h>

void abbrevs_init(struct abbrevs *a, struct cursor from, struct dwarf_encoding enc)
{
	*a = (struct abbrevs){ .rest = from, .enc = enc };
}

void abbrevs_deinit(struct abbrevs *a)
{
	vec_deinit(&a->v);
	vec_deinit(&a->attrs);
	table_deinit(&a->by_code);
}

/* Bytes of a value; -1: differs; -2: no such form. */
static int form_len(const struct dwarf_encoding *enc, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return enc->addr_len;
	case DW_FORM_ref_addr:
		return enc->version <= 2 ? enc->addr_len : enc->off_len;
	case DW_FORM_sec_offset:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		return enc->off_len;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
	case DW_FORM_string:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc:
	case DW_FORM_indirect:
		return -1;
	default:
		return -2;
	}
}

/* False at the end of the list of attributes. */
static bool read_attr(struct abbrevs *a, struct abbrev *abbrev, int64_t *fixed)
{
	uint64_t name = cursor_uleb(&a->rest), form = cursor_uleb(&a->rest);
	struct abbrev_attr attr = { .name = (uint16_t)name, .form = (uint16_t)form };

	if (a->rest.failed || (!name && !form))
		return false;
	if (name > UINT16_MAX || form > UINT16_MAX)
		attr.name = attr.form = 0;
	if (form == DW_FORM_implicit_const)
		attr.implicit = cursor_sleb(&a->rest);
	int len = form_len(&a->enc, attr.form);

	attr.len = (int8_t)len;
	*fixed = len < 0 || *fixed < 0 || *fixed > INT16_MAX ? -1 : *fixed + len;
	abbrev->has_sibling |= name == DW_AT_sibling;
	abbrev->is_declaration |= name == DW_AT_declaration && form == DW_FORM_flag_present;
	vec_push(&a->attrs, attr);
	abbrev->n++;
	return true;
}

static const struct abbrev *find_read(const struct abbrevs *a, uint64_t code)
{
	if (code && code <= a->v.n && a->v.v[code - 1].code == code)
		return &a->v.v[code - 1];
	if (!a->by_code.n)
		return NULL;
	for (struct table_probe p = table_probe(&a->by_code, hash_u64(code));
	     table_next(&a->by_code, &p);)
		if (a->v.v[p.value].code == code)
			return &a->v.v[p.value];
	return NULL;
}

/* The next one; false after the last. */
static bool read_abbrev(struct abbrevs *a)
{
	struct abbrev abbrev = { .first = (uint32_t)a->attrs.n };
	int64_t fixed = 0;

	abbrev.code = cursor_uleb(&a->rest);
	if (!abbrev.code)
		a->rest.failed = true;
	abbrev.tag = (uint16_t)cursor_uleb(&a->rest);
	abbrev.has_children = cursor_u8(&a->rest);
	while (read_attr(a, &abbrev, &fixed))
		;
	if (a->rest.failed)
		return false;
	abbrev.fixed_len = (int32_t)fixed;
	if (abbrev.code != a->v.n + 1 && !find_read(a, abbrev.code))
		table_add(&a->by_code, hash_u64(abbrev.code), (uint32_t)a->v.n);
	vec_push(&a->v, abbrev);
	return true;
}

const struct abbrev *abbrevs_find(struct abbrevs *a, uint64_t code)
{
	const struct abbrev *found = find_read(a, code);

	while (!found && read_abbrev(a))
		if (a->v.v[a->v.n - 1].code == code)
			found = &a->v.v[a->v.n - 1];
	return found;
}

bool dwarf_skip_value(struct cursor *c, const struct dwarf_encoding *enc, uint64_t form)
{
	int len = form_len(enc, form);

	for (; form == DW_FORM_indirect && !c->failed; len = form_len(enc, form))
		form = cursor_uleb(c);
	if (len >= 0) {
		cursor_skip(c, (uint64_t)len);
		return !c->failed;
	}
	switch (form) {
	case DW_FORM_string:
		cursor_cstr(c);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor_skip(c, cursor_uleb(c));
		break;
	case DW_FORM_block1:
		cursor_skip(c, cursor_u8(c));
		break;
	case DW_FORM_block2:
		cursor_skip(c, cursor_u16(c));
		break;
	case DW_FORM_block4:
		cursor_skip(c, cursor_u32(c));
		break;
	default:
		if (len == -1)
			cursor_sleb(c); /* any length, where a ULEB of ours has at most 64 bits */
		else
			c->failed = true;
	}
	return !c->failed;
}

uint64_t dwarf_number(struct cursor *c, const struct dwarf_encoding *enc, uint64_t form,
		      int64_t implicit)
{
	switch (form) {
	case DW_FORM_implicit_const:
		return (uint64_t)implicit;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_sec_offset:
		return dwarf_uint(c, (unsigned int)form_len(enc, form));
	case DW_FORM_sdata:
		return (uint64_t)cursor_sleb(c);
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_rnglistx:
		return cursor_uleb(c);
	default:
		c->failed = true;
		return 0;
	}
}
