/* In: stacks, a function's name. Out: weights by function and place in the file. */
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
