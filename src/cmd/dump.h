/* Text of every stage between recording and report, for tests and for finding faults: `singe
 * report --dump=STAGE`. Lines are for people and may change. */
#ifndef CMD_DUMP_H
#define CMD_DUMP_H

#include <stdio.h>

#include "base/err.h"
#include "sample/dataset.h"

/* True if there is such a stage: "records", "samples", "maps", "stacks", "frames". */
bool dump_stage(const char *stage);

/* Drains the source; to be called before any batch was taken.
 *	records: blocks and what is in them, in the order of the file
 *	samples: one a line
 *	maps: mappings and what ends them
 *	stacks: distinct stacks of each event with their samples, most first
 *	frames: distinct places with their names */
ERR_CHECK struct err *dump_write(struct source *src, const char *stage, FILE *out);
/* "records" of an imported file: how many there are of each kind. Drains likewise. */
ERR_CHECK struct err *dump_counts(struct source *src, FILE *out);

#endif
