/* In: binaries that a block names. Out: records of them in that block, and back. */
#include "recording/blockbinaries.h"

#include "recording/fields.h"

uint32_t blockbinaries_add(struct blockbinaries *b, uint32_t id)
{
	while (b->number.n <= id)
		vec_push(&b->number, 0);
	if (!b->number.v[id]) {
		record_binary(&b->records, id, binaries_get(b->all, id));
		b->number.v[id] = ++b->n;
	}
	return b->number.v[id] - 1;
}

void blockbinaries_deinit(struct blockbinaries *b)
{
	buf_deinit(&b->records);
	vec_deinit(&b->number);
}

bool blockbinaries_read(struct cursor records, blockbinaries_fn *find, void *ctx,
			struct blockbinaries_ids *ret)
{
	while (cursor_left(&records)) {
		uint32_t id;
		struct binary b;

		if (!record_binary_read(&records, &id, &b))
			return false;
		vec_push(ret, find(ctx, &b));
		free(b.path);
	}
	return true;
}
