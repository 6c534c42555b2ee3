/* In: frames with their callers. Out: one id for each distinct stack. */
#include "sample/frametree.h"

void frametree_init(struct frametree *t)
{
	*t = (struct frametree){ 0 };
	vec_push(&t->frames, (struct frame){ 0 });
}

void frametree_deinit(struct frametree *t)
{
	vec_deinit(&t->frames);
	table_deinit(&t->table);
}

void frametree_clear(struct frametree *t)
{
	t->frames.n = 1;
	table_clear(&t->table);
}

uint32_t frametree_add(struct frametree *t, uint32_t parent, uint32_t binary, uint64_t off,
		       enum frame_kind kind)
{
	uint64_t hash = hash_pair(off, (uint64_t)parent << 32 | (uint64_t)binary << 2 | kind);

	for (struct table_probe p = table_probe(&t->table, hash); table_next(&t->table, &p);) {
		const struct frame *f = &t->frames.v[p.value];

		if (f->off == off && f->parent == parent && f->binary == binary && f->kind == kind)
			return p.value;
	}
	uint32_t id = (uint32_t)t->frames.n;
	struct frame frame = { .off = off, .parent = parent, .binary = binary, .kind = kind };

	vec_push(&t->frames, frame);
	table_add(&t->table, hash, id);
	return id;
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[N_VERDICTS] = {
		[VERDICT_COMPLETE] = "complete",
		[VERDICT_COPY_SMALL] = "copy too small",
		[VERDICT_DEPTH_LIMIT] = "depth limit",
		[VERDICT_NO_CFI] = "no CFI",
		[VERDICT_BAD_CFA] = "bad CFA",
		[VERDICT_FP_END] = "end of frame-pointer chain",
		[VERDICT_NO_STACK] = "no user stack",
		[VERDICT_NO_CFI_YET] = "no CFI yet",
	};

	return (unsigned int)v < N_VERDICTS ? names[v] : "unknown verdict";
}
