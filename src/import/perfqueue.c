/* In: records, nearly ordered. Out: records, ordered. */
#include "import/perfqueue.h"

#include <string.h>

enum { CHUNK = 1 << 20 }; /* well above the largest record */

void perfqueue_deinit(struct perfqueue *q)
{
	for (size_t i = 0; i < q->chunks.n; i++)
		free(q->chunks.v[i].bytes);
	vec_deinit(&q->chunks);
	vec_deinit(&q->entries);
	vec_deinit(&q->scratch);
}

/* A chunk without waiting records, or a new one. */
static void next_chunk(struct perfqueue *q)
{
	for (uint32_t i = 0; i < q->chunks.n; i++) {
		struct perfqueue_chunk *c = &q->chunks.v[i];

		if (!c->n) {
			c->len = 0;
			q->filling = i;
			return;
		}
	}
	q->filling = (uint32_t)q->chunks.n;
	vec_push(&q->chunks, ((struct perfqueue_chunk){ .bytes = xmalloc(CHUNK) }));
}

static size_t padded(uint16_t size)
{
	return ((size_t)size + 7) & ~(size_t)7;
}

struct perf_event_header *perfqueue_copy(struct perfqueue *q, const uint8_t *record, uint16_t size)
{
	if (!q->chunks.n || q->chunks.v[q->filling].len + padded(size) > CHUNK)
		next_chunk(q);
	struct perfqueue_chunk *c = &q->chunks.v[q->filling];

	return memcpy(c->bytes + c->len, record, size);
}

void perfqueue_add(struct perfqueue *q, struct perf_event_header *h, uint64_t time, uint64_t offset)
{
	struct perfqueue_chunk *c = &q->chunks.v[q->filling];

	c->len += padded(h->size);
	c->n++;
	q->bytes += h->size;
	vec_push(&q->entries, ((struct perfqueue_entry){ time, offset, h, q->filling }));
}

/* What was given out goes. */
static void drop_taken(struct perfqueue *q)
{
	if (!q->taken)
		return;
	memmove(q->entries.v, q->entries.v + q->taken,
		(q->entries.n - q->taken) * sizeof(*q->entries.v));
	q->entries.n -= q->taken;
	q->sorted -= q->taken;
	q->taken = 0;
}

/* Where the run that begins at `from` ends. */
static size_t run_end(const struct perfqueue_entry *e, size_t from, size_t n)
{
	size_t i = from + 1;

	while (i < n && e[i - 1].time <= e[i].time)
		i++;
	return i < n ? i : n;
}

static void merge(const struct perfqueue_entry *a, size_t n_a, const struct perfqueue_entry *b,
		  size_t n_b, struct perfqueue_entry *to)
{
	while (n_a && n_b) {
		if (a->time <= b->time) {
			*to++ = *a++;
			n_a--;
		} else {
			*to++ = *b++;
			n_b--;
		}
	}
	memcpy(to, n_a ? a : b, (n_a + n_b) * sizeof(*to));
}

/* Records come ring by ring, each in order: merging the runs that are there takes as many passes as
 * the number of rings has binary digits. */
void perfqueue_sort(struct perfqueue *q)
{
	drop_taken(q);
	size_t n = q->entries.n;

	q->sorted = n;
	if (!n || run_end(q->entries.v, 0, n) == n)
		return;
	vec_reserve(&q->scratch, n);
	for (bool done = false; !done;) {
		struct perfqueue_entry *from = q->entries.v, *to = q->scratch.v;
		size_t at = 0, n_merged = 0;

		while (at < n) {
			size_t middle = run_end(from, at, n);
			size_t end = middle < n ? run_end(from, middle, n) : n;

			merge(from + at, middle - at, from + middle, end - middle, to + at);
			at = end;
			n_merged++;
		}
		done = n_merged <= 1;
		size_t cap = q->scratch.cap;

		q->scratch.v = from;
		q->scratch.cap = q->entries.cap;
		q->entries.v = to;
		q->entries.cap = cap;
	}
}

struct perf_event_header *perfqueue_take(struct perfqueue *q, uint64_t limit, uint64_t *ret_offset)
{
	if (q->taken >= q->sorted || q->entries.v[q->taken].time > limit) {
		drop_taken(q);
		return NULL;
	}
	const struct perfqueue_entry *e = &q->entries.v[q->taken++];

	q->chunks.v[e->chunk].n--;
	q->bytes -= e->record->size;
	*ret_offset = e->offset;
	return e->record;
}
