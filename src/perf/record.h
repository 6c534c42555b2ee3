/* Raw record → raw event, by the attr of the event it came from. The layout of a sample is the
 * order of perf_event_open(2), not bit order; every other record ends in a sample_id trailer where
 * sample_id_all is set. Used for live rings and for perf.data alike. */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include <linux/perf_event.h>
#include <string.h>

#include "base/err.h"
#include "sample/rawevent.h"

/* PERF_SAMPLE_BRANCH_COUNTERS: newer than some headers (Linux 6.8). */
#define RECORD_BRANCH_COUNTERS (1ULL << 19)

/* What of an attr decides the layout. */
struct record_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint64_t sample_regs_intr;
	bool sample_id_all;
	bool build_id; /* files that are mapped may come with their build-ids */

	/* What follows from those; record_layout_init() works it out. */
	uint8_t trailer_len;  /* bytes of sample_id at the end of a record; 0: none */
	uint8_t trailer_time; /* its time, in bytes before the end; 0: none */
	uint8_t sample_time;  /* time of a sample, in bytes from its header; 0: none */
	uint8_t n_regs_user;  /* registers in a sample that has them */
	uint8_t n_regs_intr;
	uint8_t n_addresses; /* words behind the registers: physical address, cgroup, page sizes */
	bool is_plain;       /* IDENTIFIER|IP|TID|TIME|PERIOD, with CALLCHAIN or not; or with that,
				REGS_USER and STACK_USER */
};

void record_layout_init(struct record_layout *l, const struct perf_event_attr *attr);

/* Where in a sample (from the end of the header) and in a sample_id trailer (from the end of the
 * record, negative) the id stands; -1: nowhere. What a reader with several layouts needs before it
 * can choose one (perf.data). */
int record_sample_id_offset(const struct record_layout *l);
int record_trailer_id_offset(const struct record_layout *l);

/* Whether this MMAP2 record holds a build-id; otherwise device, inode and generation. Its bit in
 * misc alone does not say: where two events see one mapping and only one of them asked for
 * build-ids, Linux (as of 6.18) sets the bit in the records of both. In either byte order. */
bool record_has_build_id(const struct record_layout *l, const struct perf_event_header *h);

/* Parses one record of `h->size` bytes that begins at a multiple of 8. An error is a record whose
 * lengths do not fit: nothing of it may be used. Types this does not know give RAW_OTHER. Pointers
 * in the event point into the record. */
ERR_CHECK struct err *record_parse(const struct record_layout *l, const struct perf_event_header *h,
				   struct raw_event *ret);
uint64_t record_time_slow(const struct record_layout *l, const struct perf_event_header *h);

/* Only the time of a record (0 if it carries none), for merging: cheap. */
static inline uint64_t record_time(const struct record_layout *l, const struct perf_event_header *h)
{
	uint64_t time;

	if (h->type != PERF_RECORD_SAMPLE || !l->sample_time || l->sample_time + 8U > h->size)
		return record_time_slow(l, h);
	memcpy(&time, (const uint8_t *)h + l->sample_time, sizeof(time));
	return time;
}

#endif
