/* In: bytes of the other byte order. Out: the same in ours. */
#include "import/perfswap.h"

#include <stddef.h>

const char *perf_cursor_str(struct perf_cursor *p)
{
	uint32_t len = perf_cursor_u32(p);
	const uint8_t *bytes = cursor_bytes(&p->c, len);

	if (bytes && memchr(bytes, 0, len))
		return (const char *)bytes;
	p->c.failed = true;
	return NULL;
}

void perfswap_header(struct perf_event_header *h)
{
	h->type = bswap_32(h->type);
	h->misc = bswap_16(h->misc);
	h->size = bswap_16(h->size);
}

/* A walk over the words of a record that turns them. Past the end it does nothing. */
struct turn {
	uint8_t *p, *end;
};

static uint64_t turn_u64(struct turn *t)
{
	uint64_t v;

	if (t->end - t->p < 8) {
		t->p = t->end;
		return 0;
	}
	memcpy(&v, t->p, 8);
	v = bswap_64(v);
	memcpy(t->p, &v, 8);
	t->p += 8;
	return v;
}

static uint32_t turn_u32(struct turn *t)
{
	uint32_t v;

	if (t->end - t->p < 4) {
		t->p = t->end;
		return 0;
	}
	memcpy(&v, t->p, 4);
	v = bswap_32(v);
	memcpy(t->p, &v, 4);
	t->p += 4;
	return v;
}

static void turn_u16(struct turn *t)
{
	if (t->end - t->p < 2) {
		t->p = t->end;
		return;
	}
	uint8_t first = t->p[0];

	t->p[0] = t->p[1];
	t->p[1] = first;
	t->p += 2;
}

static void turn_skip(struct turn *t, uint64_t len)
{
	t->p = len > (uint64_t)(t->end - t->p) ? t->end : t->p + len;
}

static void turn_words(struct turn *t, uint64_t n)
{
	while (n-- && t->p < t->end)
		turn_u64(t);
}

static void turn_pair(struct turn *t)
{
	turn_u32(t);
	turn_u32(t);
}

/* '8' a u64, '4' a u32, '2' a u16, 'x' eight bytes to leave alone. */
static void turn_shape(struct turn *t, const char *shape)
{
	for (; *shape; shape++) {
		if (*shape == '8')
			turn_u64(t);
		else if (*shape == '4')
			turn_u32(t);
		else if (*shape == '2')
			turn_u16(t);
		else
			turn_skip(t, 8);
	}
}

static unsigned int attr_bits(uint8_t byte)
{
	unsigned int turned = 0;

	for (unsigned int i = 0; i < 8; i++)
		turned |= (byte >> i & 1U) << (7 - i);
	return turned;
}

void perfswap_attr(const uint8_t *bytes, size_t len, bool swap, struct perf_event_attr *ret)
{
	/* struct perf_event_attr of perf_event_open(2); the bit fields after read_format are
	 * allocated from the other end of each byte, and stay in their byte. */
	static const char shape[] = "448888x448888448422448";
	enum { FLAGS = 40 };

	memset(ret, 0, sizeof(*ret));
	memcpy(ret, bytes, len < sizeof(*ret) ? len : sizeof(*ret));
	if (!swap)
		return;
	uint8_t *p = (uint8_t *)ret;
	struct turn t = { p, p + sizeof(*ret) };

	turn_shape(&t, shape);
	for (size_t i = FLAGS; i < FLAGS + 8; i++)
		p[i] = (uint8_t)attr_bits(p[i]);
}

static void turn_read(struct turn *t, uint64_t format)
{
	uint64_t times = (uint64_t)__builtin_popcountll(
		format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	uint64_t value =
		1 + (uint64_t)__builtin_popcountll(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	uint64_t n = format & PERF_FORMAT_GROUP ? turn_u64(t) : 1;

	if (n > (uint64_t)(t->end - t->p) / 8)
		n = 0;
	turn_words(t, times + n * value);
}

/* Copied user memory belongs to the machine that was recorded; only the sizes are perf's. */
static void turn_stack(struct turn *t)
{
	uint64_t len = turn_u64(t);

	turn_skip(t, len);
	if (len)
		turn_u64(t);
}

static void turn_sample(const struct record_layout *l, struct turn *t)
{
	uint64_t type = l->sample_type;
	uint64_t before_tid = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	uint64_t before_cpu =
		PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;

	turn_words(t, (uint64_t)__builtin_popcountll(type & before_tid));
	if (type & PERF_SAMPLE_TID)
		turn_pair(t);
	turn_words(t, (uint64_t)__builtin_popcountll(type & before_cpu));
	if (type & PERF_SAMPLE_CPU)
		turn_pair(t);
	if (type & PERF_SAMPLE_PERIOD)
		turn_u64(t);
	if (type & PERF_SAMPLE_READ)
		turn_read(t, l->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		turn_words(t, turn_u64(t));
	if (type & PERF_SAMPLE_RAW)
		turn_skip(t, turn_u32(t));
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t n = turn_u64(t);

		if (l->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			turn_u64(t);
		n *= l->branch_sample_type & RECORD_BRANCH_COUNTERS ? 4 : 3;
		turn_words(t, n < UINT32_MAX ? n : 0);
	}
	if (type & PERF_SAMPLE_REGS_USER && turn_u64(t))
		turn_words(t, (uint64_t)__builtin_popcountll(l->sample_regs_user));
	if (type & PERF_SAMPLE_STACK_USER)
		turn_stack(t);
	turn_words(t, UINT64_MAX);
}

static void turn_trailer(const struct record_layout *l, struct turn *t)
{
	uint64_t type = l->sample_type;

	if (type & PERF_SAMPLE_TID)
		turn_pair(t);
	if (type & PERF_SAMPLE_TIME)
		turn_u64(t);
	if (type & PERF_SAMPLE_ID)
		turn_u64(t);
	if (type & PERF_SAMPLE_STREAM_ID)
		turn_u64(t);
	if (type & PERF_SAMPLE_CPU)
		turn_pair(t);
	if (type & PERF_SAMPLE_IDENTIFIER)
		turn_u64(t);
}

/* Of records whose body something here reads; perf_event_open(2). */
static const char *body_shape(const struct record_layout *l, const struct perf_event_header *h)
{
	switch (h->type) {
	case PERF_RECORD_MMAP:
		return "44888";
	case PERF_RECORD_MMAP2:
		return record_has_build_id(l, h) ? "44888xxx44" : "44888448844";
	case PERF_RECORD_COMM:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return "44";
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return "44448";
	case PERF_RECORD_LOST:
		return "88";
	case PERF_RECORD_LOST_SAMPLES:
		return "8";
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return "888";
	case PERF_RECORD_KSYMBOL:
		return "8422";
	default:
		return "";
	}
}

void perfswap_record(const struct record_layout *l, struct perf_event_header *h)
{
	struct turn t = { (uint8_t *)(h + 1), (uint8_t *)h + h->size };

	if (h->type == PERF_RECORD_SAMPLE) {
		turn_sample(l, &t);
		return;
	}
	if (t.end - t.p < l->trailer_len)
		return;
	struct turn trailer = { t.end - l->trailer_len, t.end };

	t.end = trailer.p;
	turn_shape(&t, body_shape(l, h));
	turn_trailer(l, &trailer);
}
