/* What `singe info` says, as numbers. */
#ifndef CMD_INFO_FACTS_H
#define CMD_INFO_FACTS_H

#include <stdio.h>

#include "base/diag.h"
#include "profile/calltree.h"
#include "sample/dataset.h"

struct info_event {
	uint64_t samples;
	uint64_t period; /* sum, in the event's unit */
};

/* Samples of the event that `stacks` is of. */
struct info_binary {
	uint32_t binary;
	uint64_t samples; /* innermost frame in it */
	uint64_t named;   /* of those, with a symbol */
	uint64_t lines;   /* of those, with a line */
	uint64_t inlined; /* of those, in an inlined call */
	uint64_t any;     /* a frame in it */
	bool has_lines;   /* debug information was found */
	char *advice;     /* what would name more of it; NULL: nothing; owned */
};

struct info_facts {
	const struct dataset *data;
	const char *path; /* as the user named it */
	bool resolvable;  /* `singe resolve` can add names to it */
	uint64_t size;    /* of the file; 0: a pipe */
	uint64_t duration_ns;
	VEC(struct info_event) events; /* by number in data->events */
	uint32_t event;                /* what follows is of this event */
	uint64_t distinct_stacks;
	uint64_t verdicts[N_VERDICTS];    /* samples by how their stack ended */
	VEC(struct cut_binary) cuts;      /* the same by binary, most samples first */
	VEC(struct info_binary) binaries; /* most samples first; every file of the data once */
	size_t n_names;                   /* places the recording itself names */
};

/* Drains the source. Names what the recording has no names for, in memory, because a stack's end
 * is judged by names. `event` NULL: the first. */
ERR_CHECK struct err *info_facts_collect(struct info_facts *f, struct source *src,
					 const char *event, struct diag *diag);
void info_facts_deinit(struct info_facts *f);

void info_text(const struct info_facts *f, FILE *out);
void info_json(const struct info_facts *f, FILE *out);
/* "file", "kernel", … the words of `binaries[].kind`. */
const char *info_kind_name(enum binary_kind kind);

#endif
