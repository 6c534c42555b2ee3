/* In: samples in a ring. Out: copies that can wait. */
#include "capture/waiting.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 32 << 20 };

bool waiting_has_room(const struct waiting *w)
{
	return w->bytes < BYTES_MAX;
}

static const void *put(uint8_t **at, const void *p, size_t len)
{
	uint8_t *to = *at;

	if (len)
		memcpy(to, p, len);
	*at += (len + 7) & ~(size_t)7;
	return to;
}

void waiting_add(struct waiting *w, const struct raw_event *ev, const struct addrspace *as,
		 uint32_t pid, const struct sample *sample)
{
	const struct raw_sample *s = &ev->sample;
	size_t chain = s->n_chain * sizeof(*s->chain);
	size_t regs = (size_t)__builtin_popcountll(s->regs_mask) * sizeof(*s->regs);
	struct held h = { .ev = *ev, .as = as, .pid = pid, .sample = *sample };

	h.len = chain + regs + ((s->stack_len + 7) & ~UINT64_C(7));
	h.bytes = xmalloc(h.len);
	uint8_t *at = h.bytes;

	h.ev.sample.chain = put(&at, s->chain, chain);
	h.ev.sample.regs = put(&at, s->regs, regs);
	h.ev.sample.stack = put(&at, s->stack, s->stack_len);
	w->bytes += h.len;
	vec_push(&w->held, h);
}

void held_deinit(struct waiting *w, struct held *h)
{
	w->bytes -= h->len;
	free(h->bytes);
}

static size_t space_bytes(const struct addrspace *as)
{
	return sizeof(*as) + as->maps.n * sizeof(*as->maps.v);
}

void waiting_leave(struct waiting *w, uint32_t pid)
{
	struct addrspace *copy = NULL;

	for (size_t i = 0; i < w->held.n; i++) {
		struct held *h = &w->held.v[i];

		if (h->pid != pid)
			continue;
		if (!copy) {
			copy = xcalloc(1, sizeof(*copy));
			addrspace_init(copy);
			addrspace_copy(copy, h->as);
			w->bytes += space_bytes(copy);
			vec_push(&w->left, copy);
		}
		h->as = copy;
		h->pid = WAITING_LEFT;
	}
}

void waiting_forget(struct waiting *w)
{
	for (size_t i = 0; i < w->left.n; i++) {
		w->bytes -= space_bytes(w->left.v[i]);
		addrspace_deinit(w->left.v[i]);
		free(w->left.v[i]);
	}
	w->left.n = 0;
}

void waiting_deinit(struct waiting *w)
{
	waiting_forget(w);
	vec_deinit(&w->left);
	for (size_t i = 0; i < w->held.n; i++)
		free(w->held.v[i].bytes);
	vec_deinit(&w->held);
}
