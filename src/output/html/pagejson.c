/* In: values, any bytes. Out: JSON. */
#include "output/html/pagejson.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/output.h"

static void put_char(struct buf *b, const char *s, size_t len, bool keep_breaks)
{
	if (*s == '"' || *s == '\\') {
		buf_u8(b, '\\');
		buf_u8(b, (uint8_t)*s);
	} else if (len) {
		buf_bytes(b, s, len);
	} else if (keep_breaks && *s == '\n') {
		pagejson_raw(b, "\\n");
	} else if (keep_breaks && *s == '\t') {
		pagejson_raw(b, "\\t");
	} else if (!keep_breaks || *s != '\r') {
		pagejson_raw(b, "\xef\xbf\xbd");
	}
}

static void put_string(struct buf *b, const char *s, size_t len, bool keep_breaks)
{
	buf_u8(b, '"');
	for (size_t i = 0; i < len;) {
		size_t n = output_utf8_len(s + i, len - i);

		put_char(b, s + i, n, keep_breaks);
		i += n ? n : 1;
	}
	buf_u8(b, '"');
}

void pagejson_str(struct buf *b, const char *s)
{
	put_string(b, s, strlen(s), false);
}

void pagejson_text(struct buf *b, const char *s, size_t len)
{
	put_string(b, s, len, true);
}

void pagejson_key(struct buf *b, const char *key)
{
	output_printf(b, "\"%s\":", key);
}

void pagejson_u64(struct buf *b, uint64_t v)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, v);

	buf_bytes(b, digits, (size_t)len);
}

void pagejson_member_u64(struct buf *b, const char *key, uint64_t v)
{
	pagejson_key(b, key);
	pagejson_u64(b, v);
	buf_u8(b, ',');
}

void pagejson_member_str(struct buf *b, const char *key, const char *s)
{
	pagejson_key(b, key);
	pagejson_str(b, s);
	buf_u8(b, ',');
}

void pagejson_member_bool(struct buf *b, const char *key, int v)
{
	pagejson_key(b, key);
	if (v)
		pagejson_raw(b, "true,");
	else
		pagejson_raw(b, "false,");
}

void pagejson_close(struct buf *b, char bracket)
{
	if (b->len && b->data[b->len - 1] == ',')
		b->len--;
	buf_u8(b, (uint8_t)bracket);
}
