/* In: CPUs, and how much comes from each. Out: two rings for each, within the memory that may be
 * locked. */
#include "capture/rings.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "base/alloc.h"

enum {
	SIDE_BYTES = 512 << 10,
	SAMPLES_MIN = 512 << 10,
	SAMPLES_LARGE = 16 << 20,
	SAMPLES_MAX = 64 << 20,
	SAMPLES_UNKNOWN_RATE = 4 << 20,
};

static uint64_t power_of_two_up(uint64_t n)
{
	uint64_t p = 1;

	while (p < n && p < UINT64_C(1) << 40)
		p <<= 1;
	return p;
}

uint64_t rings_pages(const struct rings_demand *demand, size_t n_cpus)
{
	uint64_t want = demand->asked;

	if (!want)
		want = demand->rate ? demand->rate * demand->sample_bytes / 2
				    : SAMPLES_UNKNOWN_RATE;
	if (!demand->asked && want < SAMPLES_MIN)
		want = SAMPLES_MIN;
	/* Every page of a ring costs the kernel a microsecond or two to make, map and unmap, which
	   is more than a short recording's samples cost. */
	if (!demand->asked && want > SAMPLES_LARGE)
		want = want / 5 > SAMPLES_LARGE ? want / 5 : SAMPLES_LARGE;
	uint64_t most = demand->memory / 50 / (n_cpus ? n_cpus : 1);

	if (most > SAMPLES_MAX || !demand->memory)
		most = SAMPLES_MAX;
	uint64_t pages = power_of_two_up((want + demand->page - 1) / demand->page);

	if (!demand->asked && pages / 4 * 3 * demand->page > want)
		pages /= 2; /* nearer to what is wanted */
	while (pages > 1 && pages * demand->page > most && !demand->asked)
		pages /= 2;
	return pages;
}

static struct err *ring_open(struct cpu_ring *r, uint32_t cpu, uint64_t pages, uint32_t wakeup)
{
	/* No diag: the ladder's reports are for the events that measure. */
	struct attr_opener opener = { .open = opener_event };
	struct attr_request req = { .wakeup_bytes = wakeup };
	struct perf_event_attr attr;

	attr_leader(&req, &attr);
	r->leader = -1;
	TRY(attr_open(&opener, &attr, 0, (int)cpu, &r->leader));
	struct err *err = ring_init(&r->ring, r->leader, pages);

	if (err) {
		close(r->leader);
		r->leader = -1;
	}
	return err;
}

static void rings_close(struct rings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		for (int role = 0; role < N_RING_ROLES; role++) {
			struct cpu_ring *c = &r->v[i].by_role[role];

			if (c->leader < 0)
				continue;
			ring_deinit(&c->ring);
			close(c->leader);
			c->leader = -1;
		}
	}
}

static struct err *rings_open(struct rings *r, const uint64_t pages[N_RING_ROLES], uint64_t page)
{
	uint32_t wakeup[N_RING_ROLES] = {
		[RING_SAMPLES] = (uint32_t)(pages[RING_SAMPLES] * page / 2),
		[RING_SIDE] = 1, /* files are opened while their process lives */
	};

	for (size_t i = 0; i < r->n; i++) {
		for (int role = 0; role < N_RING_ROLES; role++) {
			struct err *err = ring_open(&r->v[i].by_role[role], r->v[i].cpu,
						    pages[role], wakeup[role]);

			if (err) {
				rings_close(r);
				return err_wrap(err, "ring of %llu KiB for CPU %u",
						(unsigned long long)(pages[role] * page / 1024),
						r->v[i].cpu);
			}
		}
	}
	return NULL;
}

static void say_smaller(struct diag *diag, const struct opener *o, uint64_t wanted, uint64_t got)
{
	struct rlimit lim = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &lim);
	diag_add(diag, DIAG_NOTE, "mlock",
		 "rings are %llu KiB a CPU instead of %llu KiB (mmap: %s): locked memory is "
		 "limited to "
		 "kernel.perf_event_mlock_kb = %lld for each CPU and RLIMIT_MEMLOCK = %llu KiB; "
		 "raise it "
		 "with `sysctl kernel.perf_event_mlock_kb=%llu` or `ulimit -l`",
		 (unsigned long long)got / 1024, (unsigned long long)wanted / 1024, strerror(EPERM),
		 (long long)opener_sysctl(o, "kernel/perf_event_mlock_kb", 0),
		 (unsigned long long)lim.rlim_cur / 1024,
		 (unsigned long long)(wanted + SIDE_BYTES) / 1024 + 8);
}

uint64_t rings_wake_ns(const struct rings_demand *demand, uint64_t bytes)
{
	const double least = 1e6, most = 1e18, room = 50e6;
	uint64_t second;

	if (!demand->rate || __builtin_mul_overflow(demand->rate, demand->sample_bytes, &second))
		return 0;
	double full = (double)bytes / (double)second * 1e9;
	double ns = full - room > full / 2 ? full - room : full / 2;

	return ns < least || ns > most ? 0 : (uint64_t)ns;
}

struct err *rings_init(struct rings *r, const u32_vec *cpus, const struct rings_demand *demand,
		       const struct opener *o, struct diag *diag)
{
	uint64_t wanted = rings_pages(demand, cpus->n);
	uint64_t pages[N_RING_ROLES] = {
		[RING_SAMPLES] = wanted,
		[RING_SIDE] = SIDE_BYTES / demand->page,
	};
	struct err *err;

	*r = (struct rings){ .n = cpus->n, .v = xcalloc(cpus->n, sizeof(*r->v)) };
	order_init(&r->order);
	for (size_t i = 0; i < r->n; i++) {
		r->v[i].cpu = cpus->v[i];
		r->v[i].by_role[RING_SAMPLES].leader = r->v[i].by_role[RING_SIDE].leader = -1;
	}
	while ((err = rings_open(r, pages, demand->page))) {
		int why = err_errno(err);

		if ((why != EPERM && why != ENOMEM) || pages[RING_SAMPLES] == 1)
			return err;
		err_destroy(err);
		pages[RING_SAMPLES] /= 2;
		if (pages[RING_SIDE] > pages[RING_SAMPLES])
			pages[RING_SIDE] = pages[RING_SAMPLES];
	}
	r->wake_ns = rings_wake_ns(demand, pages[RING_SAMPLES] * demand->page);
	if (pages[RING_SAMPLES] < wanted)
		say_smaller(diag, o, wanted * demand->page, pages[RING_SAMPLES] * demand->page);
	return NULL;
}

void rings_start(struct rings *r, const struct perf_event_attr *sampling,
		 const struct perf_event_attr *sideband)
{
	record_layout_init(&r->layouts[RING_SAMPLES], sampling);
	record_layout_init(&r->layouts[RING_SIDE], sideband);
	for (int role = 0; role < N_RING_ROLES; role++)
		for (size_t i = 0; i < r->n; i++)
			order_add(&r->order, &r->v[i].by_role[role].ring, &r->layouts[role]);
}

void rings_deinit(struct rings *r)
{
	rings_close(r);
	order_deinit(&r->order);
	free(r->v);
	*r = (struct rings){ 0 };
}

struct err *rings_redirect(const struct rings *r, size_t cpu_index, enum ring_role role, int fd)
{
	const struct cpu_rings *cpu = &r->v[cpu_index];

	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->by_role[role].leader))
		return err_sys(errno, "cannot send an event's records to the ring of CPU %u",
			       cpu->cpu);
	return NULL;
}

uint64_t rings_damaged(const struct rings *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		for (int role = 0; role < N_RING_ROLES; role++)
			n += r->v[i].by_role[role].ring.n_damaged;
	return n;
}
