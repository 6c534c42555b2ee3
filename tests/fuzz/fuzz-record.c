/* In: any bytes, as two rings of records and what of an attr decides their layout. Out: nothing, if
 * no record of the kernel, true or damaged, leads outside itself. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fuzz/fuzz.h"
#include "perf/order.h"

enum { N_RINGS = 2, RING_LEN = 4096 };

/* In front of the bytes of the rings. */
struct start {
	uint64_t sample_type, read_format, branch_sample_type, regs_user, regs_intr;
	uint64_t limit_ns;
	uint32_t tail;  /* where the rings begin, so that records wrap */
	uint32_t split; /* how many bytes are the first ring's; its lowest bit: sample_id_all */
};

static void must(bool good)
{
	if (!good)
		abort();
}

static void inside(const struct perf_event_header *h, const void *p, size_t len)
{
	uintptr_t begin = (uintptr_t)h, at = (uintptr_t)p;

	must(at >= begin && at - begin <= h->size && len <= h->size - (at - begin));
}

static void check_string(const struct perf_event_header *h, const char *s)
{
	size_t left = h->size - (size_t)(s - (const char *)h);

	inside(h, s, 1);
	must(strnlen(s, left) < left);
}

static void check_sample(const struct perf_event_header *h, const struct raw_sample *s)
{
	if (s->n_chain)
		inside(h, s->chain, s->n_chain * sizeof(*s->chain));
	must(!((uintptr_t)s->chain & 7) && !((uintptr_t)s->regs & 7));
	if (s->regs_abi)
		inside(h, s->regs, (size_t)__builtin_popcountll(s->regs_mask) * sizeof(*s->regs));
	must(s->stack_len <= s->stack_asked);
	if (s->stack_asked)
		inside(h, s->stack, s->stack_asked);
}

static void check_event(const struct perf_event_header *h, const struct raw_event *ev)
{
	switch (ev->kind) {
	case RAW_SAMPLE:
		check_sample(h, &ev->sample);
		break;
	case RAW_MMAP:
		must(ev->mmap.build_id_len <= 20);
		if (ev->mmap.build_id_len)
			inside(h, ev->mmap.build_id, ev->mmap.build_id_len);
		check_string(h, ev->mmap.path);
		break;
	case RAW_COMM:
		check_string(h, ev->comm.name);
		break;
	case RAW_KSYMBOL:
		check_string(h, ev->ksymbol.name);
		break;
	default:
		break;
	}
}

/* A copy in memory of its own shows a read past the record, where the ring has more of it. */
static void check_copy(const struct record_layout *l, const struct perf_event_header *h,
		       uint16_t size)
{
	_cleanup_free_ struct perf_event_header *copy = xmemdup(h, size);
	struct raw_event ev;

	copy->size = size;
	record_time(l, copy);
	struct err *err = record_parse(l, copy, &ev);

	if (!err)
		check_event(copy, &ev);
	err_destroy(err);
}

/* As it is, and a few words shorter: lengths inside a record seldom miss its end by themselves. */
static void check_record(const struct record_layout *l, const struct perf_event_header *h)
{
	must(h->size >= sizeof(*h));
	for (uint16_t cut = 0; cut <= 64 && h->size - cut >= (int)sizeof(*h); cut += 8)
		check_copy(l, h, h->size - cut);
}

/* Each record is given out once, and what is not given out stays. */
static void drain(struct order *o, const struct record_layout *l, uint64_t limit_ns)
{
	const struct perf_event_header *h;
	size_t index;

	order_begin(o, limit_ns);
	while (order_next(o, &index, &h)) {
		must(index < N_RINGS);
		must(limit_ns == UINT64_MAX || record_time(l, h) < limit_ns);
		check_record(l, h);
		if (order_is_release_due(o))
			order_release(o);
	}
	order_end(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(4096) uint8_t rings[N_RINGS][RING_LEN];
	struct perf_event_mmap_page pages[N_RINGS] = { 0 };
	struct ring ring[N_RINGS];
	struct record_layout layout;
	struct order o;
	struct start start;

	if (size < sizeof(start))
		return 0;
	memcpy(&start, data, sizeof(start));
	data += sizeof(start);
	size -= sizeof(start);
	struct perf_event_attr attr = {
		.sample_type = start.sample_type,
		.read_format = start.read_format,
		.branch_sample_type = start.branch_sample_type,
		.sample_regs_user = start.regs_user,
		.sample_regs_intr = start.regs_intr,
		.sample_id_all = start.split & 1,
	};

	record_layout_init(&layout, &attr);
	order_init(&o);
	for (size_t i = 0; i < N_RINGS; i++) {
		size_t most = i ? RING_LEN : (start.split & ~7U) % (RING_LEN + 8);
		size_t len = size < most ? size : most;

		memset(rings[i], 0, RING_LEN);
		for (size_t j = 0; j < len; j++)
			rings[i][(start.tail + j) % RING_LEN] = data[j];
		pages[i].data_tail = start.tail;
		pages[i].data_head = (uint64_t)start.tail + len;
		ring_init_literal(&ring[i], &pages[i], rings[i], RING_LEN);
		order_add(&o, &ring[i], &layout);
		data += len;
		size -= len;
	}
	drain(&o, &layout, start.limit_ns);
	drain(&o, &layout, UINT64_MAX);
	for (size_t i = 0; i < N_RINGS; i++) {
		must(pages[i].data_tail == pages[i].data_head);
		ring_deinit(&ring[i]);
	}
	order_deinit(&o);
	return 0;
}

static void put_words(struct buf *b, uint32_t type, const uint64_t *words, uint16_t n)
{
	buf_u32(b, type);
	buf_u16(b, PERF_RECORD_MISC_USER);
	buf_u16(b, (uint16_t)(8 + 8 * n));
	buf_bytes(b, words, 8 * (size_t)n);
}

#define PUT(b, type, ...)                                                                          \
	do {                                                                                       \
		const uint64_t words_[] = { __VA_ARGS__ };                                         \
		put_words(b, type, words_, sizeof(words_) / 8);                                    \
	} while (0)

/* Text as the words of a record. */
#define NAME 0x00656d616e2f6e69ULL

enum {
	PLAIN = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
};

/* The recorder's own: a trailer of tid, time, identifier. */
static void seed_plain(struct buf *b)
{
	for (uint64_t t = 109; t <= 111; t += 2) {
		PUT(b, PERF_RECORD_SAMPLE, 7, 0x401000, 12, t, 1000, 3, PERF_CONTEXT_USER, 0x401000,
		    0x402000);
		PUT(b, PERF_RECORD_MMAP2, 12, 0x400000, 0x3000, 0, 0x100000008, 4242, 0, 5, NAME,
		    12, t, 7);
		PUT(b, PERF_RECORD_COMM, 12, NAME, 12, t, 7);
		PUT(b, PERF_RECORD_FORK, 12, 13, t, 12, t, 7);
		PUT(b, PERF_RECORD_LOST, 7, 99, 12, t, 7);
		PUT(b, PERF_RECORD_KSYMBOL, 0xffffffffc0000000, 0x100000040, NAME, 12, t, 7);
		PUT(b, PERF_RECORD_SWITCH_CPU_WIDE, 13, 12, t, 7);
		PUT(b, PERF_RECORD_THROTTLE, t, 7, 8, 12, t, 7);
	}
}

/* A copy of registers and stack behind a chain. */
static void seed_stack(struct buf *b)
{
	for (uint64_t t = 109; t <= 111; t++)
		PUT(b, PERF_RECORD_SAMPLE, 7, 0x401000, 12, t, 1000, 1, 0x401000, 2, 11, 22, 33, 16,
		    0x5555, 0x6666, 10);
}

/* Every field there is. */
static void seed_all(struct buf *b)
{
	for (uint64_t t = 109; t <= 111; t++)
		PUT(b, PERF_RECORD_SAMPLE, 7, 0x401000, 12, t, 1, 7, 1, 3, 1000, 1, 1, 1, 5, 7, 0,
		    1, 0x401000, 0x6666666600000004, 1, 9, 1, 2, 3, 4, 2, 11, 22, 33, 8, 0x5555, 8,
		    1, 1, 1, 2, 44, 1, 1, 1, 1, 8, 0x77);
}

bool fuzz_seed(unsigned int i, struct buf *ret)
{
	static const uint64_t types[] = { PLAIN,
					  PLAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
					  PERF_SAMPLE_MAX - 1, 0 };
	static void (*const records[])(struct buf *) = { seed_plain, seed_stack, seed_all,
							 seed_plain };
	struct start start = {
		.limit_ns = 110,
		.tail = RING_LEN - 64,
		.read_format = 31,
		.branch_sample_type = 1 << 17 | 1 << 19,
		.regs_user = 7,
		.regs_intr = 1,
	};

	if (i >= sizeof(types) / sizeof(types[0]))
		return false;
	struct buf one = { 0 };

	records[i](&one);
	start.sample_type = types[i];
	start.split = (uint32_t)one.len | 1;
	buf_bytes(ret, &start, sizeof(start));
	buf_bytes(ret, one.data, one.len);
	buf_bytes(ret, one.data, one.len);
	buf_deinit(&one);
	return true;
}
