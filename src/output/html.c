/* In: a call tree and the samples it was made from. Out: one HTML file that shows them. */
#include "output/html.h"

#include <errno.h>
#include <string.h>

#include "base/codec.h"
#include "output/html/assets.h"
#include "output/html_data.h"
#include "output/svg/xmltext.h"

/* RFC 4648, section 4. */
static void put_base64(struct buf *b, const uint8_t *p, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	buf_room(b, len / 3 * 4 + 4);
	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t bits = (uint32_t)p[i] << 16 | (n > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
				(n > 2 ? p[i + 2] : 0);

		b->data[b->len++] = (uint8_t)digits[bits >> 18];
		b->data[b->len++] = (uint8_t)digits[bits >> 12 & 63];
		b->data[b->len++] = n > 1 ? (uint8_t)digits[bits >> 6 & 63] : '=';
		b->data[b->len++] = n > 2 ? (uint8_t)digits[bits & 63] : '=';
	}
}

static struct err *put_data(const struct output_context *ctx, const struct html_options *opt,
			    struct buf *ret)
{
	struct buf raw = { 0 }, packed = { 0 };

	html_data_put(ctx, opt, &raw);
	struct err *err = codec_gzip(&raw, &packed);

	if (!err)
		put_base64(ret, packed.data, packed.len);
	buf_deinit(&raw);
	buf_deinit(&packed);
	return err;
}

/* Nothing may be fetched, and no script or style run but the two whose sums these are. */
static void put_policy(struct buf *b)
{
	xmltext_literal(b, "default-src 'none'; script-src 'sha256-");
	xmltext_raw(b, html_script_sha256);
	xmltext_literal(b, "'; style-src 'sha256-");
	xmltext_raw(b, html_style_sha256);
	xmltext_literal(b, "'; base-uri 'none'; form-action 'none'");
}

static void put_title(const struct output_context *ctx, struct buf *b)
{
	const struct profile *p = ctx->tree->profile;
	const char *host = p->data->meta.host;
	const char *title = ctx->title                            ? ctx->title
			    : p->groups.n == 1 && *p->groups.v[0] ? p->groups.v[0]
			    : host && *host                       ? host
								  : "profile";

	xmltext_escape(b, title, strlen(title), 200);
}

/* The template names where things go: a line "@NAME@" each. */
static struct err *put_part(const char *name, size_t len, const struct output_context *ctx,
			    struct buf *b)
{
	static const struct html_options defaults;
	const struct html_options *opt = ctx->options ? ctx->options : &defaults;

	if (!strncmp(name, "POLICY", len))
		put_policy(b);
	else if (!strncmp(name, "TITLE", len))
		put_title(ctx, b);
	else if (!strncmp(name, "STYLE", len))
		xmltext_raw(b, html_style);
	else if (!strncmp(name, "SCRIPT", len))
		xmltext_raw(b, html_script);
	else if (!strncmp(name, "DATA", len))
		return put_data(ctx, opt, b);
	return NULL;
}

static struct err *put_page(const struct output_context *ctx, struct buf *b)
{
	const char *p = html_template;

	for (const char *at; (at = strchr(p, '@'));) {
		const char *end = strchr(at + 1, '@');

		if (!end)
			break;
		buf_bytes(b, p, (size_t)(at - p));
		TRY(put_part(at + 1, (size_t)(end - at - 1), ctx, b));
		p = end + 1;
	}
	xmltext_raw(b, p);
	return NULL;
}

static struct err *html_write(const struct output_context *ctx, FILE *out)
{
	struct buf b = { 0 };
	struct err *err = put_page(ctx, &b);

	if (!err && fwrite(b.data, 1, b.len, out) != b.len)
		err = err_sys(errno, "cannot write the page");
	buf_deinit(&b);
	return err ? err : output_finish(out, "html");
}

const struct output html_output = {
	.name = "html",
	.suffix = ".html",
	.what = "interactive page: time, threads, flame graph, lines",
	.needs_samples = true,
	.needs_lines = true,
	.write = html_write,
};
