/* In: pids, tids and names. Out: one number for each distinct combination. */
#include "sample/threads.h"

void threads_init(struct threads *t)
{
	*t = (struct threads){ 0 };
}

void threads_deinit(struct threads *t)
{
	for (size_t i = 0; i < t->v.n; i++) {
		free(t->v.v[i].comm);
		free(t->v.v[i].process_comm);
	}
	vec_deinit(&t->v);
	table_deinit(&t->table);
}

uint32_t threads_add(struct threads *t, const struct thread_entry *like)
{
	uint64_t hash = hash_pair((uint64_t)like->pid << 32 | like->tid,
				  hash_pair(hash_str(like->comm), like->incarnation));

	for (struct table_probe p = table_probe(&t->table, hash); table_next(&t->table, &p);) {
		const struct thread_entry *e = &t->v.v[p.value];

		if (e->pid == like->pid && e->tid == like->tid && e->origin == like->origin &&
		    e->incarnation == like->incarnation && !strcmp(e->comm, like->comm) &&
		    !strcmp(e->process_comm, like->process_comm))
			return p.value;
	}
	uint32_t id = (uint32_t)t->v.n;
	struct thread_entry entry = *like;

	entry.comm = xstrdup(like->comm);
	entry.process_comm = xstrdup(like->process_comm);
	vec_push(&t->v, entry);
	table_add(&t->table, hash, id);
	return id;
}
