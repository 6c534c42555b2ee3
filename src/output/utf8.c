/* In: names as found, any bytes. Out: UTF-8 that every consumer takes. */
#include "output/output.h"

static bool is_tail(const char *p, size_t i, size_t left)
{
	return i < left && ((uint8_t)p[i] & 0xc0) == 0x80;
}

size_t output_utf8_len(const char *p, size_t left)
{
	if (!left)
		return 0;
	uint8_t c = (uint8_t)p[0];

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

	if (c < 0xc2 || c > 0xf4)
		return 0;
	uint32_t u = c & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if (!is_tail(p, i, left))
			return 0;
		u = u << 6 | ((uint8_t)p[i] & 0x3f);
	}
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (u < least[n] || u > 0x10ffff || (u >= 0xd800 && u <= 0xdfff))
		return 0; /* overlong, beyond Unicode, half of a surrogate pair */
	if (u < 0xa0 || u == 0xfffe || u == 0xffff || u == 0x2028 || u == 0x2029)
		return 0; /* C1 controls, no characters, ends of line to a JavaScript or Perl */
	return n;
}

void output_clean_utf8(struct buf *b, const char *name, size_t len)
{
	static const char bad[] = "\xef\xbf\xbd"; /* U+FFFD */

	for (size_t i = 0; i < len;) {
		size_t n = output_utf8_len(name + i, len - i);

		if (n)
			buf_bytes(b, name + i, n);
		else
			buf_bytes(b, bad, 3);
		i += n ?: 1;
	}
}
