/* In: samples, and what happened to processes. Out: a perf.data file. */
#include "import/perfwrite.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "import/perfplaces.h"
#include "import/perfsections.h"

enum {
	FLUSH = 1 << 20,
	PERF_BUILD_ID_LEN = 20,
	MAX_FRAMES = 8000,                           /* a record's length has 16 bits */
	MAX_ORIGINS = INT32_MAX / THREADS_RANGE + 1, /* a pid is a signed number */
};

static const uint64_t sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				    PERF_SAMPLE_CALLCHAIN;

struct perfwrite {
	const struct dataset *data;
	int fd;
	struct buf out;
	uint64_t data_off, written; /* bytes before `out` */
	struct perfplaces *places;
	VEC(uint64_t) chain;
	VEC(uint32_t) named; /* by slot of `tids`: the thread entry last written as COMM */
	struct table tids;
	VEC(uint32_t) tid_list;
	struct err *failed;
	uint64_t n_unplaced;
	uint64_t first_ns, last_ns;
};

static struct err *write_all(struct perfwrite *w)
{
	size_t at = 0;

	while (at < w->out.len) {
		ssize_t n = write(w->fd, w->out.data + at, w->out.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "cannot write the perf.data file");
		at += (size_t)n;
	}
	w->written += w->out.len;
	w->out.len = 0;
	return NULL;
}

/* The length of the record that began at `at` is known now. */
static void end_record(struct perfwrite *w, size_t at)
{
	while ((w->out.len - at) % 8)
		buf_u8(&w->out, 0);
	uint16_t size = (uint16_t)(w->out.len - at);

	memcpy(w->out.data + at + offsetof(struct perf_event_header, size), &size, 2);
}

static size_t begin_record(struct perfwrite *w, uint32_t type, uint16_t misc)
{
	size_t at = w->out.len;

	buf_u32(&w->out, type);
	buf_u16(&w->out, misc);
	buf_u16(&w->out, 0);
	return at;
}

static void put_string(struct perfwrite *w, const char *s)
{
	enum { PATH_LEN = 4096 };
	size_t len = strnlen(s, PATH_LEN - 1);

	buf_bytes(&w->out, s, len);
	buf_u8(&w->out, 0);
	while (w->out.len % 8)
		buf_u8(&w->out, 0);
}

/* struct sample_id of perf_event_open(2), for our sample_type. */
static void put_trailer(struct perfwrite *w, uint32_t pid, uint32_t tid, uint64_t time)
{
	buf_u32(&w->out, pid);
	buf_u32(&w->out, tid);
	buf_u64(&w->out, time);
	buf_u32(&w->out, 0); /* CPU */
	buf_u32(&w->out, 0);
	buf_u64(&w->out, PERFSECTIONS_FIRST_ID);
}

static bool has_build_id(const struct binary *b)
{
	return b->kind == BINARY_KIND_FILE && b->build_id_len &&
	       b->build_id_len <= PERF_BUILD_ID_LEN;
}

static const char *mapped_name(const struct binary *b)
{
	if (b->kind == BINARY_KIND_VDSO)
		return "[vdso]";
	if (b->kind == BINARY_KIND_ANON && !strcmp(b->path, "[anon]"))
		return "//anon";
	return b->path;
}

/* Which file a mapping is of, by its build-id or its inode. Paths do not tell the files of a
 * merge's hosts apart. */
static void put_file(struct perfwrite *w, const struct binary *b)
{
	uint8_t id[PERF_BUILD_ID_LEN] = { 0 };

	if (!has_build_id(b)) {
		buf_u32(&w->out, b->dev_major);
		buf_u32(&w->out, b->dev_minor);
		buf_u64(&w->out, b->inode);
		buf_u64(&w->out, b->inode_generation);
		return;
	}
	memcpy(id, b->build_id, b->build_id_len);
	buf_u32(&w->out, b->build_id_len); /* a byte, and three that are 0 */
	buf_bytes(&w->out, id, sizeof(id));
}

static void put_mmap(struct perfwrite *w, uint32_t pid, const struct mapping *m, uint64_t time)
{
	const struct binary *b = binaries_get(&w->data->binaries, m->binary);
	uint16_t by_id = has_build_id(b) ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0;
	size_t at = begin_record(w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | by_id);

	buf_u32(&w->out, pid);
	buf_u32(&w->out, pid);
	buf_u64(&w->out, m->start);
	buf_u64(&w->out, m->end - m->start);
	buf_u64(&w->out, b->kind == BINARY_KIND_VDSO ? 0 : m->pgoff);
	put_file(w, b);
	buf_u32(&w->out, 5); /* PROT_READ | PROT_EXEC */
	buf_u32(&w->out, 2); /* MAP_PRIVATE */
	put_string(w, mapped_name(b));
	put_trailer(w, pid, pid, time);
	end_record(w, at);
}

/* Where the kernel's code begins, so that perf can tell whether it was moved
 * (tools/perf/util/synthetic-events.c, perf_event__synthesize_kernel_mmap()). */
static void put_kernel(struct perfwrite *w)
{
	uint64_t text = w->data->meta.kernel_stext;

	if (!text)
		return;
	size_t at = begin_record(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	buf_u32(&w->out, UINT32_MAX);
	buf_u32(&w->out, 0);
	buf_u64(&w->out, text);
	buf_u64(&w->out, UINT64_MAX - text);
	buf_u64(&w->out, text);
	put_string(w, "[kernel.kallsyms]_text");
	put_trailer(w, UINT32_MAX, 0, 0);
	end_record(w, at);
}

static void put_comm(struct perfwrite *w, uint32_t pid, uint32_t tid, const char *comm, bool exec,
		     uint64_t time)
{
	size_t at = begin_record(w, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	_cleanup_free_ char *name = xstrndup(comm, 15); /* TASK_COMM_LEN - 1 */

	buf_u32(&w->out, pid);
	buf_u32(&w->out, tid);
	put_string(w, name);
	put_trailer(w, pid, tid, time);
	end_record(w, at);
}

static void put_task(struct perfwrite *w, uint32_t type, const struct proc_event *e)
{
	uint32_t pid = threads_number(e->origin, e->pid), tid = threads_number(e->origin, e->tid);
	uint32_t ppid = type == PERF_RECORD_FORK ? threads_number(e->origin, e->ppid) : pid;
	size_t at = begin_record(w, type, 0);

	buf_u32(&w->out, pid);
	buf_u32(&w->out, ppid);
	buf_u32(&w->out, tid);
	buf_u32(&w->out, ppid);
	buf_u64(&w->out, e->time_ns);
	put_trailer(w, pid, tid, e->time_ns);
	end_record(w, at);
}

void perfwrite_event(struct perfwrite *w, const struct proc_event *e)
{
	uint32_t pid = threads_number(e->origin, e->pid);
	struct mapping m = { e->start, e->start + e->len, e->pgoff, e->binary };

	switch (e->kind) {
	case PROC_MMAP:
		if (m.end <= m.start)
			return;
		perfplaces_map(w->places, pid, &m);
		put_mmap(w, pid, &m, e->time_ns);
		return;
	case PROC_COMM:
		if (e->exec)
			perfplaces_exec(w->places, pid);
		put_comm(w, pid, threads_number(e->origin, e->tid), e->comm, e->exec, e->time_ns);
		return;
	case PROC_FORK:
		perfplaces_fork(w->places, pid, threads_number(e->origin, e->ppid));
		put_task(w, PERF_RECORD_FORK, e);
		return;
	case PROC_EXIT:
		put_task(w, PERF_RECORD_EXIT, e);
		return;
	case PROC_LOST:
	case PROC_STACK:
		return;
	}
}

/* The name that the thread of a sample has, where it is another than the last one written. */
static void name_thread(struct perfwrite *w, const struct thread_entry *t, uint32_t entry,
			uint64_t time)
{
	uint32_t pid = threads_number(t->origin, t->pid), tid = threads_number(t->origin, t->tid);
	uint32_t slot = UINT32_MAX;

	for (struct table_probe p = table_probe(&w->tids, hash_u64(tid)); table_next(&w->tids, &p);)
		if (w->tid_list.v[p.value] == tid)
			slot = p.value;
	if (slot == UINT32_MAX) {
		slot = (uint32_t)w->tid_list.n;
		table_add(&w->tids, hash_u64(tid), slot);
		vec_push(&w->tid_list, tid);
		vec_push(&w->named, UINT32_MAX);
	}
	if (w->named.v[slot] == entry)
		return;
	w->named.v[slot] = entry;
	if (tid) /* the idle task is every CPU's */
		put_comm(w, pid, tid, t->comm, false, time);
}

/* The context's marker where it changes, then the address. */
static void add_frame(struct perfwrite *w, uint32_t pid, const struct frame *f, uint64_t time,
		      uint64_t *context)
{
	enum binary_kind kind = binaries_get(&w->data->binaries, f->binary)->kind;
	bool kernel = kind == BINARY_KIND_KERNEL || (kind == BINARY_KIND_UNKNOWN && f->off >> 63);
	uint64_t marker = kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
	uint64_t addr = f->off;
	struct mapping made;

	if (kind == BINARY_KIND_TEXT) {
		addr = 0;
		w->n_unplaced++;
	} else if (!kernel && kind != BINARY_KIND_UNKNOWN &&
		   perfplaces_addr(w->places, pid, f->binary, f->off, &addr, &made)) {
		put_mmap(w, pid, &made, time);
	}
	if (marker != *context)
		vec_push(&w->chain, marker);
	*context = marker;
	vec_push(&w->chain, addr);
}

static void make_chain(struct perfwrite *w, uint32_t pid, const struct sample *s)
{
	const struct frametree *tree = &w->data->tree;
	uint64_t context = 0;

	w->chain.n = 0;
	for (uint32_t node = s->node; node; node = frametree_get(tree, node)->parent) {
		const struct frame *f = frametree_get(tree, node);

		if (f->kind == FRAME_CUT)
			continue;
		if (w->chain.n >= MAX_FRAMES) {
			w->n_unplaced++;
			continue;
		}
		add_frame(w, pid, f, s->time_ns, &context);
	}
}

struct err *perfwrite_sample(struct perfwrite *w, const struct sample *s)
{
	const struct thread_entry *t = threads_get(&w->data->threads, s->thread);
	uint32_t pid = threads_number(t->origin, t->pid), tid = threads_number(t->origin, t->tid);

	name_thread(w, t, s->thread, s->time_ns);
	make_chain(w, pid, s);
	bool kernel = w->chain.n && w->chain.v[0] == (uint64_t)PERF_CONTEXT_KERNEL;
	size_t at = begin_record(w, PERF_RECORD_SAMPLE,
				 kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	buf_u64(&w->out, PERFSECTIONS_FIRST_ID + s->event);
	buf_u64(&w->out, w->chain.n ? w->chain.v[1] : 0);
	buf_u32(&w->out, pid);
	buf_u32(&w->out, tid);
	buf_u64(&w->out, s->time_ns);
	buf_u32(&w->out, s->cpu);
	buf_u32(&w->out, 0);
	buf_u64(&w->out, s->period);
	buf_u64(&w->out, w->chain.n);
	buf_bytes(&w->out, w->chain.v, w->chain.n * sizeof(*w->chain.v));
	end_record(w, at);
	if (!w->first_ns || s->time_ns < w->first_ns)
		w->first_ns = s->time_ns;
	if (s->time_ns > w->last_ns)
		w->last_ns = s->time_ns;
	return w->out.len >= FLUSH ? write_all(w) : NULL;
}

struct err *perfwrite_create(int fd, const struct dataset *data, struct perfwrite **ret)
{
	CLEANUP(perfwrite_destroy) struct perfwrite *w = xcalloc(1, sizeof(*w));

	if (lseek(fd, 0, SEEK_CUR) < 0)
		return err_sys(errno, "a perf.data file needs a file, not a pipe");
	if (data->meta.origins.n > MAX_ORIGINS)
		return err_new("the processes of %zu inputs do not fit into perf.data, those of "
			       "%d do: convert them to a recording (-o OUT.rec)",
			       (size_t)data->meta.origins.n, MAX_ORIGINS);
	w->data = data;
	w->fd = fd;
	w->places = perfplaces_create(&data->binaries);
	w->data_off = perfsections_head(data, sample_type, &w->out);
	put_kernel(w);
	*ret = take_ptr(w);
	return NULL;
}

void perfwrite_destroy(struct perfwrite *w)
{
	if (!w)
		return;
	perfplaces_destroy(w->places);
	buf_deinit(&w->out);
	vec_deinit(&w->chain);
	vec_deinit(&w->named);
	vec_deinit(&w->tid_list);
	table_deinit(&w->tids);
	free(w);
}

struct err *perfwrite_end(struct perfwrite *w)
{
	uint8_t head[PERFSECTIONS_HEAD_LEN];

	TRY(write_all(w));
	uint64_t data_end = w->written;

	perfsections_tail(w->data, w->first_ns, w->last_ns, data_end, &w->out, head);
	TRY(write_all(w));
	perfsections_set_data(head, w->data_off, data_end - w->data_off);
	if (pwrite(w->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return err_sys(errno, "cannot write the perf.data file's header");
	return NULL;
}

uint64_t perfwrite_n_unplaced(const struct perfwrite *w)
{
	return w->n_unplaced;
}
