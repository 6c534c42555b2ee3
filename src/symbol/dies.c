/* In: the DIEs of one unit. Out: segments of code, each with its innermost function. */
#include "symbol/dies.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"
#include "symbol/dieread.h"

struct interval {
	uint64_t lo, hi;
	uint32_t node; /* ids grow inward: a child's is larger than its parent's */
};

struct segment {
	uint64_t lo; /* to the next segment's lo */
	uint32_t node;
};

struct dies {
	struct Dwarf_CU *cu;
	VEC(struct dies_node) nodes;    /* [0]: none */
	VEC(struct interval) intervals; /* only while building */
	VEC(struct segment) segments;
};

/* A DIE with children that is being walked: what its children are in. */
struct open_die {
	uint32_t node;
	bool is_skipped; /* nothing in it is a function */
};

struct walk {
	const struct dwarfunit *u;
	struct dies *dies;
	struct abbrevs abbrevs;
	struct cursor c;
	VEC(struct open_die) open;
	struct pc_ranges ranges; /* scratch */
};

/* A node for a function or inlined call that has code; else the parent. */
static uint32_t add_node(struct walk *w, const struct die_read *die, bool inlined, uint32_t parent)
{
	struct dies *d = w->dies;
	uint32_t id = (uint32_t)d->nodes.n;

	w->ranges.v.n = 0;
	die_ranges(w->u, die, &w->ranges);
	if (!w->ranges.v.n)
		return parent;
	for (size_t i = 0; i < w->ranges.v.n; i++) {
		const struct pc_range *r = &w->ranges.v.v[i];

		vec_push(&d->intervals,
			 ((struct interval){ .lo = r->lo, .hi = r->hi, .node = id }));
	}
	struct dies_node node = { .die = die->at, .call_file = UINT32_MAX };

	if (inlined) {
		node.parent = parent;
		node.call_line = die->call_line;
		node.call_file = die->call_file;
	}
	vec_push(&d->nodes, node);
	return id;
}

/* Whether functions may be inside (Rust puts them into namespaces and types). */
static bool may_hold_functions(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

/* Past the children of a DIE of no interest, where it says how far they reach. */
static bool skip_children(struct walk *w, const struct die_read *die)
{
	const struct cursor *all = &w->u->dies;
	uint64_t end = (uint64_t)(all->end - w->u->start), now = (uint64_t)(w->c.p - w->u->start);

	if (die->sibling <= now || die->sibling > end)
		return false;
	w->c.p = w->u->start + die->sibling;
	return true;
}

/* One DIE; false at the end, or where the rest cannot be read. */
static bool walk_die(struct walk *w)
{
	const struct open_die in = w->open.n ? w->open.v[w->open.n - 1] : (struct open_die){ 0 };
	const uint8_t *at = w->c.p;
	uint64_t code = cursor_uleb(&w->c);
	struct die_read die = { 0 };

	if (!code && w->open.n) {
		w->open.n--;
		return !w->c.failed && w->open.n;
	}
	const struct abbrev *abbrev = abbrevs_find(&w->abbrevs, code);

	if (!abbrev)
		return false;
	/* Most of the bulk of C++: what headers declare. */
	bool is_declared = abbrev->tag == DW_TAG_subprogram && abbrev->is_declaration;
	bool holds = !in.is_skipped && !is_declared && may_hold_functions(abbrev->tag);
	bool is_function = holds && (abbrev->tag == DW_TAG_subprogram ||
				     abbrev->tag == DW_TAG_inlined_subroutine);

	if (abbrev->fixed_len >= 0 && !is_function &&
	    !(abbrev->has_children && abbrev->has_sibling))
		cursor_skip(&w->c, (uint64_t)abbrev->fixed_len);
	else if (!die_read(w->u, &w->abbrevs, abbrev, at, &w->c, &die))
		return false;
	struct open_die inner = { .node = in.node, .is_skipped = !holds };

	if (is_function)
		inner.node = add_node(w, &die, abbrev->tag == DW_TAG_inlined_subroutine, in.node);
	if (abbrev->has_children && (holds || !skip_children(w, &die)))
		vec_push(&w->open, inner);
	return !w->c.failed && w->open.n;
}

/* One that covers another before it: longer ones first, and of equal ones the outer. */
static int compare_tied(const void *a, const void *b)
{
	const struct interval *x = a;
	const struct interval *y = b;

	if (x->hi != y->hi)
		return x->hi > y->hi ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* One pass by the byte of `lo` (less `least`) at `shift`, from `from` to `to`. Keeps order. */
static void sort_byte(const struct interval *from, struct interval *to, size_t n, uint64_t least,
		      unsigned int shift)
{
	size_t at[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[(from[i].lo - least) >> shift & 0xff]++;
	for (size_t i = 0; i < 256; i++) {
		size_t count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[(from[i].lo - least) >> shift & 0xff]++] = from[i];
}

/* By start, then as compare_tied(). By digits: units have tens of thousands of intervals in two or
 * three bytes of addresses. */
static void sort_intervals(struct dies *d)
{
	size_t n = d->intervals.n;
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t lo = d->intervals.v[i].lo;

		least = lo < least ? lo : least;
		most = lo > most ? lo : most;
	}
	struct interval *from = d->intervals.v, *to = xreallocarray(NULL, n + 1, sizeof(*to));

	for (unsigned int shift = 0; n && shift < 64 && (most - least) >> shift; shift += 8) {
		struct interval *sorted = to;

		sort_byte(from, to, n, least, shift);
		to = from;
		from = sorted;
	}
	free(to);
	d->intervals.v = from;
	d->intervals.cap = n;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && from[end].lo == from[i].lo; end++)
			;
		if (end - i > 1)
			qsort(from + i, end - i, sizeof(*from), compare_tied);
	}
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

	sort_intervals(d);
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

struct dies *dies_create(const struct dwarfunit *u)
{
	struct dies *d = xcalloc(1, sizeof(*d));
	struct walk w = { .u = u, .dies = d, .c = u->dies };

	d->cu = u->cu.cu;
	vec_push(&d->nodes, (struct dies_node){ 0 });
	abbrevs_init(&w.abbrevs, u->abbrevs, u->enc);
	while (walk_die(&w))
		;
	abbrevs_deinit(&w.abbrevs);
	vec_deinit(&w.open);
	vec_deinit(&w.ranges.v);
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
	Dwarf_Die die = { .addr = (void *)n->die, .cu = d->cu };
	Dwarf_Attribute attr;

	if (!n->is_named) {
		n->is_named = true;
		if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &attr) ||
		    dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &attr))
			n->linkage = dwarf_formstring(&attr);
		if (!n->linkage && dwarf_attr_integrate(&die, DW_AT_name, &attr))
			n->name = dwarf_formstring(&attr);
	}
	*linkage = n->linkage;
	*name = n->name;
}
