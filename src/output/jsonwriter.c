/* In: values, one after the other. Out: JSON text. */
#include "output/jsonwriter.h"

#include <inttypes.h>
#include <math.h>

#include "output/output.h"

enum { FLUSH_LEN = 1 << 18 };

static void flush(struct json *j)
{
	fwrite(j->buf.data, 1, j->buf.len, j->out);
	j->buf.len = 0;
}

void json_begin(struct json *j, FILE *out)
{
	*j = (struct json){ .out = out };
}

void json_end(struct json *j)
{
	buf_u8(&j->buf, '\n');
	flush(j);
	buf_deinit(&j->buf);
}

/* Before every value. */
static void separate(struct json *j)
{
	if (j->after)
		buf_u8(&j->buf, ',');
	if (j->buf.len >= FLUSH_LEN)
		flush(j);
	j->after = true;
}

void json_open(struct json *j, char bracket)
{
	separate(j);
	buf_u8(&j->buf, (uint8_t)bracket);
	j->after = false;
}

void json_close(struct json *j, char bracket)
{
	buf_u8(&j->buf, (uint8_t)bracket);
	j->after = true;
}

void json_key(struct json *j, const char *key)
{
	separate(j);
	output_printf(&j->buf, "\"%s\":", key);
	j->after = false;
}

void json_str(struct json *j, const char *s)
{
	struct buf clean = { 0 };

	separate(j);
	output_clean_utf8(&clean, s, strlen(s));
	buf_u8(&j->buf, '"');
	for (size_t i = 0; i < clean.len; i++) {
		if (clean.data[i] == '"' || clean.data[i] == '\\')
			buf_u8(&j->buf, '\\');
		buf_u8(&j->buf, clean.data[i]);
	}
	buf_u8(&j->buf, '"');
	buf_deinit(&clean);
}

void json_u64(struct json *j, uint64_t v)
{
	separate(j);
	output_printf(&j->buf, "%" PRIu64, v);
}

void json_double(struct json *j, double v, int decimals)
{
	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	separate(j);
	output_printf(&j->buf, "%.*f", decimals, v);
	while (decimals-- > 0 && j->buf.data[j->buf.len - 1] == '0')
		j->buf.len--;
	if (j->buf.data[j->buf.len - 1] == '.')
		j->buf.len--;
}

void json_bool(struct json *j, bool v)
{
	separate(j);
	output_printf(&j->buf, v ? "true" : "false");
}

void json_null(struct json *j)
{
	separate(j);
	output_printf(&j->buf, "null");
}

void json_line(struct json *j)
{
	buf_u8(&j->buf, '\n');
}
