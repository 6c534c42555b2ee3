/* Protocol buffers, writing only (protobuf.dev, "Encoding"): fields appended to a buffer. Zero is
 * the default of every field and is left out. */
#ifndef OUTPUT_PROTOBUF_H
#define OUTPUT_PROTOBUF_H

#include "base/buf.h"

enum { PROTOBUF_VARINT = 0, PROTOBUF_LEN = 2 };

static inline void protobuf_tag(struct buf *b, uint32_t field, uint32_t type)
{
	buf_uleb(b, field << 3 | type);
}

/* int64, uint64, bool. */
static inline void protobuf_u64(struct buf *b, uint32_t field, uint64_t v)
{
	if (!v)
		return;
	protobuf_tag(b, field, PROTOBUF_VARINT);
	buf_uleb(b, v);
}

/* string, bytes: written even if empty, which a repeated field needs. */
static inline void protobuf_bytes(struct buf *b, uint32_t field, const void *p, size_t len)
{
	protobuf_tag(b, field, PROTOBUF_LEN);
	buf_uleb(b, len);
	buf_bytes(b, p, len);
}

/* A message or packed numbers; empties `sub` for the next one. */
static inline void protobuf_sub(struct buf *b, uint32_t field, struct buf *sub)
{
	protobuf_bytes(b, field, sub->data, sub->len);
	sub->len = 0;
}

#endif
