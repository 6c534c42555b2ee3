/* In: a path. Out: the lines of the file there, fit for a terminal. */
#include "output/listing.h"

#include <string.h>

#include "output/output.h"

enum { TAB = 8 };

void listings_deinit(struct listings *l)
{
	for (size_t i = 0; i < l->v.n; i++) {
		free(l->v.v[i].found);
		buf_deinit(&l->v.v[i].text);
		vec_deinit(&l->v.v[i].starts);
	}
	vec_deinit(&l->v);
}

static void read_lines(struct listing *l)
{
	if (!l->found || !sourcefile_read(l->found, &l->text))
		return;
	vec_push(&l->starts, 0);
	for (size_t i = 0; i < l->text.len; i++)
		if (l->text.data[i] == '\n')
			vec_push(&l->starts, i + 1);
	if (l->starts.v[l->starts.n - 1] != l->text.len)
		vec_push(&l->starts, l->text.len);
}

const struct listing *listings_get(struct listings *l, const char *path)
{
	for (size_t i = 0; i < l->v.n; i++)
		if (!strcmp(l->v.v[i].path, path))
			return &l->v.v[i];
	vec_push(&l->v,
		 ((struct listing){ .path = path, .found = sourcefile_find(l->dirs, path) }));
	read_lines(&l->v.v[l->v.n - 1]);
	return &l->v.v[l->v.n - 1];
}

size_t listing_lines(const struct listing *l)
{
	return l->starts.n ? l->starts.n - 1 : 0;
}

void listing_put(const struct listing *l, uint32_t line, struct buf *b)
{
	const char *from = (const char *)l->text.data + l->starts.v[line - 1];
	size_t len = l->starts.v[line] - l->starts.v[line - 1], column = 0;
	struct buf wide = { 0 };

	while (len && (from[len - 1] == '\n' || from[len - 1] == '\r'))
		len--;
	for (size_t i = 0; i < len; i++) {
		bool tab = from[i] == '\t';

		/* Columns are characters; bytes that go on with one are none. */
		column += !tab && (from[i] & 0xc0) != 0x80;
		if (!tab)
			buf_u8(&wide, (uint8_t)from[i]);
		for (bool more = tab; more; more = column % TAB) {
			buf_u8(&wide, ' ');
			column++;
		}
	}
	output_clean_utf8(b, (const char *)wide.data, wide.len);
	buf_deinit(&wide);
}
