/* In: one record as the kernel wrote it, and what of the attr decides its layout. Out: a raw event,
 * a view into the record. */
#include "perf/record.h"

#include "base/cursor.h"
#include "perf/recordsample.h"

/* Types from here on are perf(1)'s own and have no sample_id (tools/lib/perf/include/perf/event.h,
 * PERF_RECORD_USER_TYPE_START). */
enum { FIRST_USER_TYPE = 64 };

enum {
	PLAIN = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_PERIOD,
	PLAIN_STACK =
		PLAIN | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
};

void record_layout_init(struct record_layout *l, const struct perf_event_attr *attr)
{
	*l = (struct record_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.sample_regs_user = attr->sample_regs_user,
		.sample_regs_intr = attr->sample_regs_intr,
		.sample_id_all = attr->sample_id_all,
		.build_id = attr->build_id,
		.is_plain = (attr->sample_type & ~(uint64_t)PERF_SAMPLE_CALLCHAIN) == PLAIN ||
			    attr->sample_type == PLAIN_STACK,
	};
	/* struct sample_id of perf_event_open(2): TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER. */
	unsigned int after = record_n_fields(l, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
							PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	unsigned int time = record_n_fields(l, PERF_SAMPLE_TIME);

	if (l->sample_id_all) {
		l->trailer_len =
			(uint8_t)(8 * (record_n_fields(l, PERF_SAMPLE_TID) + time + after));
		l->trailer_time = time ? (uint8_t)(8 * (1 + after)) : 0;
	}
	l->n_regs_user = (uint8_t)__builtin_popcountll(l->sample_regs_user);
	l->n_regs_intr = (uint8_t)__builtin_popcountll(l->sample_regs_intr);
	l->n_addresses = (uint8_t)record_n_fields(l, PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
							     PERF_SAMPLE_DATA_PAGE_SIZE |
							     PERF_SAMPLE_CODE_PAGE_SIZE);
	if (time)
		l->sample_time = (uint8_t)(8 * (1 + record_n_fields(l, PERF_SAMPLE_IDENTIFIER |
									       PERF_SAMPLE_IP |
									       PERF_SAMPLE_TID)));
}

int record_sample_id_offset(const struct record_layout *l)
{
	if (l->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(l->sample_type & PERF_SAMPLE_ID))
		return -1;
	return 8 * (int)record_n_fields(l, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						   PERF_SAMPLE_ADDR);
}

int record_trailer_id_offset(const struct record_layout *l)
{
	if (!l->sample_id_all)
		return -1;
	if (l->sample_type & PERF_SAMPLE_IDENTIFIER)
		return -8;
	if (!(l->sample_type & PERF_SAMPLE_ID))
		return -1;
	return -8 * (int)(1 + record_n_fields(l, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

/* The u64 at `off` bytes from the header; the caller knows that it is inside. */
static uint64_t u64_at(const struct perf_event_header *h, size_t off)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)h + off, sizeof(v));
	return v;
}

uint64_t record_time_slow(const struct record_layout *l, const struct perf_event_header *h)
{
	size_t off = 0;

	if (h->type == PERF_RECORD_SAMPLE || h->type >= FIRST_USER_TYPE)
		return 0; /* a sample that has its time is taken care of */
	if (l->trailer_time && h->size >= sizeof(*h) + l->trailer_len)
		off = h->size - (size_t)l->trailer_time;
	else if (h->type == PERF_RECORD_FORK || h->type == PERF_RECORD_EXIT)
		off = sizeof(*h) + 16;
	else if (h->type == PERF_RECORD_THROTTLE || h->type == PERF_RECORD_UNTHROTTLE)
		off = sizeof(*h);
	return off && off + 8 <= h->size ? u64_at(h, off) : 0;
}

static enum raw_mode cpu_mode(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return RAW_MODE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return RAW_MODE_USER;
	case PERF_RECORD_MISC_HYPERVISOR: /* not our code either */
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return RAW_MODE_GUEST;
	default:
		return RAW_MODE_UNKNOWN;
	}
}

static void parse_trailer(const struct record_layout *l, struct cursor *c, struct raw_event *ev)
{
	uint64_t type = l->sample_type;

	if (type & PERF_SAMPLE_TID)
		record_tid(c, ev);
	if (type & PERF_SAMPLE_TIME)
		ev->time_ns = cursor_u64(c);
	if (type & PERF_SAMPLE_ID)
		ev->id = cursor_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		record_skip_words(c, 1);
	if (type & PERF_SAMPLE_CPU)
		record_cpu(c, ev);
	if (type & PERF_SAMPLE_IDENTIFIER)
		ev->id = cursor_u64(c);
}

bool record_has_build_id(const struct record_layout *l, const struct perf_event_header *h)
{
	enum { AT = 40, SHORTEST_MADE = 16, LONGEST = 20 }; /* behind pid, tid, start, len, pgoff */

	if (!(h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || h->size <= AT)
		return false;
	uint8_t len = ((const uint8_t *)h)[AT];

	/* Tools that put build-ids into a file that came without do not change its attrs: lengths
	 * that linkers make are no major numbers of disks. */
	return len <= LONGEST && (l->build_id || len >= SHORTEST_MADE);
}

/* The union of MMAP2: a build-id in the place of device, inode and generation. */
static void parse_build_id(struct cursor *c, struct raw_mmap *m)
{
	m->build_id_len = cursor_u8(c);
	cursor_skip(c, 3);
	m->build_id = cursor_bytes(c, 20);
}

static void parse_mmap(const struct record_layout *l, const struct perf_event_header *h,
		       struct cursor *c, struct raw_event *ev)
{
	struct raw_mmap *m = &ev->mmap;

	ev->kind = RAW_MMAP;
	record_tid(c, ev);
	m->start = cursor_u64(c);
	m->len = cursor_u64(c);
	m->pgoff = cursor_u64(c);
	m->data = h->misc & PERF_RECORD_MISC_MMAP_DATA;
	if (h->type == PERF_RECORD_MMAP2) {
		if (record_has_build_id(l, h)) {
			parse_build_id(c, m);
		} else {
			m->dev_major = cursor_u32(c);
			m->dev_minor = cursor_u32(c);
			m->inode = cursor_u64(c);
			m->inode_generation = cursor_u64(c);
		}
		m->prot = cursor_u32(c);
		m->flags = cursor_u32(c);
	}
	m->path = cursor_cstr(c);
}

static void parse_task(enum raw_kind kind, struct cursor *c, struct raw_event *ev)
{
	ev->kind = kind;
	ev->pid = cursor_u32(c);
	ev->task.ppid = cursor_u32(c);
	ev->tid = cursor_u32(c);
	ev->task.ptid = cursor_u32(c);
	uint64_t time = cursor_u64(c);

	if (!ev->time_ns)
		ev->time_ns = time;
}

static void parse_throttle(enum raw_kind kind, struct cursor *c, struct raw_event *ev)
{
	ev->kind = kind;
	uint64_t time = cursor_u64(c);
	uint64_t id = cursor_u64(c);

	record_skip_words(c, 1);
	if (!ev->time_ns)
		ev->time_ns = time;
	if (!ev->id)
		ev->id = id;
}

static void parse_ksymbol(struct cursor *c, struct raw_event *ev)
{
	ev->kind = RAW_KSYMBOL;
	ev->ksymbol.addr = cursor_u64(c);
	ev->ksymbol.len = cursor_u32(c);
	ev->ksymbol.type = cursor_u16(c);
	ev->ksymbol.unregister = cursor_u16(c) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	ev->ksymbol.name = cursor_cstr(c);
}

static void parse_switch(const struct perf_event_header *h, struct cursor *c, struct raw_event *ev)
{
	ev->kind = RAW_SWITCH;
	ev->cswitch.out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	ev->cswitch.preempt = h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	if (h->type == PERF_RECORD_SWITCH_CPU_WIDE)
		record_skip_words(c, 1); /* the other task */
}

static void parse_body(const struct record_layout *l, const struct perf_event_header *h,
		       struct cursor *c, struct raw_event *ev)
{
	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		parse_mmap(l, h, c, ev);
		break;
	case PERF_RECORD_COMM:
		ev->kind = RAW_COMM;
		record_tid(c, ev);
		ev->comm.exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
		ev->comm.name = cursor_cstr(c);
		break;
	case PERF_RECORD_FORK:
		parse_task(RAW_FORK, c, ev);
		break;
	case PERF_RECORD_EXIT:
		parse_task(RAW_EXIT, c, ev);
		break;
	case PERF_RECORD_LOST:
		ev->kind = RAW_LOST;
		ev->lost.id = cursor_u64(c);
		ev->lost.lost = cursor_u64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		ev->kind = RAW_LOST_SAMPLES;
		ev->lost.id = ev->id;
		ev->lost.lost = cursor_u64(c);
		break;
	case PERF_RECORD_THROTTLE:
		parse_throttle(RAW_THROTTLE, c, ev);
		break;
	case PERF_RECORD_UNTHROTTLE:
		parse_throttle(RAW_UNTHROTTLE, c, ev);
		break;
	case PERF_RECORD_KSYMBOL:
		parse_ksymbol(c, ev);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		parse_switch(h, c, ev);
		break;
	default:
		ev->kind = RAW_OTHER;
	}
}

static struct err *damaged(const struct perf_event_header *h)
{
	return err_new("a record of type %u and %u bytes is too short for what it says it holds",
		       h->type, h->size);
}

/* Where the size of the copy of the stack is, behind the registers. */
static size_t plain_size_at(const struct record_layout *l, const uint64_t *w)
{
	return 1 + (w[0] ? l->n_regs_user : 0U);
}

/* Registers and the copy of the stack are in these `n` words. */
static bool plain_stack_fits(const struct record_layout *l, const uint64_t *w, size_t n)
{
	if (!n || plain_size_at(l, w) >= n)
		return false;
	size_t at = plain_size_at(l, w), left = n - at - 1;
	uint64_t len = w[at];

	return !len || (!(len % 8) && len / 8 < left && w[at + 1 + len / 8] <= len);
}

static void parse_plain_stack(const struct record_layout *l, const uint64_t *w,
			      struct raw_sample *s)
{
	size_t at = plain_size_at(l, w);

	s->regs_abi = w[0];
	s->regs_mask = w[0] ? l->sample_regs_user : 0;
	s->regs = w + 1;
	s->stack_asked = w[at];
	if (!s->stack_asked)
		return;
	s->stack = (const uint8_t *)(w + at + 1);
	s->stack_len = w[at + 1 + s->stack_asked / 8];
}

/* The layouts of `singe record`, in a few ns: every offset is known. */
static struct err *parse_plain(const struct record_layout *l, const struct perf_event_header *h,
			       struct raw_event *ret)
{
	static const struct raw_sample none;
	const uint64_t *w = (const uint64_t *)(h + 1);
	size_t n = (h->size - sizeof(*h)) / 8;
	size_t fixed = l->sample_type & PERF_SAMPLE_CALLCHAIN ? 6 : 5;
	bool has_stack = l->sample_type & PERF_SAMPLE_STACK_USER;

	if (n < fixed || (fixed == 6 && w[5] > n - fixed))
		return damaged(h);
	size_t tail = fixed + (fixed == 6 ? w[5] : 0);

	if (has_stack && !plain_stack_fits(l, w + tail, n - tail))
		return damaged(h);
	ret->kind = RAW_SAMPLE;
	ret->mode = cpu_mode(h->misc);
	ret->time_ns = w[3];
	ret->pid = (uint32_t)w[2];
	ret->tid = (uint32_t)(w[2] >> 32);
	ret->cpu = UINT32_MAX;
	ret->id = w[0];
	ret->sample = none;
	ret->sample.ip = w[1];
	ret->sample.period = w[4];
	if (fixed == 6) {
		ret->sample.chain = w + 6;
		ret->sample.n_chain = (uint32_t)w[5];
	}
	if (has_stack)
		parse_plain_stack(l, w + tail, &ret->sample);
	return NULL;
}

struct err *record_parse(const struct record_layout *l, const struct perf_event_header *h,
			 struct raw_event *ret)
{
	if (h->size < sizeof(*h))
		return damaged(h);
	if (h->type == PERF_RECORD_SAMPLE && l->is_plain)
		return parse_plain(l, h, ret);
	size_t len = h->size - sizeof(*h);
	struct raw_event ev = { .mode = cpu_mode(h->misc), .cpu = UINT32_MAX };
	struct cursor c = cursor(h + 1, len);

	if (h->type == PERF_RECORD_SAMPLE) {
		record_sample(l, &c, &ev);
	} else if (h->type >= FIRST_USER_TYPE) {
		ev.kind = RAW_OTHER;
	} else {
		if (len < l->trailer_len)
			return damaged(h);
		struct cursor trailer = cursor(c.end - l->trailer_len, l->trailer_len);

		c.end = trailer.begin;
		if (l->trailer_len)
			parse_trailer(l, &trailer, &ev);
		parse_body(l, h, &c, &ev);
	}
	if (c.failed)
		return damaged(h);
	*ret = ev;
	return NULL;
}
