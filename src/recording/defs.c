/* In: tables that grow. Out: what a dictionary does not hold of them yet. */
#include "recording/defs.h"

#include "recording/fields.h"
#include "singe/recording.h"

void defs_deinit(struct defs *d)
{
	buf_deinit(&d->binaries);
	buf_deinit(&d->threads);
	buf_deinit(&d->node_parent);
	buf_deinit(&d->node_binary);
	buf_deinit(&d->node_off);
	buf_deinit(&d->node_kind);
	vec_deinit(&d->last_off);
	vec_deinit(&d->have_binary);
	vec_deinit(&d->have_thread);
}

void defs_reset(struct defs *d)
{
	d->binaries.len = d->threads.len = 0;
	d->node_parent.len = d->node_binary.len = d->node_off.len = d->node_kind.len = 0;
	d->first_node += d->n_nodes;
	d->n_nodes = 0;
	d->last_off.n = 0;
}

void defs_restart(struct defs *d)
{
	defs_reset(d);
	d->first_node = 1;
	d->have_binary.n = 0;
	d->have_thread.n = 0;
}

void defs_need_binary(struct defs *d, const struct binaries *binaries, uint32_t id)
{
	const struct binary *b = binaries_get(binaries, id);
	uint64_t version = (uint64_t)b->revision + 1;

	while (d->have_binary.n <= id)
		vec_push(&d->have_binary, 0);
	if (d->have_binary.v[id] == version)
		return;
	record_binary(&d->binaries, id, b);
	d->have_binary.v[id] = version;
}

void defs_need_thread(struct defs *d, const struct threads *threads, uint32_t id)
{
	while (d->have_thread.n <= id)
		vec_push(&d->have_thread, false);
	if (d->have_thread.v[id])
		return;
	record_thread(&d->threads, id, threads_get(threads, id));
	d->have_thread.v[id] = true;
}

void defs_next_node(struct defs *d, const struct dataset *data)
{
	uint32_t id = defs_next(d);
	const struct frame *f = frametree_get(&data->tree, id);

	defs_need_binary(d, &data->binaries, f->binary);
	while (d->last_off.n <= f->binary)
		vec_push(&d->last_off, 0);
	buf_uleb(&d->node_parent, id - f->parent);
	buf_uleb(&d->node_binary, f->binary);
	buf_zigzag(&d->node_off, (int64_t)(f->off - d->last_off.v[f->binary]));
	buf_uleb(&d->node_kind, f->kind);
	d->last_off.v[f->binary] = f->off;
	d->n_nodes++;
}

void defs_pack(const struct defs *d, struct buf *ret)
{
	field_buf(ret, SINGE_COLUMN_BINARIES, &d->binaries);
	field_buf(ret, SINGE_COLUMN_THREADS, &d->threads);
	field_buf(ret, SINGE_COLUMN_NODE_PARENT, &d->node_parent);
	field_buf(ret, SINGE_COLUMN_NODE_BINARY, &d->node_binary);
	field_buf(ret, SINGE_COLUMN_NODE_OFF, &d->node_off);
	field_buf(ret, SINGE_COLUMN_NODE_KIND, &d->node_kind);
}
