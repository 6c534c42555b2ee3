/* In: descriptors of opened events. Out: which event and opening a record's id means, and what the
 * kernel lost of them. */
#include "capture/openings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* PERF_FORMAT_LOST, which headers before Linux 6.0 do not have. */
enum { FORMAT_LOST = 1U << 4 };

void openings_init(struct openings *o)
{
	*o = (struct openings){ 0 };
}

void openings_deinit(struct openings *o)
{
	for (size_t i = 0; i < o->v.n; i++)
		close(o->v.v[i].fd);
	vec_deinit(&o->v);
	table_deinit(&o->ids);
}

struct err *openings_add(struct openings *o, int fd, uint32_t opening, uint16_t event)
{
	struct opened opened = { .fd = fd, .opening = opening, .event = event };

	if (ioctl(fd, PERF_EVENT_IOC_ID, &opened.id)) {
		int saved = errno;

		close(fd);
		return err_sys(saved, "cannot read the id of an event");
	}
	table_add(&o->ids, hash_u64(opened.id), (uint32_t)o->v.n);
	vec_push(&o->v, opened);
	if (opening > o->last)
		o->last = opening;
	return NULL;
}

const struct opened *openings_find(const struct openings *o, uint64_t id)
{
	for (struct table_probe p = table_probe(&o->ids, hash_u64(id)); table_next(&o->ids, &p);)
		if (o->v.v[p.value].id == id)
			return &o->v.v[p.value];
	return NULL;
}

void openings_enable(const struct openings *o, bool on)
{
	for (size_t i = 0; i < o->v.n; i++)
		if (o->v.v[i].event != OPENING_SIDEBAND)
			ioctl(o->v.v[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* struct read_format without PERF_FORMAT_GROUP: value, then one word a bit, in this order. */
static bool read_lost(int fd, uint64_t format, uint64_t *ret)
{
	static const uint64_t before[] = { PERF_FORMAT_TOTAL_TIME_ENABLED,
					   PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_FORMAT_ID };
	uint64_t words[8];
	size_t at = 1;

	if (!(format & FORMAT_LOST))
		return false;
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		at += !!(format & before[i]);
	ssize_t n = read(fd, words, sizeof(words));

	if (n < (ssize_t)((at + 1) * sizeof(*words)))
		return false;
	*ret = words[at];
	return true;
}

bool openings_lost(const struct openings *o, uint64_t sampling_format, uint64_t sideband_format,
		   uint64_t *ret_samples, uint64_t *ret_sideband)
{
	uint64_t samples = 0, sideband = 0;

	if (!(sampling_format & sideband_format & FORMAT_LOST))
		return false;
	for (size_t i = 0; i < o->v.n; i++) {
		bool is_side = o->v.v[i].event == OPENING_SIDEBAND;
		uint64_t lost;

		if (!read_lost(o->v.v[i].fd, is_side ? sideband_format : sampling_format, &lost))
			continue;
		*(is_side ? &sideband : &samples) += lost;
	}
	*ret_samples = samples;
	*ret_sideband = sideband;
	return true;
}
