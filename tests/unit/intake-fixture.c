/* In: records as the kernel writes them. Out: an intake that reads them. */
#include "intake-fixture.h"

#include <sys/mman.h>

static void put(struct fixture *f, enum ring_role role, const struct buf *b)
{
	uint64_t head = f->page[role].data_head;

	for (size_t i = 0; i < b->len; i++)
		f->data[role][(head + i) % LEN] = b->data[i];
	f->page[role].data_head = head + b->len;
}

static void finish(struct fixture *f, enum ring_role role, struct buf *b)
{
	((struct perf_event_header *)b->data)->size = (uint16_t)b->len;
	put(f, role, b);
	buf_deinit(b);
}

static void begin(struct buf *b, uint32_t type, uint16_t misc)
{
	buf_u32(b, type);
	buf_u16(b, misc);
	buf_u16(b, 0);
}

void put_sample(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, uint32_t tid)
{
	struct buf b = { 0 };

	begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	buf_u64(&b, id);
	buf_u64(&b, 0x1000); /* ip */
	buf_u32(&b, pid);
	buf_u32(&b, tid);
	buf_u64(&b, time);
	buf_u64(&b, 1); /* period */
	finish(f, RING_SAMPLES, &b);
}

void put_walked(struct fixture *f, uint64_t time, uint32_t pid)
{
	unsigned int n_regs = (unsigned int)__builtin_popcountll(arch_x86_64.regs_mask);
	struct buf b = { 0 };

	begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	buf_u64(&b, ID_1);
	buf_u64(&b, 0x1000);
	buf_u32(&b, pid);
	buf_u32(&b, pid);
	buf_u64(&b, time);
	buf_u64(&b, 1); /* period */
	buf_u64(&b, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned int i = 0; i < n_regs; i++)
		buf_u64(&b, i == arch_x86_64.perf_ip ? 0x1000 : 0x7000);
	buf_u64(&b, STACK_WORDS * 8);
	for (int i = 0; i < STACK_WORDS; i++)
		buf_u64(&b, 0);
	buf_u64(&b, STACK_WORDS * 8);
	finish(f, RING_SAMPLES, &b);
}

static void put_trailer(struct buf *b, uint64_t time, uint64_t id)
{
	buf_u64(b, 0); /* pid, tid */
	buf_u64(b, time);
	buf_u64(b, id);
}

static void put_task(struct fixture *f, uint32_t type, uint64_t time, uint64_t id,
		     const uint32_t ids[4])
{
	struct buf b = { 0 };

	begin(&b, type, 0);
	buf_bytes(&b, ids, 4 * sizeof(*ids));
	buf_u64(&b, time);
	put_trailer(&b, time, id);
	finish(f, RING_SIDE, &b);
}

void put_fork(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, uint32_t tid,
	      uint32_t ppid, uint32_t ptid)
{
	put_task(f, PERF_RECORD_FORK, time, id, (uint32_t[]){ pid, ppid, tid, ptid });
}

void put_exit(struct fixture *f, uint64_t time, uint32_t pid)
{
	put_task(f, PERF_RECORD_EXIT, time, ID_SIDE_1, (uint32_t[]){ pid, 1, pid, 1 });
}

void put_exec(struct fixture *f, uint64_t time, uint64_t id, uint32_t pid, const char *comm)
{
	struct buf b = { 0 };
	char name[16] = { 0 };

	strcpy(name, comm);
	begin(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	buf_u32(&b, pid);
	buf_u32(&b, pid);
	buf_bytes(&b, name, sizeof(name));
	put_trailer(&b, time, id);
	finish(f, RING_SIDE, &b);
}

void put_mmap(struct fixture *f, uint64_t time, uint32_t pid, const char *path)
{
	struct buf b = { 0 };
	char name[16] = { 0 };

	strcpy(name, path);
	begin(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	buf_u32(&b, pid);
	buf_u32(&b, pid);
	buf_u64(&b, 0x1000); /* start */
	buf_u64(&b, 0x1000); /* length */
	buf_u64(&b, 0);
	buf_u32(&b, 8);
	buf_u32(&b, 1);
	buf_u64(&b, hash_str(path)); /* inode */
	buf_u64(&b, 0);
	buf_u32(&b, PROT_READ | PROT_EXEC);
	buf_u32(&b, MAP_PRIVATE);
	buf_bytes(&b, name, sizeof(name));
	put_trailer(&b, time, ID_SIDE_1);
	finish(f, RING_SIDE, &b);
}

void put_lost(struct fixture *f, enum ring_role role, uint64_t time, uint64_t n)
{
	struct buf b = { 0 };

	begin(&b, PERF_RECORD_LOST, 0);
	buf_u64(&b, ID_1);
	buf_u64(&b, n);
	put_trailer(&b, time, ID_1);
	finish(f, role, &b);
}

static void add_opened(struct fixture *f, uint64_t id, uint32_t opening, uint16_t event)
{
	struct openings *o = &f->attach.openings;
	struct opened opened = { .id = id, .fd = -1, .opening = opening, .event = event };

	table_add(&o->ids, hash_u64(id), (uint32_t)o->v.n);
	vec_push(&o->v, opened);
}

void add_thread(struct fixture *f, uint32_t tid, uint32_t opening)
{
	struct attached_thread t = { .pid = PID, .tid = tid, .opening = opening };

	table_add(&f->attach.tids, hash_u64(tid), (uint32_t)f->attach.threads.n);
	vec_push(&f->attach.threads, t);
	world_thread(f->in.world, PID, tid)->opening = opening;
}

int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct attr_request req = { .is_freq = true, .rate = 999 };

	dataset_init(&f->dataset);
	attach_init(&f->attach);
	opener_init(&f->opener, "/nonexistent");
	vec_push(&f->dataset.events,
		 ((struct event_desc){
			 .name = xstrdup("cpu-clock"), .unit = xstrdup("ns"), .is_clock = true }));
	attr_sampling(&req, &f->attach.sampling[0]);
	attr_sideband(&req, &f->attach.sideband);
	f->attach.n_events = 1;
	f->rings.v = &f->cpu;
	f->rings.n = 1;
	order_init(&f->rings.order);
	for (int i = 0; i < N_RING_ROLES; i++)
		ring_init_literal(&f->cpu.by_role[i].ring, &f->page[i], f->data[i], LEN);
	rings_start(&f->rings, &f->attach.sampling[0], &f->attach.sideband);
	intake_init(&f->in, &f->rings);
	f->in.data = &f->dataset;
	f->in.world = world_create(&f->dataset);
	f->in.unwinder =
		unwinder_create(&(struct unwinder_options){ .mode = UNWIND_FP, .max_stack = 127 },
				&f->dataset.tree, &f->dataset.binaries);
	f->in.rings = &f->rings;
	f->in.attach = &f->attach;
	f->in.opener = &f->opener;
	f->in.files = files_create(&f->opener, 1);
	f->in.diag = &f->diag;
	f->in.inherit = true;
	f->in.attached_ns = 1000;
	f->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_null(writer_create(f->fd, CODEC_ZLIB, &f->dataset, &f->in.writer));
	add_opened(f, ID_1, 1, 0);
	add_opened(f, ID_2, 2, 0);
	add_opened(f, ID_SIDE_1, 1, OPENING_SIDEBAND);
	add_opened(f, ID_SIDE_2, 2, OPENING_SIDEBAND);
	*state = f;
	return 0;
}

int setup_walked(void **state)
{
	int failed = setup(state);
	struct fixture *f = *state;
	struct perf_event_attr *attr = &f->attach.sampling[0];

	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = arch_x86_64.regs_mask;
	attr->sample_stack_user = STACK_WORDS * 8;
	record_layout_init(&f->rings.layouts[RING_SAMPLES], attr);
	unwinder_destroy(f->in.unwinder);
	f->in.unwinder = unwinder_create(&(struct unwinder_options){ .mode = UNWIND_DWARF,
								     .arch = &arch_x86_64 },
					 &f->dataset.tree, &f->dataset.binaries);
	f->in.scope = INTAKE_OPENED;
	world_on_forgotten(f->in.world, intake_forgotten, &f->in);
	return failed;
}

int teardown(void **state)
{
	struct fixture *f = *state;

	f->attach.openings.v.n = 0; /* no descriptors to close */
	attach_deinit(&f->attach);
	files_destroy(f->in.files);
	intake_deinit(&f->in);
	unwinder_destroy(f->in.unwinder);
	world_destroy(f->in.world);
	writer_destroy(f->in.writer);
	order_deinit(&f->rings.order);
	for (int i = 0; i < N_RING_ROLES; i++)
		ring_deinit(&f->cpu.by_role[i].ring);
	opener_deinit(&f->opener);
	diag_deinit(&f->diag);
	dataset_deinit(&f->dataset);
	close(f->fd);
	free(f);
	return 0;
}

void drain(struct fixture *f)
{
	assert_null(intake_drain(&f->in, UINT64_MAX));
}
