/* JSON (RFC 8259) written as it comes: commas are set by what was written before. */
#ifndef OUTPUT_JSONWRITER_H
#define OUTPUT_JSONWRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

struct json {
	FILE *out;
	struct buf buf; /* written out when it is long enough, and by json_end() */
	bool after;     /* a value stands before: what comes next needs a comma */
};

void json_begin(struct json *j, FILE *out);
/* Ends the text with a newline and releases the buffer; whether it arrived, ferror(out) says. */
void json_end(struct json *j);
/* '{' or '['; and its end, '}' or ']'. */
void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);
/* A key known to need no escapes. */
void json_key(struct json *j, const char *key);
/* Any bytes: what is not UTF-8, and control characters, become U+FFFD. */
void json_str(struct json *j, const char *s);
void json_u64(struct json *j, uint64_t v);
/* So many decimals, without trailing zeroes; not finite: null. */
void json_double(struct json *j, double v, int decimals);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
/* A line break, for rows that are long lists. */
void json_line(struct json *j);

/* A key and its value. */
static inline void json_key_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

static inline void json_key_str(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_str(j, s);
}

static inline void json_key_double(struct json *j, const char *key, double v, int decimals)
{
	json_key(j, key);
	json_double(j, v, decimals);
}

static inline void json_key_open(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	json_open(j, bracket);
}

#endif
