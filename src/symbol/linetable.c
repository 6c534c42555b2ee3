/* In: a line number program. Out: its rows, by sequence, and its files. */
#include "symbol/linetable.h"

#include <dwarf.h>

#include "symbol/linefiles.h"

/* An address that nothing follows belongs to the row before it. */
struct row {
	uint32_t off; /* from its sequence's lo */
	uint32_t file, line;
};

struct sequence {
	uint64_t lo, hi;
	uint64_t max_hi; /* of this and all before it: how far back a look-up must go */
	size_t first, n; /* rows */
};

struct linetable {
	struct linefiles files;
	VEC(struct sequence) sequences;
	VEC(struct row) rows;
};

struct header {
	uint8_t min_len, max_ops;
	int8_t line_base;
	uint8_t line_range, opcode_base;
	const uint8_t *n_operands; /* of standard opcode i + 1 */
};

/* The state machine (section 6.2.2). */
struct machine {
	struct linetable *table;
	struct header h;
	uint8_t addr_len;
	uint64_t addr, op_index;
	uint64_t file, line;
	struct sequence sequence; /* begins with the first row */
	uint64_t last_addr;
	bool in_sequence;
};

static void machine_reset(struct machine *m)
{
	m->addr = m->op_index = 0;
	m->file = m->line = 1;
	m->in_sequence = false;
}

static void machine_advance(struct machine *m, uint64_t ops)
{
	if (m->h.max_ops <= 1) {
		m->addr += ops * m->h.min_len;
		return;
	}
	m->addr += (m->op_index + ops) / m->h.max_ops * m->h.min_len;
	m->op_index = (m->op_index + ops) % m->h.max_ops;
}

static void sequence_close(struct machine *m, uint64_t hi)
{
	struct sequence *s = &m->sequence;

	s->hi = hi;
	s->n = m->table->rows.n - s->first;
	/* Address 0 is what a linker leaves of a function that it dropped. */
	if (s->lo && s->lo < s->hi)
		vec_push(&m->table->sequences, *s);
	else
		m->table->rows.n = s->first;
	m->in_sequence = false;
}

static void sequence_open(struct machine *m)
{
	m->in_sequence = true;
	m->last_addr = m->addr;
	m->sequence = (struct sequence){ .lo = m->addr, .first = m->table->rows.n };
}

/* Only what differs from the row before; of several rows of one address the last counts. */
static void machine_row(struct machine *m)
{
	struct linetable *t = m->table;

	/* Backwards, or beyond what a function can be: how far the last row reaches is not known.
	 */
	if (m->in_sequence && (m->addr < m->last_addr || m->addr - m->sequence.lo > UINT32_MAX))
		sequence_close(m, m->last_addr);
	if (!m->in_sequence)
		sequence_open(m);
	struct row row = {
		.off = (uint32_t)(m->addr - m->sequence.lo),
		.file = m->file > UINT32_MAX ? UINT32_MAX : (uint32_t)m->file,
		.line = m->line > INT32_MAX ? 0 : (uint32_t)m->line,
	};
	struct row *last = t->rows.n > m->sequence.first ? &t->rows.v[t->rows.n - 1] : NULL;

	m->last_addr = m->addr;
	if (last && last->off == row.off)
		*last = row;
	else if (!last || last->file != row.file || last->line != row.line)
		vec_push(&t->rows, row);
}

static void machine_end(struct machine *m)
{
	if (m->in_sequence)
		sequence_close(m, m->addr > m->last_addr ? m->addr : m->last_addr);
	machine_reset(m);
}

static void extended(struct machine *m, struct cursor *c)
{
	uint64_t len = cursor_uleb(c);
	const uint8_t *bytes = cursor_bytes(c, len);

	if (!bytes || !len)
		return;
	struct cursor in = cursor(bytes + 1, len - 1);
	const char *name;

	switch (bytes[0]) {
	case DW_LNE_end_sequence:
		machine_end(m);
		break;
	case DW_LNE_set_address:
		m->addr = dwarf_uint(&in, len - 1 <= 8 ? (unsigned int)len - 1 : m->addr_len);
		m->op_index = 0;
		break;
	case DW_LNE_define_file:
		name = cursor_cstr(&in);
		if (name)
			linefiles_add(&m->table->files, name, &in);
		break;
	default:
		break;
	}
}

static void standard(struct machine *m, uint8_t opcode, struct cursor *c)
{
	switch (opcode) {
	case DW_LNS_copy:
		machine_row(m);
		break;
	case DW_LNS_advance_pc:
		machine_advance(m, cursor_uleb(c));
		break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		m->file = cursor_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		machine_advance(m, (uint64_t)(255 - m->h.opcode_base) / m->h.line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->addr += cursor_u16(c);
		m->op_index = 0;
		break;
	default:
		for (uint8_t n = m->h.n_operands[opcode - 1]; n; n--)
			cursor_sleb(c);
	}
}

static void special(struct machine *m, uint8_t opcode)
{
	uint8_t adjusted = opcode - m->h.opcode_base;

	machine_advance(m, adjusted / m->h.line_range);
	m->line += (uint64_t)(int64_t)(m->h.line_base + adjusted % m->h.line_range);
	machine_row(m);
}

static void machine_run(struct machine *m, struct cursor *c)
{
	machine_reset(m);
	while (cursor_left(c) && !c->failed) {
		uint8_t opcode = cursor_u8(c);

		if (opcode >= m->h.opcode_base)
			special(m, opcode);
		else if (opcode)
			standard(m, opcode, c);
		else
			extended(m, c);
	}
	m->addr = 0; /* how far the last row reaches is not known */
	machine_end(m);
}

/* Up to the lists of files; the end of them all goes to *ret_program. */
static bool read_header(struct cursor *c, struct dwarf_encoding *enc, struct header *ret,
			struct cursor *ret_program)
{
	uint64_t len = cursor_u32(c);

	enc->off_len = len == UINT32_MAX ? 8 : 4;
	if (enc->off_len == 8)
		len = cursor_u64(c);
	if (c->failed || len > cursor_left(c))
		return false;
	*c = cursor(c->p, len);
	enc->version = cursor_u16(c);
	if (enc->version < 2 || enc->version > 5)
		return false;
	if (enc->version >= 5) {
		enc->addr_len = cursor_u8(c);
		cursor_skip(c, 1); /* segment selector */
	}
	uint64_t header_len = dwarf_uint(c, enc->off_len);

	if (c->failed || header_len > cursor_left(c))
		return false;
	*ret_program = cursor(c->p + header_len, cursor_left(c) - header_len);
	*c = cursor(c->p, header_len);
	ret->min_len = cursor_u8(c);
	ret->max_ops = enc->version >= 4 ? cursor_u8(c) : 1;
	cursor_skip(c, 1); /* is_stmt */
	ret->line_base = (int8_t)cursor_u8(c);
	ret->line_range = cursor_u8(c);
	ret->opcode_base = cursor_u8(c);
	ret->n_operands = ret->opcode_base ? cursor_bytes(c, ret->opcode_base - 1U) : NULL;
	return !c->failed && ret->n_operands && ret->line_range;
}

static int compare_sequences(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

struct linetable *linetable_create(const struct dwarfsections *sections, uint64_t off,
				   uint8_t addr_len, const char *comp_dir)
{
	struct linetable *t = xcalloc(1, sizeof(*t));
	struct cursor c = dwarfsections_at(sections, DWARF_LINE, off), program;
	struct dwarf_encoding enc = { .addr_len = addr_len };
	struct machine m = { .table = t, .addr_len = addr_len };
	uint64_t max_hi = 0;

	if (!read_header(&c, &enc, &m.h, &program))
		return t;
	linefiles_init(&t->files, sections, &enc, comp_dir, &c);
	machine_run(&m, &program);
	vec_sort(&t->sequences, compare_sequences);
	for (size_t i = 0; i < t->sequences.n; i++) {
		if (t->sequences.v[i].hi > max_hi)
			max_hi = t->sequences.v[i].hi;
		t->sequences.v[i].max_hi = max_hi;
	}
	return t;
}

void linetable_destroy(struct linetable *t)
{
	if (!t)
		return;
	linefiles_deinit(&t->files);
	vec_deinit(&t->sequences);
	vec_deinit(&t->rows);
	free(t);
}

/* The last that begins at or before the address, of those that reach it. */
static const struct sequence *find_sequence(const struct linetable *t, uint64_t svma)
{
	size_t lo = 0, hi = t->sequences.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->sequences.v[mid].lo <= svma)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i-- > 0 && t->sequences.v[i].max_hi > svma;)
		if (t->sequences.v[i].hi > svma)
			return &t->sequences.v[i];
	return NULL;
}

bool linetable_find(const struct linetable *t, uint64_t svma, uint64_t *ret_file,
		    uint32_t *ret_line)
{
	const struct sequence *s = find_sequence(t, svma);

	if (!s || !s->n)
		return false;
	const struct row *rows = &t->rows.v[s->first];
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rows[mid].off <= svma - s->lo)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	*ret_file = rows[lo - 1].file;
	*ret_line = rows[lo - 1].line;
	return true;
}

const char *linetable_file(struct linetable *t, uint64_t number)
{
	return linefiles_path(&t->files, number);
}
