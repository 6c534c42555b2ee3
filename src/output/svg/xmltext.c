/* In: names of any bytes and numbers. Out: XML character data. */
#include "output/svg/xmltext.h"

#include <string.h>

#include "output/output.h"

void xmltext_raw(struct buf *b, const char *s)
{
	buf_bytes(b, s, strlen(s));
}

/* Length of the character at clean UTF-8 `s`. */
static size_t char_len(const char *s)
{
	unsigned char c = (unsigned char)*s;

	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

static uint32_t char_code(const char *s, size_t len)
{
	static const uint8_t lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (uint8_t)*s & lead_mask[len];

	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((uint8_t)s[i] & 0x3f);
	return code;
}

static void put_char(struct buf *b, const char *s, size_t len)
{
	switch (*s) {
	case '&':
		return (void)xmltext_literal(b, "&amp;");
	case '<':
		return (void)xmltext_literal(b, "&lt;");
	case '>':
		return (void)xmltext_literal(b, "&gt;");
	case '"':
		return (void)xmltext_literal(b, "&quot;");
	case '\'':
		return (void)xmltext_literal(b, "&#39;");
	default:
		buf_bytes(b, s, len);
	}
}

void xmltext_escape(struct buf *b, const char *s, size_t len, size_t max)
{
	struct buf clean = { 0 };

	if (!len)
		return;
	output_clean_utf8(&clean, s, len);
	const char *p = (const char *)clean.data, *end = p + clean.len;

	for (; p < end && max; max--) {
		size_t n = char_len(p);

		put_char(b, p, n);
		p += n;
	}
	if (p < end)
		xmltext_literal(b, "…");
	buf_deinit(&clean);
}

static size_t char_columns(const char *s, size_t len)
{
	if (len < 3)
		return 1;
	uint32_t c = char_code(s, len);

	return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
			       (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
			       (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
			       (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd)
		       ? 2
		       : 1;
}

size_t xmltext_columns(const char *s, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0, n; i < len; i += n) {
		n = char_len(s + i);
		columns += char_columns(s + i, n);
	}
	return columns;
}

void xmltext_label(struct buf *b, const char *s, size_t len, size_t columns)
{
	/* Beyond this many bytes it cannot fit, whatever the characters: no need to count on. */
	bool fits = len <= columns * 4 && xmltext_columns(s, len) <= columns;
	size_t left = fits ? columns : columns - 1;

	for (size_t i = 0, n; i < len; i += n) {
		n = char_len(s + i);
		size_t wide = char_columns(s + i, n);

		if (wide > left)
			break;
		left -= wide;
		put_char(b, s + i, n);
	}
	if (!fits)
		xmltext_literal(b, "…");
}

enum { U64_DIGITS = 20 };

/* Writes to the end of `digits`; returns how many. */
static size_t to_digits(uint64_t v, char digits[U64_DIGITS])
{
	size_t n = 0;

	do
		digits[U64_DIGITS - ++n] = (char)('0' + v % 10);
	while (v /= 10);
	return n;
}

void xmltext_u64(struct buf *b, uint64_t v)
{
	char digits[U64_DIGITS];
	size_t n = to_digits(v, digits);

	buf_bytes(b, digits + U64_DIGITS - n, n);
}

void xmltext_grouped(struct buf *b, uint64_t v)
{
	char digits[U64_DIGITS];
	size_t n = to_digits(v, digits);

	for (; n; n--) {
		buf_u8(b, (uint8_t)digits[U64_DIGITS - n]);
		if (n > 1 && n % 3 == 1)
			buf_u8(b, ',');
	}
}

void xmltext_px(struct buf *b, double v)
{
	uint64_t hundredths = (uint64_t)(v * 100 + 0.5);
	unsigned int rest = (unsigned int)(hundredths % 100);

	xmltext_u64(b, hundredths / 100);
	if (!rest)
		return;
	buf_u8(b, '.');
	buf_u8(b, (uint8_t)('0' + rest / 10));
	if (rest % 10)
		buf_u8(b, (uint8_t)('0' + rest % 10));
}

void xmltext_percent(struct buf *b, uint64_t part, uint64_t whole)
{
	uint64_t hundredths = whole ? (uint64_t)((double)part * 10000 / (double)whole + 0.5) : 0;

	if (!hundredths && part)
		return (void)xmltext_literal(b, "&lt;0.01 %");
	xmltext_u64(b, hundredths / 100);
	buf_u8(b, '.');
	buf_u8(b, (uint8_t)('0' + hundredths / 10 % 10));
	buf_u8(b, (uint8_t)('0' + hundredths % 10));
	xmltext_literal(b, " %");
}
