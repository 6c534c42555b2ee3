/* Text for XML, put into a buffer: names made safe, labels cut to size, numbers. None of these can
 * yield a character that XML 1.0 (section 2.2) forbids. */
#ifndef OUTPUT_SVG_XMLTEXT_H
#define OUTPUT_SVG_XMLTEXT_H

#include "base/buf.h"

#define xmltext_literal(b, s) buf_bytes((b), (s), sizeof(s) - 1)

/* Markup that is known to be good. */
void xmltext_raw(struct buf *b, const char *s);
/* `s` may be any bytes. The first `max` characters of it, and "…" if that is not all. */
void xmltext_escape(struct buf *b, const char *s, size_t len, size_t max);
/* How many columns of a fixed-width font the first `len` bytes of clean UTF-8 take: two for the
 * wide characters of East Asia. */
size_t xmltext_columns(const char *s, size_t len);
/* Clean UTF-8 `s` cut to `columns`, the last of them "…" if that is not all; escaped. */
void xmltext_label(struct buf *b, const char *s, size_t len, size_t columns);
void xmltext_u64(struct buf *b, uint64_t v);
/* "1,234,567" */
void xmltext_grouped(struct buf *b, uint64_t v);
/* Two decimals, without trailing zeroes. 0 <= v < 1e15. */
void xmltext_px(struct buf *b, double v);
/* "12.34 %"; "<0.01 %" for what would read as nothing. */
void xmltext_percent(struct buf *b, uint64_t part, uint64_t whole);

#endif
