/* In: a seed. Out: a recording, and its samples and events in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "recording-fixture.h"

enum { N_THREADS = 5, N_BINARIES = 6, N_CPUS = 3 };

void lines_deinit(struct lines *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		free(l->v.v[i]);
	vec_deinit(&l->v);
}

static void lines_sample(struct lines *l, const struct dataset *d, const struct sample *s)
{
	const struct thread_entry *t = threads_get(&d->threads, s->thread);
	char *line =
		xasprintf("%llu %llu cpu %u event %s %s/%s %u/%u:", (unsigned long long)s->time_ns,
			  (unsigned long long)s->period, s->cpu, d->events.v[s->event].name,
			  t->process_comm, t->comm, t->pid, t->tid);

	for (uint32_t node = s->node; node; node = frametree_get(&d->tree, node)->parent) {
		const struct frame *f = frametree_get(&d->tree, node);
		char *more = xasprintf("%s %s+%llx.%u", line,
				       binaries_get(&d->binaries, f->binary)->path,
				       (unsigned long long)f->off, f->kind);

		free(line);
		line = more;
	}
	vec_push(&l->v, line);
}

static void lines_stack(struct lines *l, const struct proc_event *e)
{
	const struct raw_sample *s = e->stack;

	vec_push(&l->v,
		 xasprintf("stack %u %llx abi %llu mask %llx chain %u %llx regs %llx copy %llu of "
			   "%llu %llx",
			   e->mode, (unsigned long long)s->ip, (unsigned long long)s->regs_abi,
			   (unsigned long long)s->regs_mask, s->n_chain,
			   (unsigned long long)hash_bytes(s->chain, s->n_chain * 8),
			   (unsigned long long)hash_bytes(s->regs, 3 * 8),
			   (unsigned long long)s->stack_len, (unsigned long long)s->stack_asked,
			   (unsigned long long)hash_bytes(s->stack, s->stack_len)));
}

static void lines_event(struct lines *l, const struct dataset *d, const struct proc_event *e)
{
	if (e->kind == PROC_STACK) {
		lines_stack(l, e);
		return;
	}
	vec_push(&l->v,
		 xasprintf("kind %u %llu %u/%u of %u ppid %u %s %llx+%llx@%llx lost %llu %d %s",
			   e->kind, (unsigned long long)e->time_ns, e->pid, e->tid, e->origin,
			   e->ppid,
			   e->kind == PROC_MMAP ? binaries_get(&d->binaries, e->binary)->path : "-",
			   (unsigned long long)e->start, (unsigned long long)e->len,
			   (unsigned long long)e->pgoff, (unsigned long long)e->lost, e->exec,
			   e->comm ? e->comm : ""));
}

uint32_t fixture_random(struct fixture *f, uint32_t below)
{
	f->seed = f->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(hash_u64(f->seed) % below);
}

static void fixture_tables(struct dataset *d)
{
	static const char *const paths[N_BINARIES - 2] = { "/bin/a", "/lib/b.so", "/lib/c.so",
							   "//anon" };

	vec_push(&d->events, ((struct event_desc){ .name = xstrdup("cpu-clock"),
						   .unit = xstrdup("ns"),
						   .is_clock = true,
						   .is_freq = true,
						   .rate = 999,
						   .interval_ns = 1001001,
						   .attr = xmemdup("attr", 4),
						   .attr_len = 4 }));
	vec_push(&d->events, ((struct event_desc){ .name = xstrdup("page-faults"),
						   .unit = xstrdup("events") }));
	for (uint32_t i = 0; i < N_THREADS; i++) {
		_cleanup_free_ char *comm = xasprintf("worker;%u", i);

		threads_add(&d->threads, &(struct thread_entry){ .pid = 100 + i / 2,
								 .tid = 100 + i,
								 .incarnation = i & 1,
								 .comm = comm,
								 .process_comm = (char *)"main" });
	}
	for (uint32_t i = 0; i < N_BINARIES - 2; i++) {
		struct binary b = { .kind = i == 3 ? BINARY_KIND_ANON : BINARY_KIND_FILE,
				    .path = (char *)paths[i],
				    .dev_major = 8,
				    .inode = 1000 + i,
				    .pid = i == 3 ? 100 : 0 };

		binaries_add(&d->binaries, &b);
	}
}

static void fixture_meta(struct meta *m)
{
	free(m->host);
	m->host = xstrdup("host.example");
	free(m->cmdline);
	m->cmdline = xstrdup("singe record -p 1");
	free(m->callgraph);
	m->callgraph = xstrdup("fp");
	m->kernel_build_id_len = 3;
	memcpy(m->kernel_build_id, "\1\2\3", 3);
	m->kernel_stext = 0xffffffff81000000;
	m->wall_start_ns = 1700000000000000000;
	m->clock_start_ns = 5;
	m->clockid = 1;
	m->n_cpus = N_CPUS;
	m->page_size = 4096;
	vec_push(&m->fallbacks, xstrdup("no cycles: cpu-clock instead"));
}

void fixture_init(struct fixture *f, enum codec codec, uint64_t seed)
{
	*f = (struct fixture){ .seed = seed, .time_ns = 1000000000000 };
	dataset_init(&f->data);
	fixture_tables(&f->data);
	fixture_meta(&f->data.meta);
	f->fd = memfd_create("recording", 0);
	assert_true(f->fd >= 0);
	assert_null(writer_create(f->fd, codec, &f->data, &f->w));
}

void fixture_deinit(struct fixture *f)
{
	writer_destroy(f->w);
	close(f->fd);
	dataset_deinit(&f->data);
	lines_deinit(&f->expected);
}

static uint32_t random_node(struct fixture *f)
{
	uint32_t node = 0;

	for (uint32_t depth = fixture_random(f, 12); depth > 0; depth--) {
		uint32_t binary = fixture_random(f, N_BINARIES);
		uint64_t off = binary == BINARY_KERNEL ? 0xffffffff81000000 : 0x1000;

		off += (uint64_t)fixture_random(f, 3) << (depth * 3);
		node = frametree_add(&f->data.tree, node, binary, off,
				     depth == 1 ? FRAME_PC : FRAME_RETURN);
	}
	return node;
}

static void fixture_event(struct fixture *f)
{
	struct proc_event e = { .kind = fixture_random(f, PROC_LOST + 1),
				.time_ns = f->time_ns - fixture_random(f, 1000),
				.pid = 100 + fixture_random(f, 3),
				.tid = 100 + fixture_random(f, 5),
				.origin = fixture_random(f, 3) };

	switch (e.kind) {
	case PROC_MMAP:
		e.binary = fixture_random(f, N_BINARIES);
		e.start = 0x7f0000000000 + fixture_random(f, 1 << 20);
		e.len = 4096;
		e.pgoff = fixture_random(f, 1 << 16);
		break;
	case PROC_COMM:
		e.exec = fixture_random(f, 2);
		e.comm = e.exec ? "new name" : "";
		break;
	case PROC_FORK:
		e.ppid = 1;
		break;
	case PROC_LOST:
		e.lost = fixture_random(f, 10);
		break;
	case PROC_EXIT:
	case PROC_STACK: /* fixture_stack()'s */
		break;
	}
	assert_null(writer_event(f->w, &e));
	lines_event(&f->expected, &f->data, &e);
}

/* What the last sample was unwound from. */
static void fixture_stack(struct fixture *f)
{
	uint64_t regs[3], chain[2];
	uint8_t stack[24];
	struct raw_sample raw = { .ip = 0x1234,
				  .regs_abi = 2,
				  .regs_mask = 0x83,
				  .regs = regs,
				  .chain = chain,
				  .n_chain = 1 + fixture_random(f, 2),
				  .stack = stack,
				  .stack_len = fixture_random(f, sizeof(stack)),
				  .stack_asked = sizeof(stack) };
	struct proc_event e = { .kind = PROC_STACK, .mode = RAW_MODE_USER, .stack = &raw };

	for (size_t i = 0; i < 3; i++)
		regs[i] = (uint64_t)fixture_random(f, UINT32_MAX) << 20;
	for (size_t i = 0; i < 2; i++)
		chain[i] = (uint64_t)fixture_random(f, UINT32_MAX) << 30;
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)fixture_random(f, 256);
	writer_stack(f->w, RAW_MODE_USER, &raw);
	lines_event(&f->expected, &f->data, &e);
}

void fixture_samples(struct fixture *f, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		f->time_ns += fixture_random(f, 300000);
		struct sample s = {
			.time_ns = f->time_ns - fixture_random(f, 100),
			.period = fixture_random(f, 4) ? 1001001 : fixture_random(f, UINT32_MAX),
			.thread = fixture_random(f, N_THREADS),
			.node = random_node(f),
			.cpu = fixture_random(f, N_CPUS) ? fixture_random(f, N_CPUS) : UINT32_MAX,
			.event = fixture_random(f, 2),
		};

		assert_null(writer_sample(f->w, &s));
		lines_sample(&f->expected, &f->data, &s);
		f->n_samples++;
		if (!fixture_random(f, 30))
			fixture_stack(f);
		if (!fixture_random(f, 20))
			fixture_event(f);
	}
}

void fixture_restart(struct fixture *f)
{
	assert_null(writer_restart(f->w));
	frametree_clear(&f->data.tree);
}

void fixture_end(struct fixture *f)
{
	struct totals t = { .samples = f->n_samples,
			    .lost = 7,
			    .lost_sideband = 6,
			    .throttled = 5,
			    .duplicates = 4,
			    .first_ns = 3,
			    .last_ns = f->time_ns,
			    .recorder_cpu_ns = 2,
			    .end_ns = f->time_ns + 1 };

	assert_null(writer_end(f->w, &t));
}

static void result_batch(struct result *r, const struct batch *b)
{
	size_t e = 0;

	for (size_t i = 0; i <= b->n_samples; i++) {
		for (; e < b->n_events && b->events[e].samples_before == i; e++)
			lines_event(&r->lines, &r->data, &b->events[e]);
		if (i < b->n_samples)
			lines_sample(&r->lines, &r->data, &b->samples[i]);
	}
	assert_int_equal(e, b->n_events);
}

void result_read(struct result *r, int fd)
{
	struct source *src;
	struct batch b;

	*r = (struct result){ 0 };
	dataset_init(&r->data);
	lseek(fd, 0, SEEK_SET);
	struct err *err = reader_open(fd, &r->data, &r->diag, &src);

	if (err) {
		err_destroy(err);
		return;
	}
	for (;;) {
		assert_null(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			break;
		result_batch(r, &b);
	}
	r->end_offset = reader_end_offset(src);
	source_destroy(src);
}

void result_deinit(struct result *r)
{
	dataset_deinit(&r->data);
	lines_deinit(&r->lines);
	diag_deinit(&r->diag);
}

int fixture_file(const void *p, size_t len)
{
	int fd = memfd_create("recording", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, len), len);
	return fd;
}

uint8_t *fixture_bytes(const struct fixture *f, size_t *ret_len)
{
	struct stat st;

	assert_int_equal(fstat(f->fd, &st), 0);
	uint8_t *bytes = xmalloc((size_t)st.st_size);

	assert_int_equal(pread(f->fd, bytes, (size_t)st.st_size, 0), st.st_size);
	*ret_len = (size_t)st.st_size;
	return bytes;
}
