/* In: the DIEs of one unit. Out: segments of code, each with its innermost function. */
#include "symbol/dies.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"

/* A chain of containers deeper than this is damage. */
enum { MAX_DEPTH = 512 };

struct interval {
	uint64_t lo, hi;
	uint32_t node; /* ids grow inward: a child's is larger than its parent's */
};

struct segment {
	uint64_t lo; /* to the next segment's lo */
	uint32_t node;
};

struct dies {
	VEC(struct dies_node) nodes;    /* [0]: none */
	VEC(struct interval) intervals; /* only while building */
	VEC(struct segment) segments;
};

static uint32_t attr_u32(Dwarf_Die *die, unsigned int name, uint32_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) || value > UINT32_MAX)
		return otherwise;
	return (uint32_t)value;
}

/* A node for a function or inlined call that has code; else the parent. */
static uint32_t add_node(struct dies *d, Dwarf_Die *die, bool inlined, uint32_t parent)
{
	uint32_t id = (uint32_t)d->nodes.n;
	Dwarf_Addr base = 0;
	Dwarf_Addr lo, hi;
	ptrdiff_t at = 0;
	bool has_code = false;

	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		if (!lo || lo >= hi)
			continue;
		has_code = true;
		vec_push(&d->intervals, ((struct interval){ .lo = lo, .hi = hi, .node = id }));
	}
	if (!has_code)
		return parent;
	struct dies_node node = { .die = *die, .call_file = UINT32_MAX };

	if (inlined) {
		node.parent = parent;
		node.call_line = attr_u32(die, DW_AT_call_line, 0);
		node.call_file = attr_u32(die, DW_AT_call_file, UINT32_MAX);
	}
	vec_push(&d->nodes, node);
	return id;
}

/* Goes through siblings; descends into whatever may hold functions (Rust puts them into namespaces
 * and types). */
static void add_dies(struct dies *d, Dwarf_Die *first, uint32_t parent, unsigned int depth)
{
	Dwarf_Die die = *first;
	Dwarf_Die child;

	do {
		uint32_t inner = parent;

		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			inner = add_node(d, &die, false, parent);
			break;
		case DW_TAG_inlined_subroutine:
			inner = add_node(d, &die, true, parent);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			break;
		default:
			continue;
		}
		if (depth < MAX_DEPTH && !dwarf_child(&die, &child))
			add_dies(d, &child, inner, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static int compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a;
	const struct interval *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->hi != y->hi)
		return x->hi > y->hi ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void add_segment(struct dies *d, uint64_t lo, uint32_t node)
{
	struct segment *last = d->segments.n ? &d->segments.v[d->segments.n - 1] : NULL;

	if (last && last->lo == lo)
		last->node = node;
	else if (!last || last->node != node)
		vec_push(&d->segments, ((struct segment){ .lo = lo, .node = node }));
}

/* Sweeps over the intervals, outermost first at each start. Those that are open form a stack; one
 * that sticks out of its outer one (damage) is cut there. */
static void flatten(struct dies *d)
{
	VEC(struct interval) open = { 0 };

	vec_sort(&d->intervals, compare_intervals);
	for (size_t i = 0; i <= d->intervals.n; i++) {
		uint64_t now = i < d->intervals.n ? d->intervals.v[i].lo : UINT64_MAX;

		while (open.n && open.v[open.n - 1].hi <= now) {
			uint64_t hi = open.v[--open.n].hi;

			add_segment(d, hi, open.n ? open.v[open.n - 1].node : 0);
		}
		if (i == d->intervals.n)
			break;
		struct interval in = d->intervals.v[i];

		if (open.n && in.hi > open.v[open.n - 1].hi)
			in.hi = open.v[open.n - 1].hi;
		add_segment(d, in.lo, in.node);
		vec_push(&open, in);
	}
	vec_deinit(&open);
	vec_deinit(&d->intervals);
}

struct dies *dies_create(Dwarf_Die *cu)
{
	struct dies *d = xcalloc(1, sizeof(*d));
	Dwarf_Die child;

	vec_push(&d->nodes, (struct dies_node){ 0 });
	if (!dwarf_child(cu, &child))
		add_dies(d, &child, 0, 0);
	flatten(d);
	return d;
}

void dies_destroy(struct dies *d)
{
	if (!d)
		return;
	vec_deinit(&d->nodes);
	vec_deinit(&d->intervals);
	vec_deinit(&d->segments);
	free(d);
}

uint32_t dies_find(const struct dies *d, uint64_t svma)
{
	size_t lo = 0;
	size_t hi = d->segments.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->segments.v[mid].lo <= svma)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? d->segments.v[lo - 1].node : 0;
}

const struct dies_node *dies_get(const struct dies *d, uint32_t node)
{
	return &d->nodes.v[node];
}

void dies_names(struct dies *d, uint32_t node, const char **linkage, const char **name)
{
	struct dies_node *n = &d->nodes.v[node];
	Dwarf_Attribute attr;

	if (!n->is_named) {
		n->is_named = true;
		if (dwarf_attr_integrate(&n->die, DW_AT_linkage_name, &attr) ||
		    dwarf_attr_integrate(&n->die, DW_AT_MIPS_linkage_name, &attr))
			n->linkage = dwarf_formstring(&attr);
		if (!n->linkage && dwarf_attr_integrate(&n->die, DW_AT_name, &attr))
			n->name = dwarf_formstring(&attr);
	}
	*linkage = n->linkage;
	*name = n->name;
}
