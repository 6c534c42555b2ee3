/* In: numbers by column. Out: their list, and their bytes one column after the other. */
#include "output/html/pagecolumns.h"

#include "output/html/pagejson.h"

void pagecolumns_deinit(struct pagecolumns *c)
{
	for (size_t i = 0; i < c->v.n; i++)
		buf_deinit(&c->v.v[i].bytes);
	vec_deinit(&c->v);
}

struct column *pagecolumns_begin(struct pagecolumns *c, const char *name, char kind)
{
	vec_push(&c->v, ((struct column){ .name = name, .kind = kind }));
	return &c->v.v[c->v.n - 1];
}

void column_put(struct column *c, uint64_t value)
{
	if (c->kind == 'd')
		buf_zigzag(&c->bytes, (int64_t)(value - c->last));
	else
		buf_uleb(&c->bytes, value);
	c->last = value;
	c->n++;
}

void pagecolumns_list(const struct pagecolumns *c, struct buf *json)
{
	buf_u8(json, '[');
	for (size_t i = 0; i < c->v.n; i++) {
		const struct column *col = &c->v.v[i];

		buf_u8(json, '[');
		pagejson_str(json, col->name);
		buf_u8(json, ',');
		pagejson_str(json, (char[]){ col->kind, '\0' });
		buf_u8(json, ',');
		pagejson_u64(json, col->n);
		buf_u8(json, ',');
		pagejson_u64(json, col->bytes.len);
		pagejson_raw(json, "],");
	}
	pagejson_close(json, ']');
}

void pagecolumns_bytes(const struct pagecolumns *c, struct buf *ret)
{
	for (size_t i = 0; i < c->v.n; i++)
		buf_bytes(ret, c->v.v[i].bytes.data, c->v.v[i].bytes.len);
}
