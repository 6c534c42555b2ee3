/* In: names and weights. Out: a call tree as calltree_build() would make it of them. */
#include "support/handtree.h"

#include <string.h>

void handtree_init(struct handtree *h)
{
	struct event_desc event = {
		.name = xstrdup("cpu-clock"),
		.unit = xstrdup("ns"),
		.is_clock = true,
		.is_freq = true,
		.rate = 999,
	};

	memset(h, 0, sizeof(*h));
	dataset_init(&h->data);
	vec_push(&h->data.events, event);
	h->data.totals.complete = true;
	h->profile.data = &h->data;
	vec_push(&h->profile.groups, xstrdup(""));
	h->tree.profile = &h->profile;
	vec_push(&h->tree.funcs, ((struct func){ .name = "all", .origin = ORIGIN_GROUP }));
	vec_push(&h->tree.nodes, ((struct callnode){ 0 }));
}

void handtree_deinit(struct handtree *h)
{
	vec_deinit(&h->tree.funcs);
	vec_deinit(&h->tree.nodes);
	for (size_t i = 0; i < h->profile.groups.n; i++)
		free(h->profile.groups.v[i]);
	vec_deinit(&h->profile.groups);
	table_deinit(&h->tree.func_table);
	dataset_deinit(&h->data);
}

static uint32_t func_of(struct handtree *h, const char *name, enum origin origin)
{
	uint64_t hash = hash_str(name);

	for (struct table_probe p = table_probe(&h->tree.func_table, hash);
	     table_next(&h->tree.func_table, &p);)
		if (!strcmp(h->tree.funcs.v[p.value].name, name) &&
		    h->tree.funcs.v[p.value].origin == origin)
			return p.value;
	uint32_t func = (uint32_t)h->tree.funcs.n;

	vec_push(&h->tree.funcs,
		 ((struct func){ .name = name, .origin = (uint8_t)origin, .named = true }));
	table_add(&h->tree.func_table, hash, func);
	return func;
}

uint32_t handtree_child(struct handtree *h, uint32_t parent, const char *name, enum origin origin)
{
	uint32_t func = func_of(h, name, origin), last = 0;

	for (uint32_t c = h->tree.nodes.v[parent].first_child; c; c = h->tree.nodes.v[c].next) {
		if (h->tree.nodes.v[c].func == func)
			return c;
		last = c;
	}
	uint32_t node = (uint32_t)h->tree.nodes.n;

	vec_push(&h->tree.nodes, ((struct callnode){ .func = func, .parent = parent }));
	if (last)
		h->tree.nodes.v[last].next = node;
	else
		h->tree.nodes.v[parent].first_child = node;
	return node;
}

void handtree_add(struct handtree *h, uint32_t node, uint64_t samples)
{
	struct callnode *n = &h->tree.nodes.v[node];

	n->self += samples;
	n->self_samples += samples;
	h->profile.weight += samples;
	h->profile.samples += samples;
	h->tree.verdicts[0] += samples;
	h->data.totals.samples += samples;
	for (;; node = n->parent) {
		n = &h->tree.nodes.v[node];
		n->total += samples;
		n->total_samples += samples;
		if (!node)
			return;
	}
}
