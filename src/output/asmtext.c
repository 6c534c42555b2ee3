/* In: hits by place, instructions, names of places. Out: a disassembly with weights. */
#include "output/asmtext.h"

#include <inttypes.h>
#include <string.h>

#include "output/listing.h"
#include "output/sourcetext.h"
#include "output/text.h"

struct asmtext {
	const struct asmlist *list;
	const struct profile *p;
	struct buf *b;
	struct listings files;
	uint64_t of;              /* the function's weight */
	struct name_line current; /* the line of source said last */
};

/* Of the code at the place: innermost, or the function's own. */
static struct name_line line_at(const struct asmtext *s, uint32_t binary, uint64_t off)
{
	const struct names *names = &s->p->data->names;
	const struct name_entry *e = names_find(names, binary, off);

	if (!e)
		return (struct name_line){ 0 };
	return names->lines.v[e->first + (s->list->no_inlines ? e->n - 1 : 0)];
}

static void put_source(struct asmtext *s, const struct name_line *line)
{
	const char *path = intern_str(&s->p->data->names.strings, line->file);
	const struct listing *l = listings_get(&s->files, path);
	const char *slash = line->file == s->current.file ? strrchr(path, '/') : NULL;

	path = slash ? slash + 1 : path; /* in full where the file changes */
	sourcetext_share(s->b, s->p, 0, 0, 0);
	output_printf(s->b, "# ");
	output_clean_utf8(s->b, path, strlen(path));
	output_printf(s->b, ":%" PRIu32, line->line);
	if (line->line <= listing_lines(l)) {
		output_printf(s->b, "  ");
		listing_put(l, line->line, s->b);
	}
	buf_u8(s->b, '\n');
}

static void put_change(struct asmtext *s, uint32_t binary, uint64_t off)
{
	struct name_line line = line_at(s, binary, off);

	if (!line.file || !line.line ||
	    (line.file == s->current.file && line.line == s->current.line))
		return;
	put_source(s, &line);
	s->current = line;
}

/* A hit inside of an instruction is that instruction's. */
static void put_code(struct asmtext *s, const struct asm_part *part)
{
	const struct insn_cost *cost = &s->list->v.v[part->first], *end = cost + part->n;
	uint32_t binary = cost->binary;

	for (size_t i = 0; i < part->code.v.n; i++) {
		const struct disasm_insn *insn = &part->code.v.v[i];
		uint64_t weight = 0, samples = 0;
		const char *text = disasm_text(&part->code, insn);

		for (; cost < end && cost->off < insn->off + insn->len; cost++) {
			weight += cost->weight;
			samples += cost->samples;
		}
		put_change(s, binary, insn->off);
		sourcetext_share(s->b, s->p, weight, samples, s->of);
		output_printf(s->b, "%8" PRIx64 "  ", insn->svma);
		output_clean_utf8(s->b, text, strlen(text));
		buf_u8(s->b, '\n');
	}
	if (part->code.cut)
		output_printf(s->b, "# the function goes on: only %d bytes of it are shown\n",
			      DISASM_MAX);
}

static void put_places(struct asmtext *s, const struct asm_part *part)
{
	for (size_t i = part->first; i < part->first + part->n; i++) {
		const struct insn_cost *cost = &s->list->v.v[i];

		put_change(s, cost->binary, cost->off);
		sourcetext_share(s->b, s->p, cost->weight, cost->samples, s->of);
		output_printf(s->b, "+0x%" PRIx64 "\n", cost->off);
	}
}

static void put_part(struct asmtext *s, const struct asm_part *part)
{
	const struct insn_cost *first = &s->list->v.v[part->first];
	const struct binary *b = binaries_get(&s->p->data->binaries, first->binary);
	const char *name = b->kind == BINARY_KIND_FILE ? b->path : binary_name(b);

	s->current = (struct name_line){ 0 };
	output_printf(s->b, "# ");
	output_clean_utf8(s->b, name, strlen(name));
	if (part->why) {
		output_printf(s->b, ": no code to show: ");
		output_clean_utf8(s->b, part->why, strlen(part->why));
	} else if (part->note) {
		output_printf(s->b, ", %s", part->note);
	}
	buf_u8(s->b, '\n');
	if (part->why)
		put_places(s, part);
	else
		put_code(s, part);
}

struct sum {
	uint32_t function;
	uint64_t weight, samples;
};

static int sum_cmp(const void *va, const void *vb)
{
	const struct sum *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void put_function(struct asmtext *s, const struct sum *sum)
{
	const struct picked *picked = &s->list->picked;

	sourcetext_head(s->b, picked->tree, &picked->functions.v.v[sum->function], sum->weight,
			sum->samples);
	if (!sum->samples)
		return;
	sourcetext_columns(s->b, s->p, " address  instruction");
	s->of = sum->weight;
	for (size_t i = 0; i < s->list->parts.n; i++)
		if (s->list->v.v[s->list->parts.v[i].first].function == sum->function)
			put_part(s, &s->list->parts.v[i]);
}

/* Heaviest first; those without samples of their own only if there is no other. */
static void put_functions(struct asmtext *s)
{
	const struct picked *picked = &s->list->picked;
	size_t n = picked->functions.v.n;
	_cleanup_free_ struct sum *sums = xcalloc(n + 1, sizeof(*sums));

	for (uint32_t i = 0; i < n; i++)
		sums[i].function = i;
	for (size_t i = 0; i < s->list->v.n; i++) {
		const struct insn_cost *cost = &s->list->v.v[i];

		sums[cost->function].weight += cost->weight;
		sums[cost->function].samples += cost->samples;
	}
	qsort(sums, n, sizeof(*sums), sum_cmp);
	for (size_t i = 0; i < n; i++)
		if (picked->matches[picked->functions.v.v[sums[i].function].func] &&
		    (sums[i].samples || !s->list->v.n))
			put_function(s, &sums[i]);
}

static struct err *asmtext_write(const struct output_context *ctx, FILE *out)
{
	struct buf b = { 0 };
	struct asmtext s = {
		.list = ctx->options, .p = ctx->tree->profile, .b = &b, .files.dirs = ctx->sources
	};

	text_header(&b, ctx);
	put_functions(&s);
	fwrite(b.data, 1, b.len, out);
	listings_deinit(&s.files);
	buf_deinit(&b);
	return output_finish(out, "asm");
}

const struct output asmtext_output = {
	.name = "asm",
	.suffix = "",
	.what = "instructions of one function with their weights",
	.write = asmtext_write,
};
