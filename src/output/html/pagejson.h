/* JSON text (RFC 8259), put into a buffer. */
#ifndef OUTPUT_HTML_PAGEJSON_H
#define OUTPUT_HTML_PAGEJSON_H

#include <stdint.h>

#include "base/buf.h"

#define pagejson_raw(b, s) buf_bytes((b), (s), sizeof(s) - 1)

/* A string of any bytes; what is no character, and every control character, becomes U+FFFD. */
void pagejson_str(struct buf *b, const char *s);
/* The same of a text with line breaks and tabs, which stay. */
void pagejson_text(struct buf *b, const char *s, size_t len);
/* "key": — `key` is plain. */
void pagejson_key(struct buf *b, const char *key);
/* "key":value, and a comma after it. */
void pagejson_member_u64(struct buf *b, const char *key, uint64_t v);
void pagejson_member_str(struct buf *b, const char *key, const char *s);
void pagejson_member_bool(struct buf *b, const char *key, int v);
void pagejson_u64(struct buf *b, uint64_t v);
/* Takes the comma off that a list ended with, and closes it. */
void pagejson_close(struct buf *b, char bracket);

#endif
