/* For scripts: functions, callers and the call tree as JSON, described in doc/json.md. What it says
 * there stays; more may come. */
#ifndef OUTPUT_JSON_H
#define OUTPUT_JSON_H

#include "output/jsonwriter.h"
#include "output/output.h"

/* ctx->options is not used. */
extern const struct output json_output;

/* A weight as an object: weight, samples, percent of `whole`, and the low and high end of the
 * percentage's 95 % interval as seen in `n` samples. */
void json_weight(struct json *j, uint64_t weight, uint64_t samples, const struct profile *whole);
/* "kernel", "program", "library", "jit", "unknown"; "group" for what is not code. */
const char *json_kind(enum origin origin);

#endif
