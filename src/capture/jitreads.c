/* In: an open jitdump. Out: the code that came since the last look. */
#include "capture/jitreads.h"

#include <errno.h>

#include "capture/meta.h"
#include "model/jitrecord.h"

enum {
	PIECE = 16 << 20,       /* others wait for the helper meanwhile */
	RECORD_MOST = 64 << 20, /* no function is as long as that */
};

void jitreads_deinit(struct jitreads *j)
{
	for (size_t i = 0; i < j->v.n; i++)
		jitreader_deinit(&j->v.v[i].reader);
	vec_deinit(&j->v);
}

static struct jitread *find(const struct jitreads *j, uint32_t pid, uint32_t binary)
{
	for (size_t i = 0; i < j->v.n; i++)
		if (j->v.v[i].pid == pid && j->v.v[i].binary == binary)
			return &j->v.v[i];
	return NULL;
}

void jitreads_forget(struct jitreads *j, uint32_t pid, uint32_t binary)
{
	struct jitread *r = find(j, pid, binary);

	if (!r)
		return;
	jitreader_deinit(&r->reader);
	*r = j->v.v[--j->v.n];
}

static struct err *read_piece(struct jitread *r, int fd, struct buf *bytes,
			      struct jitread_result *ret)
{
	size_t len = r->want > PIECE ? r->want : PIECE;

	if (!buf_read_at(bytes, fd, r->off, len))
		return err_sys(errno, "cannot read it");
	struct cursor c = cursor(bytes->data, bytes->len);

	TRY(jitreader_read(&r->reader, &c, &ret->batch));
	r->off += cursor_offset(&c);
	r->want = jitrecord_wanted(&c);
	if (r->want > RECORD_MOST)
		return err_new("a record of %zu bytes", r->want);
	ret->more = bytes->len == len;
	ret->closed = r->reader.closed;
	return NULL;
}

static struct err *read_on(struct jitread *r, int fd, struct jitread_result *ret)
{
	struct buf bytes = { 0 };
	struct err *err = read_piece(r, fd, &bytes, ret);

	buf_deinit(&bytes);
	return err;
}

struct err *jitreads_next(struct jitreads *j, uint32_t pid, uint32_t binary, int fd,
			  struct jitread_result *ret)
{
	struct jitread *r = find(j, pid, binary);

	*ret = (struct jitread_result){ .pid = pid, .at_ns = meta_now_ns() };
	if (!r) {
		vec_push(&j->v, ((struct jitread){ .pid = pid, .binary = binary }));
		r = &j->v.v[j->v.n - 1];
	}
	struct err *err = fd < 0 ? err_sys(EBADF, "it is not open") : read_on(r, fd, ret);

	if (!err)
		return NULL;
	ret->closed = true;
	return err_wrap(err, "the jitdump of process %u cannot be used to unwind", pid);
}
