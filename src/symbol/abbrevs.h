/* The abbreviations of one DWARF unit, and the values that they describe (DWARF 5, section 7.5):
 * read as far as they are asked for. */
#ifndef SYMBOL_ABBREVS_H
#define SYMBOL_ABBREVS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/table.h"
#include "base/vec.h"

/* How a unit stores what depends on it. */
struct dwarf_encoding {
	uint16_t version;
	uint8_t addr_len, off_len;
};

struct abbrev_attr {
	uint16_t name, form;
	int8_t len;       /* of the value; negative: differs from DIE to DIE */
	int64_t implicit; /* DW_FORM_implicit_const: the value */
};

struct abbrev {
	uint64_t code;
	uint32_t first, n; /* attributes */
	int32_t fixed_len; /* of all values together; -1: differs from DIE to DIE */
	uint16_t tag;
	bool has_children;
	bool has_sibling;
	bool is_declaration; /* says so without a value */
};

struct abbrevs {
	struct cursor rest; /* not read yet */
	struct dwarf_encoding enc;
	VEC(struct abbrev) v;
	VEC(struct abbrev_attr) attrs;
	struct table by_code; /* of those that are not number code - 1 */
};

/* `from`: the unit's abbreviations, to the end of their section. */
void abbrevs_init(struct abbrevs *a, struct cursor from, struct dwarf_encoding enc);
void abbrevs_deinit(struct abbrevs *a);
/* NULL if there is none. Valid until the next call. */
const struct abbrev *abbrevs_find(struct abbrevs *a, uint64_t code);

/* Goes past a value; false where its form is not known. */
bool dwarf_skip_value(struct cursor *c, const struct dwarf_encoding *enc, uint64_t form);
/* A constant, a reference within the unit or an offset; the cursor fails on other forms. */
uint64_t dwarf_number(struct cursor *c, const struct dwarf_encoding *enc, uint64_t form,
		      int64_t implicit);
/* An integer of up to 8 bytes. */
static inline uint64_t dwarf_uint(struct cursor *c, unsigned int len)
{
	uint64_t v = 0;

	switch (len) {
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 4:
		return cursor_u32(c);
	case 8:
		return cursor_u64(c);
	default:
		if (len < sizeof(v) && cursor_bytes(c, len))
			memcpy(&v, c->prev, len);
		return v;
	}
}

#endif
