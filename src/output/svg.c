/* In: a call tree. Out: the flame graph as one SVG document: a still picture, and a script that
 * takes it over where it may run. */
#include "output/svg.h"

#include <errno.h>
#include <string.h>

#include "output/svg/assets.h"
#include "output/svg/body.h"
#include "output/svg/drawing.h"
#include "output/svg/palette.h"
#include "output/svg/xmltext.h"

/* Layout of the still picture, in px. */
enum {
	PAD = 10,
	HEAD = 56,
	FOOT = 30,
	TITLE_CHAR =
		9, /* generous mean widths of the proportional fonts of the title and the rest */
	SMALL_CHAR = 7,
	FLUSH_LEN = 1 << 18,
};

struct svg {
	const struct output_context *ctx;
	const struct palette *palette;
	struct drawing drawing;
	struct body body;
	unsigned int width, height, font;
	double min_width; /* px */
	bool by_percent;  /* min_percent prunes more than min_width */
	struct buf out;
};

static struct err *check_options(const struct svg_options *opt, const struct palette **ret)
{
	const char *colors = opt->colors ? opt->colors : "origin";
	const struct palette *palette = palette_find(colors);

	if (!palette)
		return err_new("colors '%s' not known: origin, safe, hot or mono", colors);
	if (opt->width && (opt->width < SVG_WIDTH_MIN || opt->width > SVG_WIDTH_MAX))
		return err_new("width %u out of range: %d to %d", opt->width, SVG_WIDTH_MIN,
			       SVG_WIDTH_MAX);
	if (opt->has_min_width && !(opt->min_width >= 0 && opt->min_width <= SVG_WIDTH_MAX))
		return err_new("min-width %g out of range: 0 to %d", opt->min_width, SVG_WIDTH_MAX);
	if (opt->font_size && (opt->font_size < 6 || opt->font_size > 40))
		return err_new("font size %u out of range: 6 to 40", opt->font_size);
	*ret = palette;
	return NULL;
}

static uint64_t weight_threshold(struct svg *s)
{
	double total = (double)s->ctx->tree->nodes.v[0].total;
	double by_width = total * s->min_width / (s->width - 2 * PAD);
	double by_percent = total * s->ctx->min_percent / 100;

	s->by_percent = by_percent > by_width;
	double threshold = s->by_percent ? by_percent : by_width;

	if (threshold >= 1e18)
		return (uint64_t)1e18;
	return (uint64_t)threshold + (threshold > (double)(uint64_t)threshold);
}

static void svg_init(struct svg *s, const struct output_context *ctx, const struct svg_options *opt,
		     const struct palette *palette)
{
	const struct profile *profile = ctx->tree->profile;

	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->palette = palette;
	s->width = opt->width ? opt->width : 1200;
	s->font = opt->font_size ? opt->font_size : 12;
	s->min_width = opt->has_min_width ? opt->min_width : 0.1;
	drawing_init(&s->drawing, ctx->tree, weight_threshold(s));

	unsigned int row = s->font + 5;
	struct body_style style = {
		.width = s->width - 2 * PAD,
		.char_width = s->font * 0.6021, /* of every common monospaced font, and a bit */
		.baseline = s->font + 0.5,
		.row = row,
		.inverted = opt->inverted,
		.unit = opt->count_name ? opt->count_name : profile_unit(profile),
		.show_samples = profile->by_period && !profile->counts_samples,
		.notes = opt->notes,
	};

	body_init(&s->body, ctx->tree, &s->drawing, &style);
	s->height = HEAD + (s->drawing.max_depth + 1) * row + FOOT;
}

static void svg_deinit(struct svg *s)
{
	buf_deinit(&s->out);
	body_deinit(&s->body);
	drawing_deinit(&s->drawing);
}

static struct err *flush(struct svg *s, FILE *out)
{
	if (s->out.len && fwrite(s->out.data, 1, s->out.len, out) != s->out.len)
		return err_sys(errno, "cannot write the svg");
	s->out.len = 0;
	return NULL;
}

/* A line of text that is cut to the picture's width but told in full by its tooltip. */
static void put_line(struct svg *s, const char *id, unsigned int y, const char *text)
{
	unsigned int room = (s->width - 2 * PAD) / (y < 30 ? TITLE_CHAR : SMALL_CHAR);
	struct buf clean = { 0 };
	struct buf *b = &s->out;

	output_clean_utf8(&clean, text, strlen(text));
	xmltext_literal(b, "<text id=\"");
	xmltext_raw(b, id);
	xmltext_literal(b, "\" x=\"10\" y=\"");
	xmltext_u64(b, y);
	xmltext_literal(b, "\"><title>");
	xmltext_escape(b, text, strlen(text), SIZE_MAX);
	xmltext_literal(b, "</title>");
	xmltext_label(b, (const char *)clean.data, clean.len, room);
	xmltext_literal(b, "</text>\n");
	buf_deinit(&clean);
}

static char *title_of(const struct output_context *ctx)
{
	const struct profile *p = ctx->tree->profile;

	if (ctx->title)
		return xstrdup(ctx->title);
	if (p->groups.n == 1 && p->groups.v[0][0])
		return xasprintf("Flame graph: %s", p->groups.v[0]);
	return xstrdup("Flame graph");
}

static void put_head(struct svg *s)
{
	_cleanup_free_ char *title = title_of(s->ctx);
	_cleanup_free_ char *subtitle =
		s->ctx->subtitle ? xstrdup(s->ctx->subtitle) : output_subtitle(s->ctx->tree);
	struct buf *b = &s->out;
	char px[256];
	int len = snprintf(px, sizeof(px),
			   "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
			   "height=\"%u\" viewBox=\"0 0 %u %u\" data-row=\"%u\" data-font=\"%u\" "
			   "data-inverted=\"%d\">\n",
			   s->width, s->height, s->width, s->height, s->body.style.row, s->font,
			   s->body.style.inverted);

	xmltext_literal(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	buf_bytes(b, px, (size_t)len);
	xmltext_literal(b, "<title>");
	xmltext_escape(b, title, strlen(title), SIZE_MAX);
	xmltext_literal(b, "</title>\n<style><![CDATA[\n");
	xmltext_raw(b, svg_style);
	if (s->body.style.notes)
		palette_change_css(b);
	else
		palette_css(s->palette, b);
	len = snprintf(px, sizeof(px), "#frames text,.mono{font-size:%upx}\n", s->font);
	buf_bytes(b, px, (size_t)len);
	xmltext_literal(b, "]]></style>\n<rect id=\"ground\" width=\"100%\" height=\"100%\"/>\n"
			   "<g id=\"head\">\n");
	put_line(s, "name", 24, title);
	put_line(s, "about", 43, subtitle);
	xmltext_literal(b, "</g>\n");
}

/* "1,234 frames narrower than 0.1 px are not drawn (0.42 %)" */
static void pruned_note(const struct svg *s, struct buf *b)
{
	const struct drawing *d = &s->drawing;
	uint64_t all = d->frames.v[0].weight;

	if (!d->pruned)
		return (void)xmltext_literal(b, "every frame is drawn");
	xmltext_grouped(b, d->pruned);
	xmltext_raw(b, d->pruned == 1 ? " frame " : " frames ");
	char limit[64];
	double px = d->capped && all ? (double)d->threshold * s->body.style.width / (double)all
				     : s->min_width;

	if (s->by_percent && !d->capped)
		snprintf(limit, sizeof(limit), "below %.3g %%", s->ctx->min_percent);
	else
		snprintf(limit, sizeof(limit), "narrower than %.3g px", px);
	xmltext_raw(b, limit);
	xmltext_raw(b, d->pruned == 1 ? " is not drawn (" : " are not drawn (");
	xmltext_percent(b, d->pruned_weight, all);
	buf_u8(b, ')');
	if (d->capped)
		xmltext_literal(b, ": there are too many for a browser");
}

static void put_legend(struct svg *s, unsigned int y)
{
	struct buf *b = &s->out;
	unsigned int right = s->width - PAD;

	xmltext_literal(b, "<g id=\"legend\">");
	for (int origin = ORIGIN_UNKNOWN; origin > ORIGIN_GROUP; origin--) {
		const char *name = palette_origin_name(origin);
		unsigned int need = (unsigned int)strlen(name) * SMALL_CHAR + 26;
		char text[256], shade[3];

		if (!s->body.origins[origin] || right < need)
			continue;
		right -= need;
		palette_class(origin, "", shade);
		int len = snprintf(
			text, sizeof(text),
			"<g><rect class=\"%c4\" x=\"%u\" y=\"%u\" width=\"10\" height=\"10\"/>"
			"<text x=\"%u\" y=\"%u\">%s</text></g>",
			shade[0], right, y - 9, right + 15, y, name);

		buf_bytes(b, text, (size_t)len);
	}
	xmltext_literal(b, "</g>\n");
}

static void put_foot(struct svg *s)
{
	struct buf note = { 0 };
	struct buf *b = &s->out;
	unsigned int y = s->height - PAD;

	pruned_note(s, &note);
	xmltext_literal(b, "</g>\n<g id=\"foot\"><text id=\"note\" x=\"10\" y=\"");
	xmltext_u64(b, y);
	xmltext_literal(b, "\">");
	buf_bytes(b, note.data, note.len);
	xmltext_literal(b, "</text>");
	if (palette_has_legend(s->palette) && !s->body.style.notes)
		put_legend(s, y);
	xmltext_literal(b, "</g>\n<script><![CDATA[\n");
	xmltext_raw(b, svg_script);
	xmltext_literal(b, "]]></script>\n</svg>\n");
	buf_deinit(&note);
}

static struct err *put_all(struct svg *s, FILE *out)
{
	put_head(s);
	xmltext_literal(&s->out, "<g id=\"frames\" transform=\"translate(10 56)\">\n");
	for (size_t i = 0; i < s->drawing.frames.n; i++) {
		body_put(&s->body, i, &s->out);
		if (s->out.len >= FLUSH_LEN)
			TRY(flush(s, out));
	}
	put_foot(s);
	TRY(flush(s, out));
	return output_finish(out, "svg");
}

static struct err *svg_write(const struct output_context *ctx, FILE *out)
{
	static const struct svg_options defaults;
	const struct svg_options *opt = ctx->options ? ctx->options : &defaults;
	const struct palette *palette = NULL;
	struct svg s;

	TRY(check_options(opt, &palette));
	svg_init(&s, ctx, opt, palette);
	struct err *err = put_all(&s, out);

	svg_deinit(&s);
	return err;
}

const struct output svg_output = {
	.name = "svg",
	.suffix = ".svg",
	.what = "interactive flame graph",
	.write = svg_write,
};
