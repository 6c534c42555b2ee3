/* In: what a test wants a jitdump to say. Out: its bytes. */
#include "support/jitwrite.h"

void jitwrite_header(struct buf *b)
{
	buf_u32(b, 0x4a695444);
	buf_u32(b, 1);
	buf_u32(b, 40);
	for (int i = 0; i < 7; i++)
		buf_u32(b, 0);
}

void jitwrite_record(struct buf *b, uint32_t id, uint64_t time_ns, const struct buf *body)
{
	buf_u32(b, id);
	buf_u32(b, (uint32_t)(16 + body->len));
	buf_u64(b, time_ns);
	buf_bytes(b, body->data, body->len);
}

void jitwrite_load(struct buf *b, uint64_t time_ns, uint64_t start, uint64_t len, uint64_t index,
		   const char *name, const uint8_t *code, size_t code_len)
{
	struct buf body = { 0 };

	buf_u64(&body, 0);
	buf_u64(&body, start);
	buf_u64(&body, start);
	buf_u64(&body, len);
	buf_u64(&body, index);
	buf_cstr(&body, name);
	buf_bytes(&body, code, code_len);
	jitwrite_record(b, JITWRITE_LOAD, time_ns, &body);
	buf_deinit(&body);
}

void jitwrite_move(struct buf *b, uint64_t time_ns, uint64_t from, uint64_t to, uint64_t len,
		   uint64_t index)
{
	struct buf body = { 0 };

	buf_u64(&body, 0);
	buf_u64(&body, to);
	buf_u64(&body, from);
	buf_u64(&body, to);
	buf_u64(&body, len);
	buf_u64(&body, index);
	jitwrite_record(b, JITWRITE_MOVE, time_ns, &body);
	buf_deinit(&body);
}

void jitwrite_frames(struct buf *b, uint64_t code_len, const uint8_t *insns, size_t n)
{
	static const uint8_t cie[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
				       /* def_cfa rsp+8; rip at cfa-8; nops */
				       0x0c, 7, 8, 0x90, 1, 0, 0 };
	size_t begin = b->len, behind = (code_len + 7) & ~(size_t)7, pad = -(size_t)(1 + n) & 3;

	buf_u32(b, 4 + sizeof(cie));
	buf_u32(b, 0);
	buf_bytes(b, cie, sizeof(cie));
	buf_u32(b, (uint32_t)(4 + 4 + 4 + 1 + n + pad));
	buf_u32(b, (uint32_t)(b->len - begin));
	buf_u32(b, (uint32_t) - (int32_t)(behind + (b->len - begin)));
	buf_u32(b, (uint32_t)code_len);
	buf_u8(b, 0);
	buf_bytes(b, insns, n);
	for (; pad; pad--)
		buf_u8(b, 0);
	buf_u32(b, 0);
}

void jitwrite_unwinding(struct buf *b, const struct buf *frames)
{
	static const uint8_t hdr[20] = { 1, 0x1b, 3, 0x3b };
	struct buf body = { 0 };

	buf_u64(&body, frames->len + sizeof(hdr));
	buf_u64(&body, sizeof(hdr));
	buf_u64(&body, 0);
	buf_bytes(&body, frames->data, frames->len);
	buf_bytes(&body, hdr, sizeof(hdr));
	jitwrite_record(b, JITWRITE_UNWINDING, 5, &body);
	buf_deinit(&body);
}

void jitwrite_code(struct buf *b, uint64_t start, uint64_t index, const uint8_t *insns, size_t n)
{
	struct buf frames = { 0 };

	jitwrite_frames(&frames, JITWRITE_CODE_LEN, insns, n);
	jitwrite_unwinding(b, &frames);
	jitwrite_load(b, 5, start, JITWRITE_CODE_LEN, index, "f", (const uint8_t *)"code", 4);
	buf_deinit(&frames);
}
