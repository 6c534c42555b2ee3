/* In: a drawing. Out: SVG markup, frame by frame; made once per function and copied where it can
 * be. */
#include "output/svg/body.h"

#include <string.h>

#include "output/output.h"
#include "output/svg/palette.h"
#include "output/svg/xmltext.h"

enum {
	NAME_MAX_CHARS = 1000, /* of a tooltip */
	LABEL_PAD = 3,         /* px at either side of a label */
	LABEL_MIN_COLUMNS = 3, /* less says nothing */
};

void body_init(struct body *b, const struct calltree *tree, const struct drawing *drawing,
	       const struct body_style *style)
{
	memset(b, 0, sizeof(*b));
	b->tree = tree;
	b->drawing = drawing;
	b->style = *style;
	b->names.v = xcalloc(tree->funcs.n, sizeof(*b->names.v));
	b->names.n = b->names.cap = tree->funcs.n;
}

void body_deinit(struct body *b)
{
	vec_deinit(&b->names);
	buf_deinit(&b->text);
}

/* "libc.so.6 · inlined", on a line of its own; nothing for what is not code. */
static void put_where(struct body *b, const struct func *f)
{
	const struct binaries *binaries = &b->tree->profile->data->binaries;
	bool code = f->binary != BINARY_UNKNOWN && f->binary < binaries->v.n;

	if (!code && !f->inlined)
		return;
	buf_u8(&b->text, '\n');
	if (code) {
		const char *name = binary_name(binaries_get(binaries, f->binary));

		xmltext_escape(&b->text, name, strlen(name), NAME_MAX_CHARS);
	}
	if (f->inlined)
		xmltext_raw(&b->text, code ? " · inlined" : "inlined");
}

static const struct body_name *name_of(struct body *b, uint32_t func)
{
	const struct func *f = &b->tree->funcs.v[func];
	struct body_name *n = &b->names.v[func];
	size_t len = strlen(f->name);

	b->origins[f->origin] = true;
	if (n->class_name[0])
		return n;
	palette_class(f->origin, f->name, n->class_name);
	n->clean = b->text.len;
	output_clean_utf8(&b->text, f->name, len);
	n->clean_len = b->text.len - n->clean;
	n->title = b->text.len;
	xmltext_escape(&b->text, f->name, len, NAME_MAX_CHARS);
	n->title_len = b->text.len - n->title;
	n->where = b->text.len;
	put_where(b, f);
	n->where_len = b->text.len - n->where;
	return n;
}

void body_put_count(struct buf *out, uint64_t n, const char *unit)
{
	size_t len = strlen(unit);
	bool plural = !strcmp(unit, "samples") || !strcmp(unit, "events");

	xmltext_grouped(out, n);
	buf_u8(out, ' ');
	xmltext_escape(out, unit, n == 1 && plural ? len - 1 : len, NAME_MAX_CHARS);
}

/* "1,234 samples · 12.34 % · self 56 (0.40 %)" */
static void put_numbers(struct body *b, const struct drawn *f, struct buf *out)
{
	uint64_t all = b->drawing->frames.v[0].weight;

	if (b->style.notes) {
		const char *text = f->merged ? "" : b->style.notes[f->node].text;

		xmltext_escape(out, text, strlen(text), NAME_MAX_CHARS);
		return;
	}
	body_put_count(out, f->weight, b->style.unit);
	xmltext_literal(out, " · ");
	xmltext_percent(out, f->weight, all);
	if (b->style.show_samples) {
		xmltext_literal(out, " · ");
		body_put_count(out, f->samples, "samples");
	}
	if (!f->self)
		return;
	xmltext_literal(out, " · self ");
	xmltext_grouped(out, f->self);
	xmltext_literal(out, " (");
	xmltext_percent(out, f->self, all);
	buf_u8(out, ')');
}

struct box {
	double x, y, width;
};

static struct box box_of(const struct body *b, const struct drawn *f)
{
	double scale = b->style.width /
		       (double)(b->drawing->frames.v[0].weight + !b->drawing->frames.v[0].weight);
	uint32_t row = b->style.inverted ? f->depth : b->drawing->max_depth - f->depth;
	double width = f->depth ? (double)f->weight * scale : b->style.width;

	return (struct box){ .x = (double)f->x * scale,
			     .y = (double)row * b->style.row,
			     .width = width };
}

static void put_rect(const struct body *b, const struct box *box, const char *class_name,
		     struct buf *out)
{
	xmltext_literal(out, "<rect class=\"");
	xmltext_raw(out, class_name);
	xmltext_literal(out, "\" x=\"");
	xmltext_px(out, box->x);
	xmltext_literal(out, "\" y=\"");
	xmltext_px(out, box->y);
	xmltext_literal(out, "\" width=\"");
	/* A gap between neighbours, where there is room for one. */
	xmltext_px(out, box->width > 2 ? box->width - 0.5 : box->width);
	xmltext_literal(out, "\" height=\"");
	xmltext_u64(out, b->style.row - 1);
	xmltext_literal(out, "\"/>");
}

static void put_label(const struct body *b, const struct box *box, const struct body_name *n,
		      struct buf *out)
{
	double columns = (box->width - 2 * LABEL_PAD) / b->style.char_width;

	if (columns < LABEL_MIN_COLUMNS)
		return;
	xmltext_literal(out, "<text x=\"");
	xmltext_px(out, box->x + LABEL_PAD);
	xmltext_literal(out, "\" y=\"");
	xmltext_px(out, box->y + b->style.baseline);
	xmltext_literal(out, "\">");
	xmltext_label(out, (const char *)b->text.data + n->clean, n->clean_len, (size_t)columns);
	xmltext_literal(out, "</text>");
}

void body_put(struct body *b, size_t i, struct buf *out)
{
	const struct drawn *f = &b->drawing->frames.v[i];
	const struct callnode *node = &b->tree->nodes.v[f->node];
	const struct body_name *n = f->merged ? NULL : name_of(b, node->func);
	struct box box = box_of(b, f);

	xmltext_literal(out, "<g data-v=\"");
	xmltext_u64(out, f->weight);
	buf_u8(out, ' ');
	xmltext_u64(out, f->depth);
	xmltext_literal(out, "\"><title>");
	if (n) {
		buf_bytes(out, b->text.data + n->title, n->title_len);
	} else {
		xmltext_grouped(out, f->merged);
		xmltext_raw(out, f->merged == 1 ? " frame" : " frames");
		xmltext_literal(out, " too narrow to draw");
	}
	buf_u8(out, '\n');
	put_numbers(b, f, out);
	if (n)
		buf_bytes(out, b->text.data + n->where, n->where_len);
	xmltext_literal(out, "</title>");
	const char *class_name = !n               ? "m"
				 : b->style.notes ? b->style.notes[f->node].class_name
						  : n->class_name;

	put_rect(b, &box, class_name, out);
	if (n)
		put_label(b, &box, n, out);
	xmltext_literal(out, "</g>\n");
}
