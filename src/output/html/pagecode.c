/* In: instructions of functions, and the places hit there. Out: they in JSON and columns, and for
 * each sample the number of its instruction. */
#include "output/html/pagecode.h"

#include "output/html/pagejson.h"
#include "output/output.h"

static int hit_cmp(const void *va, const void *vb)
{
	const struct code_hit *a = va, *b = vb;

	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	return (a->off > b->off) - (a->off < b->off);
}

/* A hit inside of an instruction is that instruction's. */
static void add_hits(struct pagecode *c, const struct asm_part *part, uint32_t first_insn)
{
	const struct insn_cost *cost = &c->list->v.v[part->first], *end = cost + part->n;

	for (size_t i = 0; i < part->code.v.n; i++) {
		const struct disasm_insn *insn = &part->code.v.v[i];

		for (; cost < end && cost->off < insn->off + insn->len; cost++)
			vec_push(&c->v, ((struct code_hit){ .off = cost->off,
							    .binary = cost->binary,
							    .insn = first_insn + (uint32_t)i }));
	}
}

void pagecode_init(struct pagecode *c, const struct asmlist *list, uint32_t asked,
		   const struct profile *p)
{
	uint32_t next = 1;

	*c = (struct pagecode){ .list = list, .asked = asked, .profile = p };
	for (uint32_t i = 0; i < list->parts.n; i++) {
		const struct asm_part *part = &list->parts.v[i];
		bool fits = part->code.v.n <= CODE_INSNS_MAX + 1 - next;

		c->cut |= !fits;
		if (part->why || !fits)
			continue;
		vec_push(&c->parts, i);
		add_hits(c, part, next);
		next += (uint32_t)part->code.v.n;
	}
	vec_sort(&c->v, hit_cmp);
}

void pagecode_deinit(struct pagecode *c)
{
	vec_deinit(&c->parts);
	vec_deinit(&c->v);
}

static const struct disasm *code_of(const struct pagecode *c, size_t part)
{
	return &c->list->parts.v[c->parts.v[part]].code;
}

static uint32_t binary_of(const struct pagecode *c, const struct asm_part *part)
{
	return c->list->v.v[part->first].binary;
}

static void put_parts(const struct pagecode *c, struct buf *j)
{
	pagejson_raw(j, "\"code\":{");
	pagejson_member_u64(j, "functions", c->asked);
	pagejson_member_bool(j, "cut", c->cut);
	pagejson_raw(j, "\"parts\":[");
	for (size_t i = 0; i < c->parts.n; i++) {
		const struct asm_part *part = &c->list->parts.v[c->parts.v[i]];

		output_printf(j, "[%u,%zu,%d,", binary_of(c, part), part->code.v.n, part->code.cut);
		pagejson_str(j, part->note ?: "");
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	pagejson_raw(j, ",\"missing\":[");
	for (size_t i = 0; i < c->list->parts.n; i++) {
		const struct asm_part *part = &c->list->parts.v[i];

		if (!part->why)
			continue;
		output_printf(j, "[%u,", binary_of(c, part));
		pagejson_str(j, part->why);
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	pagejson_close(j, '}');
	buf_u8(j, ',');
}

static void put_texts(const struct pagecode *c, struct buf *j, struct pagecolumns *columns)
{
	struct column *text = pagecolumns_begin(columns, "insn.text", 'u');
	struct intern texts;

	intern_init(&texts);
	for (size_t i = 0; i < c->parts.n; i++) {
		const struct disasm *code = code_of(c, i);

		for (size_t k = 0; k < code->v.n; k++)
			column_put(text, intern_add(&texts, disasm_text(code, &code->v.v[k])));
	}
	pagejson_raw(j, "\"insns\":[");
	for (uint32_t i = 0; i < texts.strings.n; i++) {
		pagejson_str(j, intern_str(&texts, i));
		buf_u8(j, ',');
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
	intern_deinit(&texts);
}

/* Of the code: innermost, or the function's own; as a number of the tree's places. */
static uint32_t place_of(const struct pagecode *c, uint32_t binary, uint64_t off,
			 struct calltree *tree)
{
	const struct names *names = &c->profile->data->names;
	const struct name_entry *e = names_find(names, binary, off);

	if (!e)
		return 0;
	const struct name_line *l =
		&names->lines.v[e->first + (c->list->no_inlines ? e->n - 1 : 0)];

	return l->file && l->line
		       ? calltree_place(tree, intern_str(&names->strings, l->file), l->line)
		       : 0;
}

void pagecode_put(const struct pagecode *c, struct calltree *tree, struct buf *json,
		  struct pagecolumns *columns)
{
	put_parts(c, json);
	put_texts(c, json, columns);
	struct column *addr = pagecolumns_begin(columns, "insn.addr", 'd');

	for (size_t i = 0; i < c->parts.n; i++)
		for (size_t k = 0; k < code_of(c, i)->v.n; k++)
			column_put(addr, code_of(c, i)->v.v[k].svma);
	struct column *place = pagecolumns_begin(columns, "insn.place", 'd');

	for (size_t i = 0; i < c->parts.n; i++) {
		uint32_t binary = binary_of(c, &c->list->parts.v[c->parts.v[i]]);

		for (size_t k = 0; k < code_of(c, i)->v.n; k++)
			column_put(place, place_of(c, binary, code_of(c, i)->v.v[k].off, tree));
	}
}

void pagecode_put_samples(const struct pagecode *c, const struct pagesamples *s,
			  struct pagecolumns *columns)
{
	const struct profile *p = c->profile;
	_cleanup_free_ uint32_t *same = binaries_same(&p->data->binaries);
	_cleanup_free_ uint32_t *insn = xcalloc(p->stacks.n + 1, sizeof(*insn)); /* by stack */

	for (size_t i = 0; i < p->stacks.n && c->v.n; i++) {
		const struct frame *f = frametree_get(&p->data->tree, p->stacks.v[i].node);
		struct code_hit key = { .binary = same[f->binary], .off = names_key(f) };
		const struct code_hit *hit = NULL;

		if (p->stacks.v[i].node && f->kind != FRAME_CUT)
			hit = bsearch(&key, c->v.v, c->v.n, sizeof(key), hit_cmp);
		insn[i] = hit ? hit->insn : 0;
	}
	struct column *col = pagecolumns_begin(columns, "sample.insn", 'd');

	for (size_t i = 0; i < s->order.n; i++)
		column_put(col, insn[p->kept.v[s->order.v[i]].stack]);
}
