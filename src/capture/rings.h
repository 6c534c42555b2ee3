/* Two rings per CPU: samples, and side-band (mappings, names, forks), so that full sample rings
 * never lose a mapping. Each ring is led by a dummy event on the recorder's own task: a leader
 * whose thread ends would raise POLLHUP for ever. Every other event is redirected into them. */
#ifndef CAPTURE_RINGS_H
#define CAPTURE_RINGS_H

#include <stdint.h>

#include "base/diag.h"
#include "base/err.h"
#include "capture/procfs.h"
#include "perf/attr.h"
#include "perf/order.h"

enum ring_role { RING_SIDE, RING_SAMPLES, N_RING_ROLES };

struct cpu_ring {
	struct ring ring;
	int leader;
};

struct cpu_rings {
	uint32_t cpu;
	struct cpu_ring by_role[N_RING_ROLES];
};

struct rings {
	struct cpu_rings *v; /* owned; does not move: the order points into it */
	size_t n;
	struct record_layout layouts[N_RING_ROLES];
	struct order order; /* input role * n + i is v[i].by_role[role]: side-band first */
	uint64_t wake_ns;   /* rings_wake_ns() of the sample rings */
};

/* What decides the size. */
struct rings_demand {
	uint64_t sample_bytes; /* of one sample, roughly */
	uint64_t rate;         /* samples a second and CPU; 0: not known */
	uint64_t asked;        /* bytes of a sample ring as the user wants them; 0: by the rule */
	uint64_t memory;       /* of the machine, in bytes */
	uint64_t page;
};

/* Pages of a sample ring: half a second of samples; of what is beyond 16 MiB no more than a tenth
 * of a second needs; at most 64 MiB a CPU and 2 % of memory in all; the nearest power of two. */
uint64_t rings_pages(const struct rings_demand *demand, size_t n_cpus);

/* How long the recorder may sleep, with sample rings of so many bytes: until one can be half full,
 * or longer, as long as there is room for another 50 ms. 0: not known, or less than is worth to
 * wait for. */
uint64_t rings_wake_ns(const struct rings_demand *demand, uint64_t bytes);

/* Makes the rings of these CPUs, halving them until the kernel lets us lock the memory; says so
 * once in `diag`. `sampling` and `sideband` are the attrs whose records they will carry. */
ERR_CHECK struct err *rings_init(struct rings *r, const u32_vec *cpus,
				 const struct rings_demand *demand, const struct opener *o,
				 struct diag *diag);
/* Before the first order_begin(): what the records look like. */
void rings_start(struct rings *r, const struct perf_event_attr *sampling,
		 const struct perf_event_attr *sideband);
void rings_deinit(struct rings *r);

/* Sends the event's records to the ring of its CPU. */
ERR_CHECK struct err *rings_redirect(const struct rings *r, size_t cpu_index, enum ring_role role,
				     int fd);
/* Times the rings' data made no sense. */
uint64_t rings_damaged(const struct rings *r);

#endif
