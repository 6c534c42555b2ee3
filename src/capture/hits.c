/* In: a node for each sample. Out: the distinct places hit. */
#include "capture/hits.h"

#include "sample/names.h"

void hits_init(struct hits *h)
{
	*h = (struct hits){ 0 };
}

void hits_deinit(struct hits *h)
{
	vec_deinit(&h->per_node);
	vec_deinit(&h->places);
	vec_deinit(&h->cuts);
	table_deinit(&h->table);
}

void hits_grow(struct hits *h, uint32_t node)
{
	size_t from = h->per_node.n;
	size_t to = (size_t)node + 1;

	vec_reserve(&h->per_node, to);
	memset(h->per_node.v + from, 0, (to - from) * sizeof(*h->per_node.v));
	h->per_node.n = to;
}

static struct hit *hits_place(struct hits *h, uint32_t binary, uint64_t key)
{
	uint64_t hash = hash_pair(key, binary);

	for (struct table_probe p = table_probe(&h->table, hash); table_next(&h->table, &p);) {
		struct hit *hit = &h->places.v[p.value];

		if (hit->key == key && hit->binary == binary)
			return hit;
	}
	table_add(&h->table, hash, (uint32_t)h->places.n);
	vec_push(&h->places, ((struct hit){ .key = key, .binary = binary }));
	return &h->places.v[h->places.n - 1];
}

/* There are as many as binaries at most, times the verdicts. */
static struct hit_cut *hits_cut(struct hits *h, const struct frame *f)
{
	for (size_t i = 0; i < h->cuts.n; i++)
		if (h->cuts.v[i].binary == f->binary && h->cuts.v[i].verdict == f->off)
			return &h->cuts.v[i];
	vec_push(&h->cuts,
		 ((struct hit_cut){ .binary = f->binary, .verdict = (enum verdict)f->off }));
	return &h->cuts.v[h->cuts.n - 1];
}

void hits_collect(struct hits *h, const struct frametree *tree)
{
	if (h->per_node.n < tree->frames.n)
		hits_grow(h, (uint32_t)tree->frames.n - 1);
	/* A parent's id is smaller than its child's: from the end, counts flow out to the roots. */
	for (uint32_t id = (uint32_t)tree->frames.n - 1; id; id--) {
		const struct frame *f = frametree_get(tree, id);
		uint32_t count = h->per_node.v[id];

		if (f->parent)
			h->per_node.v[f->parent] += count;
		if (f->kind == FRAME_CUT) {
			if (!f->parent && count)
				hits_cut(h, f)->samples += count;
			continue;
		}
		struct hit *hit = hits_place(h, f->binary, names_key(f));

		if (!f->parent)
			hit->outermost += count;
	}
	h->per_node.n = 0;
}
