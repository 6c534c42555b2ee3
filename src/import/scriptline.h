/* Lines of `perf script`: the one that begins a sample, and the frames below it. Pure parsing:
 * spans point into the line. */
#ifndef IMPORT_SCRIPTLINE_H
#define IMPORT_SCRIPTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "import/textplaces.h"

struct script_header {
	struct text_span comm;
	struct text_span who; /* from the line's start to the end of the numbers: names a thread */
	uint32_t pid, tid;    /* UINT32_MAX: not said */
	uint32_t cpu;         /* likewise */
	bool has_time;
	uint64_t time_ns;
	bool has_period;
	uint64_t period;        /* 1 if not said */
	struct text_span event; /* empty: not said */
	struct text_span rest;  /* what follows the event */
	bool is_record; /* no sample: "PERF_RECORD_COMM: …", of --show-task-events and so on */
};

struct script_frame {
	uint64_t pc;
	struct text_span function; /* without "+0x12"; "[unknown]": there is none */
	struct text_span module;   /* empty: not said */
};

/* "java 24636/25607 [000] 4794564.109216: 1 cycles:" and what fields leave of it. */
bool script_header(const char *p, size_t len, struct script_header *ret);
/* "    ffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])". */
bool script_frame(const char *p, size_t len, struct script_frame *ret);

#endif
