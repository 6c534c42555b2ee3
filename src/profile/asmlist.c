/* In: stacks, a function's name or how many. Out: weights by function and place in the file. */
#include "profile/asmlist.h"

static int cost_cmp(const void *va, const void *vb)
{
	const struct insn_cost *a = va, *b = vb;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	return (a->off > b->off) - (a->off < b->off);
}

/* A place occurs with every group and every stack that ends there. */
static void merge(struct asmlist *a)
{
	size_t n = 0;

	vec_sort(&a->v, cost_cmp);
	for (size_t i = 0; i < a->v.n; i++) {
		if (n && !cost_cmp(&a->v.v[n - 1], &a->v.v[i])) {
			a->v.v[n - 1].weight += a->v.v[i].weight;
			a->v.v[n - 1].samples += a->v.v[i].samples;
		} else {
			a->v.v[n++] = a->v.v[i];
		}
	}
	a->v.n = n;
}

struct err *asmlist_init(struct asmlist *a, const struct calltree *tree, const char *function)
{
	const struct profile *p = tree->profile;

	TRY(picked_init(&a->picked, tree, function));
	_cleanup_free_ uint32_t *same = binaries_same(&p->data->binaries);

	for (size_t i = 0; i < p->stacks.n; i++) {
		const struct stack_weight *s = &p->stacks.v[i];
		const struct frame *f = frametree_get(&p->data->tree, s->node);

		if (!s->node || f->kind == FRAME_CUT || tree->leaves.v[i] == UINT32_MAX)
			continue;
		picked_find(&a->picked, tree->leaves.v[i]);
		for (size_t k = 0; k < a->picked.found.n; k++)
			vec_push(&a->v, ((struct insn_cost){ .function = a->picked.found.v[k],
							     .binary = same[f->binary],
							     .off = names_key(f),
							     .weight = s->weight,
							     .samples = s->samples }));
	}
	merge(a);
	return NULL;
}

/* The costs of one function, which stand together. */
struct owner {
	size_t first, n;
	uint64_t weight;
};

static int owner_cmp(const void *va, const void *vb)
{
	const struct owner *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Whose code a place is: what the last of its names says, those before are inlined there. */
static uint32_t owner_name(const struct names *names, const struct frame *f)
{
	const struct name_entry *e = names_find(names, f->binary, names_key(f));

	return e ? names->lines.v[e->first + e->n - 1].function : 0;
}

static void keep_heaviest(struct asmlist *a, struct owner *owners, size_t n_owners, uint32_t n)
{
	struct asmlist kept = { 0 };

	qsort(owners, n_owners, sizeof(*owners), owner_cmp);
	for (uint32_t rank = 0; rank < n_owners && rank < n && owners[rank].weight; rank++) {
		for (size_t i = 0; i < owners[rank].n; i++) {
			struct insn_cost *cost = &a->v.v[owners[rank].first + i];

			cost->function = rank;
			vec_push(&kept.v, *cost);
		}
	}
	free(a->v.v);
	a->v.v = kept.v.v;
	a->v.n = kept.v.n;
	a->v.cap = kept.v.cap;
}

void asmlist_init_hottest(struct asmlist *a, const struct calltree *tree, uint32_t n)
{
	const struct profile *p = tree->profile;
	_cleanup_free_ uint32_t *same = binaries_same(&p->data->binaries);
	VEC(struct owner) owners = { 0 };

	for (size_t i = 0; i < p->stacks.n; i++) {
		const struct stack_weight *s = &p->stacks.v[i];
		const struct frame *f = frametree_get(&p->data->tree, s->node);

		if (!s->node || f->kind == FRAME_CUT || tree->leaves.v[i] == UINT32_MAX)
			continue;
		vec_push(&a->v, ((struct insn_cost){ .function = owner_name(&p->data->names, f),
						     .binary = same[f->binary],
						     .off = names_key(f),
						     .weight = s->weight,
						     .samples = s->samples }));
	}
	merge(a);
	for (size_t i = 0; i < a->v.n; i++) {
		const struct insn_cost *cost = &a->v.v[i];

		if (!i || cost[-1].function != cost->function || cost[-1].binary != cost->binary)
			vec_push(&owners, ((struct owner){ .first = i }));
		owners.v[owners.n - 1].n++;
		owners.v[owners.n - 1].weight += cost->weight;
	}
	if (owners.n)
		keep_heaviest(a, owners.v, owners.n, n);
	vec_deinit(&owners);
}

void asmlist_deinit(struct asmlist *a)
{
	picked_deinit(&a->picked);
	for (size_t i = 0; i < a->parts.n; i++) {
		disasm_deinit(&a->parts.v[i].code);
		free(a->parts.v[i].why);
	}
	vec_deinit(&a->v);
	vec_deinit(&a->parts);
}

static bool covers(const struct disasm *code, uint64_t off)
{
	if (!code->v.n)
		return true;
	const struct disasm_insn *last = &code->v.v[code->v.n - 1];

	return off >= code->v.v[0].off && off < last->off + last->len;
}

size_t asmlist_add_part(struct asmlist *a, size_t first, struct disasm *code, char *why)
{
	const struct insn_cost *from = &a->v.v[first];
	size_t end = first + 1;

	while (end < a->v.n && a->v.v[end].function == from->function &&
	       a->v.v[end].binary == from->binary && covers(code, a->v.v[end].off))
		end++;
	vec_push(&a->parts, ((struct asm_part){
				    .first = first, .n = end - first, .code = *code, .why = why }));
	*code = (struct disasm){ 0 };
	return end;
}
