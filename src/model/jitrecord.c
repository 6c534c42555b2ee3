/* In: bytes of a jitdump file. Out: its records, taken apart. */
#include "model/jitrecord.h"

#include <string.h>

enum { FLAG_ARCH_TIMESTAMP = 1 };

bool jitrecord_is_dump(const struct binary *b)
{
	const char *name = binary_name(b);
	size_t digits = strncmp(name, "jit-", 4) ? 0 : strspn(name + 4, "0123456789");

	return b->kind == BINARY_KIND_FILE && digits && !strcmp(name + 4 + digits, ".dump");
}

bool jitrecord_header(struct cursor *c, bool *ret_arch_time)
{
	uint32_t magic = cursor_u32(c);
	uint32_t version = cursor_u32(c);
	uint32_t len = cursor_u32(c);

	cursor_skip(c, 4 + 4 + 4 + 8); /* machine, padding, pid, time */
	*ret_arch_time = cursor_u64(c) & FLAG_ARCH_TIMESTAMP;
	if (c->failed || magic != JITRECORD_MAGIC || version != 1 || len < JITRECORD_HEADER_LEN)
		return false;
	cursor_skip(c, len - JITRECORD_HEADER_LEN);
	return true;
}

uint32_t jitrecord_machine(struct cursor c)
{
	cursor_skip(&c, 4 + 4 + 4); /* magic, version, length */
	return cursor_u32(&c);
}

bool jitrecord_next(struct cursor *c, struct jitrecord *ret)
{
	struct cursor at = *c;

	ret->id = cursor_u32(&at);
	uint32_t len = cursor_u32(&at);

	ret->time_ns = cursor_u64(&at);
	const uint8_t *body = len >= JITRECORD_LEN ? cursor_bytes(&at, len - JITRECORD_LEN) : NULL;

	if (at.failed || !body)
		return false;
	ret->body = cursor(body, len - JITRECORD_LEN);
	*c = at;
	return true;
}

uint32_t jitrecord_wanted(const struct cursor *c)
{
	struct cursor at = *c;

	cursor_skip(&at, 4);
	uint32_t len = cursor_u32(&at);

	if (at.failed)
		return 0;
	return len ? len : 1;
}

bool jitrecord_load(struct cursor *body, struct jit_load *ret)
{
	cursor_skip(body, 4 + 4 + 8); /* pid, tid, vma */
	ret->start = cursor_u64(body);
	uint64_t len = cursor_u64(body);

	ret->index = cursor_u64(body);
	ret->name = cursor_cstr(body);
	return !body->failed && len && !__builtin_add_overflow(ret->start, len, &ret->end);
}

bool jitrecord_move(struct cursor *body, struct jit_move *ret)
{
	cursor_skip(body, 4 + 4 + 8);
	ret->from = cursor_u64(body);
	ret->start = cursor_u64(body);
	uint64_t len = cursor_u64(body);

	ret->index = cursor_u64(body);
	return !body->failed && len && !__builtin_add_overflow(ret->start, len, &ret->end);
}

/* The specification puts .eh_frame_hdr first; every compiler that writes such records, and perf,
 * which reads them, put it last. */
bool jitrecord_unwinding(struct cursor *body, const uint8_t **ret, size_t *ret_len)
{
	uint64_t len = cursor_u64(body);
	uint64_t hdr_len = cursor_u64(body);

	cursor_skip(body, 8); /* how much of it is in the process's memory */
	*ret = cursor_bytes(body, len);
	if (body->failed || hdr_len > len)
		return false;
	*ret_len = (size_t)(len - hdr_len);
	return true;
}
