/* In: numbers, strings, binaries, threads. Out: bytes of a block, and back. */
#include "recording/fields.h"

#include "base/alloc.h"
#include "singe/recording.h"

void field_bytes(struct buf *b, uint32_t tag, const void *p, size_t len)
{
	buf_uleb(b, tag);
	buf_uleb(b, len);
	buf_bytes(b, p, len);
}

void field_buf(struct buf *b, uint32_t tag, const struct buf *value)
{
	if (value->len)
		field_bytes(b, tag, value->data, value->len);
}

void field_str(struct buf *b, uint32_t tag, const char *s)
{
	field_bytes(b, tag, s, strnlen(s, RECORD_STR_MAX));
}

void field_uint(struct buf *b, uint32_t tag, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	if (!v)
		return;
	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (uint8_t)v | 0x80;
	bytes[n++] = (uint8_t)v;
	field_bytes(b, tag, bytes, n);
}

bool field_next(struct cursor *c, uint64_t *ret_tag, struct cursor *ret_value)
{
	if (c->failed || !cursor_left(c))
		return false;
	*ret_tag = cursor_uleb(c);
	*ret_value = cursor_sub(c);
	return !c->failed;
}

void field_take_str(struct cursor value, char **s)
{
	free(*s);
	*s = xstrndup((const char *)value.p, cursor_left(&value));
}

static void record_str(struct buf *b, const char *s)
{
	size_t len = strnlen(s, RECORD_STR_MAX);

	buf_uleb(b, len);
	buf_bytes(b, s, len);
}

void record_binary(struct buf *b, uint32_t id, const struct binary *binary)
{
	struct buf r = { 0 };

	buf_uleb(&r, id);
	buf_uleb(&r, binary->kind);
	buf_uleb(&r, binary->deleted ? SINGE_BINARY_DELETED : 0);
	buf_uleb(&r, binary->pid);
	buf_uleb(&r, binary->dev_major);
	buf_uleb(&r, binary->dev_minor);
	buf_uleb(&r, binary->inode);
	buf_uleb(&r, binary->inode_generation);
	buf_uleb(&r, binary->mtime_ns);
	buf_uleb(&r, binary->size);
	buf_uleb(&r, binary->build_id_len);
	buf_bytes(&r, binary->build_id, binary->build_id_len);
	record_str(&r, binary->path);
	buf_sub(b, &r);
	buf_deinit(&r);
}

/* A uleb that must fit in 32 bits. */
static uint32_t read_u32(struct cursor *c)
{
	uint64_t v = cursor_uleb(c);

	if (v > UINT32_MAX)
		c->failed = true;
	return (uint32_t)v;
}

bool record_binary_read(struct cursor *c, uint32_t *ret_id, struct binary *ret)
{
	struct cursor r = cursor_sub(c);
	struct binary b = { 0 };
	uint32_t id = read_u32(&r);
	uint64_t kind = cursor_uleb(&r);

	b.deleted = cursor_uleb(&r) & SINGE_BINARY_DELETED;
	b.pid = read_u32(&r);
	b.dev_major = read_u32(&r);
	b.dev_minor = read_u32(&r);
	b.inode = cursor_uleb(&r);
	b.inode_generation = cursor_uleb(&r);
	b.mtime_ns = cursor_uleb(&r);
	b.size = cursor_uleb(&r);
	struct cursor build_id = cursor_sub(&r);
	struct cursor path = cursor_sub(&r);
	size_t build_id_len = cursor_left(&build_id);

	if (r.failed || kind > BINARY_KIND_TEXT || build_id_len > BUILD_ID_MAX)
		return false;
	b.kind = (enum binary_kind)kind;
	b.build_id_len = (uint8_t)build_id_len;
	if (build_id_len)
		memcpy(b.build_id, build_id.p, build_id_len);
	b.path = xstrndup((const char *)path.p, cursor_left(&path));
	*ret_id = id;
	*ret = b;
	return true;
}

void record_thread(struct buf *b, uint32_t id, const struct thread_entry *thread)
{
	struct buf r = { 0 };

	buf_uleb(&r, id);
	buf_uleb(&r, thread->pid);
	buf_uleb(&r, thread->tid);
	buf_uleb(&r, thread->incarnation);
	buf_uleb(&r, thread->origin);
	record_str(&r, thread->comm);
	record_str(&r, thread->process_comm);
	buf_sub(b, &r);
	buf_deinit(&r);
}

bool record_thread_read(struct cursor *c, uint32_t *ret_id, struct thread_entry *ret)
{
	struct cursor r = cursor_sub(c);
	uint32_t id = read_u32(&r);
	struct thread_entry t = { .pid = read_u32(&r) };

	t.tid = read_u32(&r);
	t.incarnation = read_u32(&r);
	t.origin = read_u32(&r);
	struct cursor comm = cursor_sub(&r);
	struct cursor process_comm = cursor_sub(&r);

	if (r.failed)
		return false;
	t.comm = xstrndup((const char *)comm.p, cursor_left(&comm));
	t.process_comm = xstrndup((const char *)process_comm.p, cursor_left(&process_comm));
	*ret_id = id;
	*ret = t;
	return true;
}
