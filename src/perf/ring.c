/* In: the memory that the kernel writes records to. Out: one whole record after another. */
#include "perf/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

enum { SCRATCH_LEN = 64 * 1024 }; /* perf_event_header.size has 16 bits */

struct err *ring_init(struct ring *r, int fd, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t len = 0;

	if (!pages || (pages & (pages - 1)) || __builtin_mul_overflow(pages + 1, page, &len))
		return err_sys(EINVAL, "a ring of %zu pages", pages);
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return err_sys(errno, "cannot map a ring of %zu KiB", pages * page / 1024);
	*r = (struct ring){
		.map = map,
		.data = (uint8_t *)map + page,
		.size = pages * page,
		.map_len = len,
	};
	return NULL;
}

void ring_init_literal(struct ring *r, void *page, uint8_t *data, uint64_t len)
{
	const struct perf_event_mmap_page *p = page;

	*r = (struct ring){
		.map = page,
		.data = data,
		.size = len,
		.tail = p->data_tail,
		.head = p->data_tail,
		.published = p->data_tail,
	};
}

void ring_deinit(struct ring *r)
{
	if (r->map_len)
		munmap(r->map, r->map_len);
	free(r->scratch);
	*r = (struct ring){ 0 };
}

/* Where a record's end is not known, nothing up to head can be read. */
static void ring_skip_rest(struct ring *r)
{
	r->n_damaged++;
	r->tail = r->head;
}

uint64_t ring_refresh(struct ring *r)
{
	struct perf_event_mmap_page *p = r->map;

	/* perf_event_open(2): after reading data_head a read barrier; the data is then there. */
	r->head = __atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE);
	if (r->head - r->tail > r->size || ((r->head | r->tail) & 7))
		ring_skip_rest(r);
	return r->head - r->tail;
}

static const struct perf_event_header *ring_unwrap(struct ring *r, uint64_t at, uint16_t size)
{
	uint64_t first = r->size - at;

	if (!r->scratch)
		r->scratch = xmalloc(SCRATCH_LEN);
	memcpy(r->scratch, r->data + at, first);
	memcpy(r->scratch + first, r->data, size - first);
	return (const struct perf_event_header *)r->scratch;
}

const struct perf_event_header *ring_peek_slow(struct ring *r)
{
	uint64_t left = r->head - r->tail, at = r->tail & (r->size - 1);

	if (!left)
		return NULL;
	const struct perf_event_header *h = (const struct perf_event_header *)(r->data + at);

	if (left < sizeof(*h) || h->size < sizeof(*h) || (h->size & 7) || h->size > left) {
		ring_skip_rest(r);
		return NULL;
	}
	return ring_unwrap(r, at, h->size);
}

/* Records of more than a page have pages of their own, which the processor has to look up in its
 * tables; it holds all else up meanwhile, for as long as a sample takes otherwise. Several at once
 * take little more than one. Records are about as long as the last: where they begin, and the next
 * page if what is read of them may reach it. */
void ring_look_up(struct ring *r, const struct perf_event_header *h)
{
	enum { RECORDS = 16, READ = 2048, PAGE = 4096 };

	for (uint64_t i = 2; i < 2 + RECORDS; i++) {
		uint64_t at = (r->tail + i * h->size) & (r->size - 1);
		uint64_t next = (at + PAGE) & ~(uint64_t)(PAGE - 1);

		__builtin_prefetch(r->data + at);
		if (next - at < READ)
			__builtin_prefetch(r->data + (next & (r->size - 1)));
	}
	r->looked_up = r->tail + (uint64_t)RECORDS * h->size;
}

void ring_publish(struct ring *r)
{
	struct perf_event_mmap_page *p = r->map;

	/* Every read of the data must be over before the kernel may write there again. */
	__atomic_store_n(&p->data_tail, r->tail, __ATOMIC_RELEASE);
	r->published = r->tail;
}
