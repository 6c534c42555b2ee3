/* In: what a symbolizer or a recording says of places. Out: a plain look-up. */
#include "sample/names.h"

void names_init(struct names *n)
{
	*n = (struct names){ 0 };
	intern_init(&n->strings);
}

void names_deinit(struct names *n)
{
	intern_deinit(&n->strings);
	vec_deinit(&n->entries);
	vec_deinit(&n->lines);
	table_deinit(&n->table);
}

static struct name_entry *names_entry(const struct names *n, uint32_t binary, uint64_t off)
{
	uint64_t hash = hash_pair(off, binary);

	for (struct table_probe p = table_probe(&n->table, hash); table_next(&n->table, &p);) {
		struct name_entry *e = &n->entries.v[p.value];

		if (e->off == off && e->binary == binary)
			return e;
	}
	return NULL;
}

const struct name_entry *names_find(const struct names *n, uint32_t binary, uint64_t off)
{
	return names_entry(n, binary, off);
}

void names_set(struct names *n, uint32_t binary, uint64_t off, const struct name_line *lines,
	       uint16_t n_lines, uint16_t flags)
{
	struct name_entry *e = names_entry(n, binary, off);

	if (!e) {
		table_add(&n->table, hash_pair(off, binary), (uint32_t)n->entries.n);
		vec_push(&n->entries, ((struct name_entry){ .off = off, .binary = binary }));
		e = &n->entries.v[n->entries.n - 1];
	}
	e->first = (uint32_t)n->lines.n;
	e->n = n_lines;
	e->flags = flags;
	for (uint16_t i = 0; i < n_lines; i++)
		vec_push(&n->lines, lines[i]);
}
