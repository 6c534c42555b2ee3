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

static uint64_t hash_under(uint32_t outer, uint32_t binary, uint64_t off, enum frame_kind kind)
{
	return hash_pair(off, (uint64_t)outer << 32 | (uint64_t)binary << 2 | kind);
}

static uint32_t node_at(struct frametree *t, uint64_t hash, const struct frame *want)
{
	for (struct table_probe p = table_probe(&t->table, hash); table_next(&t->table, &p);) {
		const struct frame *f = &t->frames.v[p.value];

		if (f->off == want->off && f->parent == want->parent && f->binary == want->binary &&
		    f->kind == want->kind)
			return p.value;
	}
	uint32_t id = (uint32_t)t->frames.n;
	struct frame frame = *want;

	frame.hash = table_tag(hash);
	vec_push(&t->frames, frame);
	table_add(&t->table, hash, id);
	return id;
}

uint32_t frametree_add(struct frametree *t, uint32_t parent, uint32_t binary, uint64_t off,
		       enum frame_kind kind)
{
	struct frame want = { .off = off, .parent = parent, .binary = binary, .kind = kind };

	return node_at(t, hash_under(t->frames.v[parent].hash, binary, off, kind), &want);
}

void frametree_add_stack(struct frametree *t, uint32_t parent, const struct frame_place *places,
			 size_t n, uint32_t *ret)
{
	enum { AHEAD = 32 };
	uint64_t hashes[AHEAD];

	for (size_t done = 0; done < n;) {
		size_t some = n - done < AHEAD ? n - done : AHEAD;
		uint32_t outer = t->frames.v[parent].hash;

		for (size_t i = 0; i < some; i++) {
			const struct frame_place *p = &places[done + i];

			hashes[i] = hash_under(outer, p->binary, p->off, FRAME_PC);
			outer = table_tag(hashes[i]);
			table_prefetch(&t->table, hashes[i]);
		}
		for (size_t i = 0; i < some; i++, done++) {
			struct frame want = { .off = places[done].off,
					      .parent = parent,
					      .binary = places[done].binary,
					      .kind = FRAME_PC };

			ret[done] = parent = node_at(t, hashes[i], &want);
		}
	}
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
