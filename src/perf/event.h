/* Event names as users type them → what perf_event_open(2) wants: "cycles", "cpu-clock:u",
 * "task-clock", "page-faults:k" … with ":u" ":k" ":p" modifiers. Room for tracepoints, raw and
 * PMU events: they add rows or a parser here, nothing elsewhere. */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct event_spec {
	char name[64]; /* as the user typed it, after aliases */
	uint32_t type; /* PERF_TYPE_* */
	uint64_t config;
	bool exclude_user, exclude_kernel;
	uint8_t precise;
	bool is_clock;    /* weight is time; default weight in outputs is samples */
	const char *unit; /* of the period: "ns" for clocks, else "events" */
};

ERR_CHECK struct err *event_parse(const char *text, struct event_spec *ret);
/* The names event_parse() knows, NULL-terminated, for --help and completion. */
extern const char *const event_names[];

#endif
