/* A thread's tables in the Firefox Profiler's processed format: samples, and what they refer to. */
#ifndef OUTPUT_FIREFOX_TABLES_H
#define OUTPUT_FIREFOX_TABLES_H

#include "output/jsonwriter.h"
#include "profile/calltree.h"

struct firefox_tables;

/* Both must outlive it. */
struct firefox_tables *firefox_tables_create(const struct calltree *t, struct json *j);
void firefox_tables_destroy(struct firefox_tables *f);
/* Writes the tables of one thread, keys of an object that is open. Its samples come by index into
 * profile->kept, in the order of time. Categories are numbered by enum origin. */
void firefox_tables_put(struct firefox_tables *f, const uint32_t *order, size_t n);

#endif
