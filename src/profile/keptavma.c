/* In: kept samples and the changes of processes among them. Out: addresses. */
#include "profile/keptavma.h"

#include <stdlib.h>

void keptavma_init(struct keptavma *k, const struct profile *p)
{
	*k = (struct keptavma){ .profile = p };
	k->maps = procmaps_create(&p->data->binaries);
	k->same = binaries_same(&p->data->binaries);
}

void keptavma_deinit(struct keptavma *k)
{
	procmaps_destroy(k->maps);
	free(k->same);
}

void keptavma_at(struct keptavma *k, size_t i)
{
	const struct profile *p = k->profile;

	const struct thread_entry *t = threads_get(&p->data->threads, p->kept.v[i].thread);

	k->process = threads_process(t->origin, t->pid);
	for (; k->n_changes < p->changes.n; k->n_changes++) {
		const struct kept_change *c = &p->changes.v[k->n_changes];
		struct proc_event e = c->event;

		if (c->n_kept > i)
			return;
		if (e.kind == PROC_MMAP)
			e.binary = k->same[e.binary];
		procmaps_apply(k->maps, &e);
	}
}

bool keptavma_get(struct keptavma *k, uint32_t binary, uint64_t off, uint64_t *ret)
{
	const struct dataset *d = k->profile->data;

	switch (binaries_get(&d->binaries, binary)->kind) {
	case BINARY_KIND_TEXT:
		return false;
	case BINARY_KIND_FILE:
	case BINARY_KIND_VDSO:
		return procmaps_avma(k->maps, k->process, binary, off, ret);
	case BINARY_KIND_KERNEL:
	case BINARY_KIND_ANON:
	case BINARY_KIND_UNKNOWN:
		break;
	}
	*ret = off;
	return true;
}
