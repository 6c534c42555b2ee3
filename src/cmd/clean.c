/* In: bytes from anywhere. Out: text that does no harm. */
#include "cmd/clean.h"

#include <string.h>

#include "output/output.h"

void clean_print(FILE *out, const char *text)
{
	struct buf b = { 0 };

	output_clean_utf8(&b, text, strlen(text));
	if (b.len)
		fwrite(b.data, 1, b.len, out);
	buf_deinit(&b);
}

void clean_json(FILE *out, const char *text)
{
	struct buf b = { 0 };

	output_clean_utf8(&b, text, strlen(text));
	fputc('"', out);
	for (size_t i = 0; i < b.len; i++) {
		if (b.data[i] == '"' || b.data[i] == '\\')
			fputc('\\', out);
		fputc(b.data[i], out);
	}
	fputc('"', out);
	buf_deinit(&b);
}

void clean_hex(FILE *out, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(out, "%02x", bytes[i]);
}
